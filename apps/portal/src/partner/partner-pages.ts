import type { PartnerAccess } from '@atrium/core/partners/partner-access'
import { hasPartnerRight } from '@atrium/core/partners/partner-rights'
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
import * as links from '../links.ts'

/** The pages of the partner area that a level may open, in the order of the navigation. */
export function partnerPages(access: PartnerAccess): TenantPage[] {
  const may = (right: Parameters<typeof hasPartnerRight>[1], page: TenantPage) =>
    hasPartnerRight(access, right) ? [page] : []
  return [
    ...may('customers', {
      ...{ label: 'Dashboard', icon: IconLayoutDashboard, target: links.partner, exact: true },
      keywords: ['partner', 'overview', 'revenue', 'attention'],
    }),
    ...may('customers', {
      ...{ label: 'Customers', icon: IconBuildingCommunity, target: links.partnerCustomers() },
      keywords: ['tenants', 'workplaces', 'suspend', 'seats'],
    }),
    ...may('reports', {
      ...{ label: 'Reports', icon: IconChartBar, target: links.partnerReports() },
      keywords: ['mrr', 'growth', 'churn', 'cohorts', 'revenue', 'saved'],
    }),
    ...may('finance', {
      ...{ label: 'Earnings', icon: IconCoins, target: links.partnerBilling() },
      keywords: ['billing', 'margin', 'ledger', 'balance', 'commission', 'share'],
    }),
    ...may('finance', {
      ...{ label: 'Payouts', icon: IconCashBanknote, target: links.partnerPayouts() },
      keywords: ['money', 'statement', 'self-billing'],
    }),
    ...may('customers', {
      label: 'Staff',
      icon: IconUsers,
      target: links.partnerStaff,
      keywords: ['team', 'invite', 'access', 'colleagues'],
    }),
    ...may('customers', {
      ...{ label: 'Partner branding', icon: IconPalette, target: links.partnerBranding },
      keywords: ['colour', 'logo', 'whitelabel', 'product name'],
    }),
    ...may('customers', {
      ...{ label: 'Partner settings', icon: IconSettings, target: links.partnerSettings },
      keywords: ['support', 'defaults', 'mail'],
    }),
  ]
}
