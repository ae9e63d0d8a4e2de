import { type NavSection, Shell } from '@atrium/ui/shell'
import { useSearch } from '@atrium/ui/use-search'
import {
  IconActivity,
  IconBriefcase,
  IconBuilding,
  IconCashBanknote,
  IconChartBar,
  IconFlag,
  IconHistory,
  IconLayoutDashboard,
  IconMailForward,
  IconReceipt,
  IconRepeat,
  IconTag,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { sessionQuery } from '../session/session.ts'
import { useTRPC } from '../trpc.ts'

const nav: readonly NavSection[] = [
  {
    items: [
      { label: 'Overview', icon: IconLayoutDashboard, target: { to: '/' }, exact: true },
      { label: 'Tenants', icon: IconBuilding, target: { to: '/tenants' } },
      { label: 'Partners', icon: IconBriefcase, target: { to: '/partners' } },
      { label: 'Users', icon: IconUsers, target: { to: '/users' } },
      { label: 'Reports', icon: IconChartBar, target: { to: '/reports' } },
      { label: 'Payouts', icon: IconCashBanknote, target: { to: '/payouts' } },
      { label: 'Billing', icon: IconReceipt, target: { to: '/billing' } },
      { label: 'Payment events', icon: IconWebhook, target: { to: '/webhooks' } },
      { label: 'Subscriptions', icon: IconRepeat, target: { to: '/subscriptions' } },
      { label: 'Prices', icon: IconTag, target: { to: '/prices' } },
      { label: 'Flags', icon: IconFlag, target: { to: '/flags' } },
      { label: 'Mail queue', icon: IconMailForward, target: { to: '/mail' } },
      { label: 'System', icon: IconActivity, target: { to: '/system' } },
      { label: 'Audit', icon: IconHistory, target: { to: '/audit' } },
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
  return (
    <>
      <Shell
        home={{ to: '/' }}
        mark="Operator"
        nav={nav}
        user={{ name: me.name, email: me.email || (session.email ?? '') }}
        profile={{ to: '/users/$id', params: { id: me.id } }}
        onSearch={search.open}
      />
      <Suspense>{search.wanted && <OperatorSpotlight />}</Suspense>
    </>
  )
}
