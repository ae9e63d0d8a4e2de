import type { PartnerAccess, PartnerStatus } from '@atrium/core/partners/partner-access'
import type { MfaState } from '@atrium/core/upstream-cache/mfa'
import { formatMoney } from './format.ts'
import { translations } from './messages.ts'
import type { StatusMeta, Tone } from './tones.ts'

const t = translations('ui.labels')

const statusTones: Readonly<Record<PartnerStatus, Tone>> = {
  active: 'good',
  suspended: 'warning',
  terminated: 'neutral',
}

export function partnerStatusMeta(status: PartnerStatus): StatusMeta {
  return { label: t(`partnerStatuses.${status}`), tone: statusTones[status] }
}

/** An access level as people read it, with what it may. */
export function accessLabel(access: PartnerAccess): { name: string; may: string } {
  return { name: t(`partnerAccess.${access}.name`), may: t(`partnerAccess.${access}.may`) }
}

const mfaTones: Readonly<Record<MfaState, Tone>> = {
  enrolled: 'good',
  not_enrolled: 'warning',
  unknown: 'neutral',
}

export function mfaMeta(state: MfaState): StatusMeta {
  return { label: t(`secondFactor.${state}`), tone: mfaTones[state] }
}

/** Amounts of several currencies side by side: they are never added up. */
export function amountsText(amounts: readonly { currency: string; mrrMinor: number }[]): string {
  return amounts.length === 0
    ? t('noAmounts')
    : amounts.map(({ currency, mrrMinor }) => formatMoney(mrrMinor, currency)).join(' + ')
}
