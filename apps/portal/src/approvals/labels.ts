import type { ApprovalStatus, ApprovalView } from '@atrium/core/billing/approvals'
import { translations } from '@atrium/ui/messages'
import { planName } from '@atrium/ui/subscription-status-meta'
import type { StatusMeta, Tone } from '@atrium/ui/tones'
import { perPeriod } from '../subscriptions/labels.ts'

const t = translations('portal.approvals')

/** "Business, 12 seats, €96.00 a month". */
export function termsLabel(
  { plan, seats, cycle, totalMinor }: ApprovalView['after'],
  currency: string,
): string {
  const price = perPeriod(totalMinor, currency, cycle)
  return t('request.terms', { plan: planName(plan), seats, price })
}

const tones: Readonly<Record<ApprovalStatus, Tone>> = {
  pending: 'waiting',
  approved: 'good',
  within_limit: 'good',
  declined: 'bad',
  expired: 'neutral',
  replaced: 'neutral',
  unpaid: 'neutral',
}

export function approvalMeta(status: ApprovalStatus): StatusMeta {
  return { label: t(`statuses.${status}`), tone: tones[status] }
}

/** The fields that a request changes, as a preview and a change take them. */
export function requestedChange({ before, after }: Pick<ApprovalView, 'before' | 'after'>) {
  return {
    ...(after.plan !== before?.plan && { plan: after.plan }),
    ...(after.cycle !== before?.cycle && { cycle: after.cycle }),
    ...(after.seats !== before?.seats && { seats: after.seats }),
  }
}
