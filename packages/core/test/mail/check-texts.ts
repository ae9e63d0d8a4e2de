import { writeCheckText } from '@atrium/core/mail/check-text'
import type { Comparison } from '@atrium/core/mail/dkim'

/** The comparison with its reason as English people read it. */
export const inEnglish = ({ verdict, reason }: Comparison) => ({
  verdict,
  reason: reason && writeCheckText(reason, 'en'),
})
