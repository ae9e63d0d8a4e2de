import type { PartnerAccess, PartnerStatus } from '@atrium/core/partners/partner-access'
import type { MfaState } from '@atrium/core/upstream-cache/mfa'
import { formatMoney } from './format.ts'
import type { StatusMeta } from './tones.ts'

export const partnerStatusMeta: Readonly<Record<PartnerStatus, StatusMeta>> = {
  active: { label: 'Active', tone: 'good' },
  suspended: { label: 'Suspended', tone: 'warning' },
  terminated: { label: 'Terminated', tone: 'neutral' },
}

/** Access levels as people read them, with what each of them may. */
export const accessLabels: Readonly<Record<PartnerAccess, { name: string; may: string }>> = {
  viewer: { name: 'Viewer', may: 'Sees customers and reports.' },
  support: { name: 'Support', may: 'Sees customers, without revenue and reports.' },
  manager: {
    name: 'Manager',
    may: 'Runs customers, settings and branding; sees reports, margin and payouts.',
  },
  owner: { name: 'Owner', may: 'Everything a manager may, and decides who is on the staff.' },
}

export const mfaMeta: Readonly<Record<MfaState, StatusMeta>> = {
  enrolled: { label: 'Second factor', tone: 'good' },
  not_enrolled: { label: 'No second factor', tone: 'warning' },
  unknown: { label: 'Not known', tone: 'neutral' },
}

/** Amounts of several currencies side by side: they are never added up. */
export function amountsText(amounts: readonly { currency: string; mrrMinor: number }[]): string {
  return amounts.length === 0
    ? 'None'
    : amounts.map(({ currency, mrrMinor }) => formatMoney(mrrMinor, currency)).join(' + ')
}
