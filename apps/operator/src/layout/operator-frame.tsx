import { translations } from '@atrium/ui/messages'
import { type NavSection, Shell } from '@atrium/ui/shell'
import { useFollowLanguage } from '@atrium/ui/use-follow-language'
import { useSearch } from '@atrium/ui/use-search'
import {
  IconActivity,
  IconBook2,
  IconBriefcase,
  IconBuilding,
  IconCashBanknote,
  IconChartBar,
  IconCreditCard,
  IconFileInvoice,
  IconFlag,
  IconHistory,
  IconLayoutDashboard,
  IconMailForward,
  IconReceipt,
  IconRepeat,
  IconRobot,
  IconTag,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { sessionQuery } from '../session/session.ts'
import { useTRPC } from '../trpc.ts'

const t = translations('operator.layout')

const navigation = (): readonly NavSection[] => [
  {
    items: [
      { label: t('pages.overview'), icon: IconLayoutDashboard, target: { to: '/' }, exact: true },
      { label: t('pages.tenants'), icon: IconBuilding, target: { to: '/tenants' } },
      { label: t('pages.partners'), icon: IconBriefcase, target: { to: '/partners' } },
      { label: t('pages.users'), icon: IconUsers, target: { to: '/users' } },
      { label: t('pages.reports'), icon: IconChartBar, target: { to: '/reports' } },
      { label: t('pages.payouts'), icon: IconCashBanknote, target: { to: '/payouts' } },
      { label: t('pages.billing'), icon: IconReceipt, target: { to: '/billing' } },
      { label: t('pages.invoices'), icon: IconFileInvoice, target: { to: '/invoices' } },
      { label: t('pages.bookkeeping'), icon: IconBook2, target: { to: '/bookkeeping' } },
      { label: t('pages.webhooks'), icon: IconCreditCard, target: { to: '/webhooks' } },
      { label: t('pages.subscriptions'), icon: IconRepeat, target: { to: '/subscriptions' } },
      { label: t('pages.prices'), icon: IconTag, target: { to: '/prices' } },
      { label: t('pages.flags'), icon: IconFlag, target: { to: '/flags' } },
      { label: t('pages.mail'), icon: IconMailForward, target: { to: '/mail' } },
      { label: t('pages.serviceTokens'), icon: IconRobot, target: { to: '/service-tokens' } },
      {
        label: t('pages.webhookEndpoints'),
        icon: IconWebhook,
        target: { to: '/webhook-endpoints' },
      },
      { label: t('pages.system'), icon: IconActivity, target: { to: '/system' } },
      { label: t('pages.audit'), icon: IconHistory, target: { to: '/audit' } },
    ],
  },
]

// Loaded when it is opened.
const OperatorSpotlight = lazy(() =>
  import('./operator-spotlight.tsx').then((part) => ({ default: part.OperatorSpotlight })),
)

export const Route = createLazyRoute('/authenticated')({ component: OperatorFrame })

/** The frame around every page that operators see. */
function OperatorFrame() {
  const trpc = useTRPC()
  const search = useSearch()
  const { data: session } = useSuspenseQuery(sessionQuery)
  const { data: me } = useSuspenseQuery(trpc.users.me.queryOptions())
  useFollowLanguage(me)
  return (
    <>
      <Shell
        home={{ to: '/' }}
        mark={t('mark')}
        nav={navigation()}
        user={{ name: me.name, email: me.email || (session.email ?? '') }}
        profile={{ to: '/users/$id', params: { id: me.id } }}
        security={{ to: '/account/security' }}
        onSearch={search.open}
      />
      <Suspense>{search.requested && <OperatorSpotlight />}</Suspense>
    </>
  )
}
