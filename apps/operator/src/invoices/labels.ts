import type { CorrectionState, CorrectionView } from '@atrium/core/billing/invoice-corrections'
import { formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import type { StatusMeta, Tone } from '@atrium/ui/tones'

const t = translations('operator.invoices')

const stateTones: Readonly<Record<CorrectionState, Tone>> = {
  pending: 'waiting',
  approved: 'waiting',
  done: 'good',
  failed: 'bad',
  rejected: 'neutral',
}

export function correctionMeta(state: CorrectionState): StatusMeta {
  return { label: t(`corrections.states.${state}`), tone: stateTones[state] }
}

/** "Refund of €30.00". */
export function correctionName({
  kind,
  destination,
  amountMinor,
  currency,
}: Pick<CorrectionView, 'kind' | 'destination' | 'amountMinor' | 'currency'>): string {
  const amount = formatMoney(amountMinor, currency)
  if (kind === 'credit') return t(`corrections.credits.${destination ?? 'open'}`, { amount })
  return t(`corrections.kinds.${kind}`, { amount })
}
