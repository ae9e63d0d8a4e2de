import '@atrium/ui/issue-messages'
import { type BrandingView, EmailTemplate } from '@atrium/core/branding/branding'
import type { ProblemInfo } from '@atrium/ui/problem'

export type MailTextView = BrandingView['templates'][number]

/** The form as it is typed. Without `withHtml` the message has a text part only. */
export interface MailTextValues {
  subject: string
  withHtml: boolean
  html: string
  text: string
}

/** The override where there is one, else the text that goes out without it. */
export function fromMailText({ override, standard }: MailTextView): MailTextValues {
  const { subject, html, text } = override ?? standard
  return { subject, withHtml: html !== null, html: html ?? standard.html ?? '', text }
}

/** What is sent and previewed. */
export function toEmailTemplate({ subject, withHtml, html, text }: MailTextValues): EmailTemplate {
  return { subject, html: withHtml ? html : null, text }
}

/** Errors by field, by the API's own rules; `html` counts only when it is sent. */
export function checkMailText(values: MailTextValues): Record<string, string> {
  const parsed = EmailTemplate.safeParse(toEmailTemplate(values))
  const errors: Record<string, string> = {}
  for (const { path, message } of parsed.error?.issues ?? [])
    errors[path.map(String).join('.')] ??= message
  return errors
}

/**
 * The sentences of a rejection at the parts they are about: their paths end with the part
 * (`draft.html`, `emailTemplates.member.welcome.text`).
 */
export function partErrors({ issues }: Pick<ProblemInfo, 'issues'>): Record<string, string> {
  const errors: Record<string, string> = {}
  for (const { path, message } of issues) {
    const part = /(?:^|\.)(subject|html|text)$/.exec(path)?.[1]
    if (part) errors[part] ??= message
  }
  return errors
}

/** A text with a variable put in at the cursor, or in place of what is marked. */
export function insertVariable(
  text: string,
  name: string,
  start: number,
  end: number,
): { text: string; cursor: number } {
  const inserted = `{{ ${name} }}`
  return {
    text: text.slice(0, start) + inserted + text.slice(end),
    cursor: start + inserted.length,
  }
}
