import type { PartnerAccess } from '@atrium/core/partners/partner-access'
import { hasPartnerRight } from '@atrium/core/partners/partner-rights'
import { translations } from '@atrium/ui/messages'
import {
  IconBuildingCommunity,
  IconCashBanknote,
  IconChartBar,
  IconCoins,
  IconLayoutDashboard,
  IconPalette,
  IconRobot,
  IconSettings,
  IconUserShield,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react'
import type { TenantPage } from '../layout/tenant-pages.ts'
import * as links from '../links.ts'

const t = translations('portal.layout')

/** The pages of the partner area that a level may open, in the order of the navigation. */
export function partnerPages(access: PartnerAccess): TenantPage[] {
  const may = (right: Parameters<typeof hasPartnerRight>[1], page: TenantPage) =>
    hasPartnerRight(access, right) ? [page] : []
  return [
    ...may('customers', {
      label: t('pages.partnerDashboard'),
      icon: IconLayoutDashboard,
      target: links.partner,
      exact: true,
      name: 'partnerDashboard',
    }),
    ...may('customers', {
      label: t('pages.partnerCustomers'),
      icon: IconBuildingCommunity,
      target: links.partnerCustomers(),
      name: 'partnerCustomers',
    }),
    ...may('customers', {
      label: t('pages.partnerAccess'),
      icon: IconUserShield,
      target: links.partnerAccess,
      name: 'partnerAccess',
    }),
    ...may('reports', {
      label: t('pages.partnerReports'),
      icon: IconChartBar,
      target: links.partnerReports(),
      name: 'partnerReports',
    }),
    ...may('finance', {
      label: t('pages.partnerEarnings'),
      icon: IconCoins,
      target: links.partnerBilling(),
      name: 'partnerEarnings',
    }),
    ...may('finance', {
      label: t('pages.partnerPayouts'),
      icon: IconCashBanknote,
      target: links.partnerPayouts(),
      name: 'partnerPayouts',
    }),
    ...may('customers', {
      label: t('pages.partnerStaff'),
      icon: IconUsers,
      target: links.partnerStaff,
      name: 'partnerStaff',
    }),
    ...may('customers', {
      label: t('pages.partnerBranding'),
      icon: IconPalette,
      target: links.partnerBranding,
      name: 'partnerBranding',
    }),
    ...may('customers', {
      label: t('pages.partnerSettings'),
      icon: IconSettings,
      target: links.partnerSettings,
      name: 'partnerSettings',
    }),
    ...may('manageStaff', {
      label: t('pages.serviceTokens'),
      icon: IconRobot,
      target: links.partnerTokens,
      name: 'serviceTokens',
    }),
    ...may('manageStaff', {
      label: t('pages.webhooks'),
      icon: IconWebhook,
      target: links.partnerWebhooks,
      name: 'webhooks',
    }),
  ]
}
