import type { attentionReasons } from '@atrium/core/partners/partner-overview'
import { problemOf } from '@atrium/ui/problem'
import type { StatusMeta } from '@atrium/ui/tones'

export const attentionMeta: Readonly<Record<(typeof attentionReasons)[number], StatusMeta>> = {
  past_due: { label: 'Payment overdue', tone: 'bad' },
  provisioning_failed: { label: 'Setup failed', tone: 'bad' },
  suspended: { label: 'Suspended', tone: 'warning' },
  at_risk: { label: 'Health at risk', tone: 'warning' },
  seats_exhausted: { label: 'All seats taken', tone: 'waiting' },
}

const sentences: Readonly<Partial<Record<string, string>>> = {
  partner_suspended: 'The partner has been suspended. Everything can be read, and nothing changed.',
  partner_terminated: 'The partnership has ended.',
  access_level: 'Your access level no longer allows this. Load the page again.',
  last_partner_owner: 'A partner keeps at least one owner. Make somebody else an owner first.',
  tenant_suspended: 'This customer is suspended. Resume it first.',
  already_suspended: 'This customer has been suspended in the meantime.',
  not_suspended: 'This customer has been resumed in the meantime.',
}

/**
 * A sentence for a failure that these pages know more about than the server says; undefined leaves
 * the server's own.
 */
export function explain(error: unknown): string | undefined {
  return sentences[problemOf(error).code]
}
