import type { attentionReasons } from '@atrium/core/partners/partner-overview'
import { translations } from '@atrium/ui/messages'
import { problemOf } from '@atrium/ui/problem'
import type { StatusMeta, Tone } from '@atrium/ui/tones'

const t = translations('portal.partner')

type AttentionReason = (typeof attentionReasons)[number]

const attentionTones: Readonly<Record<AttentionReason, Tone>> = {
  past_due: 'bad',
  provisioning_failed: 'bad',
  suspended: 'warning',
  at_risk: 'warning',
  seats_exhausted: 'waiting',
}

export function attentionMeta(reason: AttentionReason): StatusMeta {
  return { label: t(`attention.${reason}`), tone: attentionTones[reason] }
}

const explained = [
  'partner_suspended',
  'partner_terminated',
  'access_level',
  'last_partner_owner',
  'tenant_suspended',
  'already_suspended',
  'not_suspended',
] as const

/**
 * A sentence for a failure that these pages know more about than the server says; undefined leaves
 * the server's own.
 */
export function explain(error: unknown): string | undefined {
  const { code } = problemOf(error)
  const known = explained.find((problem) => problem === code)
  return known && t(`problems.${known}`)
}
