import { hasPartnerRight, type PartnerAccess } from '@atrium/core/partner-access'
import {
  IconBuildingCommunity,
  IconCashBanknote,
  IconChartBar,
  IconCoins,
  IconLayoutDashboard,
  IconPalette,
  IconSettings,
  IconUsers,
} from '@tabler/icons-react'
import type { TenantPage } from '../layout/tenant-pages.ts'
import * as targets from '../targets.ts'

/** The pages of the partner area that a level may open, in the order of the navigation. */
export function partnerPages(access: PartnerAccess): TenantPage[] {
  const may = (right: Parameters<typeof hasPartnerRight>[1], page: TenantPage) => (hasPartnerRight(access, right) ? [page] : [])
  return [
    ...may('customers', {
      ...{ label: 'Dashboard', icon: IconLayoutDashboard, target: targets.partner, exact: true },
      keywords: ['partner', 'overview', 'revenue', 'attention'],
    }),
    ...may('customers', {
      ...{ label: 'Customers', icon: IconBuildingCommunity, target: targets.partnerCustomers() },
      keywords: ['tenants', 'workplaces', 'suspend', 'seats'],
    }),
    ...may('reports', {
      ...{ label: 'Reports', icon: IconChartBar, target: targets.partnerReports() },
      keywords: ['mrr', 'growth', 'churn', 'cohorts', 'revenue', 'saved'],
    }),
    ...may('finance', {
      ...{ label: 'Earnings', icon: IconCoins, target: targets.partnerBilling() },
      keywords: ['billing', 'margin', 'ledger', 'balance', 'commission', 'share'],
    }),
    ...may('finance', {
      ...{ label: 'Payouts', icon: IconCashBanknote, target: targets.partnerPayouts() },
      keywords: ['money', 'statement', 'self-billing'],
    }),
    ...may('customers', {
      label: 'Staff',
      icon: IconUsers,
      target: targets.partnerStaff,
      keywords: ['team', 'invite', 'access', 'colleagues'],
    }),
    ...may('customers', {
      ...{ label: 'Partner branding', icon: IconPalette, target: targets.partnerBranding },
      keywords: ['colour', 'logo', 'whitelabel', 'product name'],
    }),
    ...may('customers', {
      ...{ label: 'Partner settings', icon: IconSettings, target: targets.partnerSettings },
      keywords: ['support', 'defaults', 'mail'],
    }),
  ]
}
