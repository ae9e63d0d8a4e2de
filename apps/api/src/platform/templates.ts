import type { MailTemplateKey } from '@atrium/core/branding/template-keys'
import type { IssueText } from '@atrium/core/platform/errors'

export interface MessageText {
  readonly subject: string
  readonly html: string | null
  readonly text: string
}

export type TemplateValues = {
  readonly [name: string]: string | readonly string[] | TemplateValues
}

export type TemplateJob =
  | { kind: 'check'; key: MailTemplateKey; template: MessageText; path: string }
  | { kind: 'render'; template: MessageText; values: TemplateValues }

/**
 * Parses and renders texts that people wrote, in a thread of its own: the steps of a template are
 * limited, and still one can be written that keeps a processor busy for seconds. A job that takes
 * longer than its time ends with the thread, and the next one gets another thread. One job at a
 * time per tenant and one in all, so that a tenant's slow texts delay others by one job each.
 */
export interface Templates {
  /**
   * Why a text cannot be a template; see `templateFaults`. One issue under `path` for a text that
   * takes too long. Throws AppError `rate_limited` when too many of the tenant wait.
   */
  check(tenantId: string, job: Omit<TemplateJob & { kind: 'check' }, 'kind'>): Promise<IssueText[]>
  /**
   * See `renderMessage`. Throws `TemplateTooSlow`, and an error with the words of the template
   * engine.
   */
  render(
    tenantId: string,
    job: Omit<TemplateJob & { kind: 'render' }, 'kind'>,
  ): Promise<MessageText>
  stop(): Promise<void>
}
