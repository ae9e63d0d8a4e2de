import type { CustomerView } from '@atrium/core/partners/partners'
import { tenantStatus, tenantStatuses } from '@atrium/core/tenants/tenants'
import { NoRows, QueryState } from '@atrium/ui/data-states'
import { FilterBar } from '@atrium/ui/filter-bar'
import { formatCount } from '@atrium/ui/format'
import { LinkButton, RowLink } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Pager } from '@atrium/ui/pager'
import { amountsText } from '@atrium/ui/partner-status-meta'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { SearchInput } from '@atrium/ui/search-input'
import { HealthBadge, TenantStatusBadge } from '@atrium/ui/status-badge'
import { tenantStatusMeta } from '@atrium/ui/tones'
import { Button, NativeSelect, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBuildingCommunity, IconPlus } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import * as links from '../links.ts'
import { useTRPC } from '../trpc.ts'
import { type CustomersSearch, customersQuery, readCustomersSearch } from './search.ts'
import { TakeOverDialog } from './take-over-dialog.tsx'
import { mayDo, maySee, usePartner } from './use-partner.ts'

const area = translations('portal.partner')
const t = translations('portal.partner-customers')
const labels = translations('ui.labels')

const CustomerDrawer = lazy(() => import('./customer-drawer.tsx'))

/** Every customer of the partner, with what can be done to it. */
export function CustomersPage() {
  const partner = usePartner()
  const router = useRouter()
  const search = readCustomersSearch(useSearch({ strict: false }))
  const trpc = useTRPC()
  const query = useQuery(
    trpc.partners.customers.queryOptions(customersQuery(partner.slug, search), {
      placeholderData: keepPreviousData,
    }),
  )
  const go = (change: Partial<CustomersSearch>, replace = true) =>
    void router.navigate({
      ...links.partnerCustomers({ ...search, cursors: undefined, ...change }),
      replace,
      resetScroll: false,
    })
  const [takingOver, takeOver] = useDisclosure(false)
  const filtered = search.q !== undefined || search.status !== undefined
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { partner: partner.name })}
        description={t('description')}
        actions={
          mayDo(partner, 'manageCustomers') && (
            <>
              <Button variant="default" onClick={takeOver.open}>
                {t('takeOver.open')}
              </Button>
              <LinkButton {...links.newTenant} leftSection={<IconPlus size={18} aria-hidden />}>
                {area('addCustomer')}
              </LinkButton>
            </>
          )
        }
      />
      <FilterBar label={t('filters.label')}>
        <SearchInput
          label={t('filters.search')}
          placeholder={t('filters.searchPlaceholder')}
          value={search.q}
          onChange={(q) => go({ q })}
        />
        <NativeSelect
          label={t('filters.status')}
          value={search.status ?? ''}
          onChange={(event) =>
            go({ status: tenantStatus.safeParse(event.currentTarget.value).data })
          }
          data={[
            { value: '', label: t('filters.anyStatus') },
            ...tenantStatuses.map((status) => ({
              value: status,
              label: tenantStatusMeta(status).label,
            })),
          ]}
        />
      </FilterBar>
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      {query.data && !query.error && query.data.items.length === 0 && (
        <NoRows
          icon={<IconBuildingCommunity size={32} stroke={1.5} aria-hidden />}
          filtered={filtered}
          noMatch={{ title: t('noMatch.title'), hint: t('noMatch.hint') }}
          none={{ title: area('noCustomers'), hint: t('empty') }}
          onClear={() => go({ q: undefined, status: undefined })}
        />
      )}
      {query.data && !query.error && query.data.items.length > 0 && (
        <>
          <ResponsiveTable
            caption={t('tabTitle', { partner: partner.name })}
            columns={columnsFor(search, maySee(partner, 'reports'))}
            rows={query.data.items}
            rowKey={({ id }) => id}
            stale={query.isPlaceholderData}
          />
          <Pager
            label={t('pages')}
            cursors={search.cursors}
            nextCursor={query.data.nextCursor}
            onChange={(cursors) => go({ cursors }, false)}
          />
        </>
      )}
      <TakeOverDialog
        opened={takingOver}
        onClose={takeOver.close}
        onTaken={(customer) => {
          takeOver.close()
          go({ customer }, false)
        }}
      />
      <Suspense>
        {search.customer && (
          <CustomerDrawer
            key={search.customer}
            slug={search.customer}
            onClose={() => go({ cursors: search.cursors, customer: undefined })}
          />
        )}
      </Suspense>
    </>
  )
}

function columnsFor(search: CustomersSearch, withRevenue: boolean): Column<CustomerView>[] {
  return [
    {
      key: 'name',
      header: t('columns.customer'),
      primary: true,
      cell: ({ slug, name }) => (
        <div>
          <RowLink
            {...links.partnerCustomers({ ...search, customer: slug })}
            resetScroll={false}
            c="inherit"
          >
            {name}
          </RowLink>
          <Text size="sm" c="dimmed">
            {slug}
          </Text>
        </div>
      ),
    },
    {
      key: 'status',
      header: t('columns.status'),
      cell: ({ status }) => <TenantStatusBadge status={status} />,
    },
    {
      key: 'health',
      header: t('columns.health'),
      cell: ({ health }) => <HealthBadge health={health} />,
    },
    { key: 'plan', header: t('columns.plan'), cell: ({ plan }) => labels(`plans.${plan}`) },
    { key: 'seats', header: t('columns.seats'), align: 'end', cell: seatUse },
    ...(withRevenue
      ? [
          {
            key: 'mrr',
            header: t('columns.mrr'),
            align: 'end' as const,
            cell: ({ mrr }: CustomerView) => (mrr ? amountsText(mrr) : '–'),
          },
        ]
      : []),
  ]
}

/** Without a number of seats there is nothing that the members could be part of. */
function seatUse({ members, seats }: CustomerView): string {
  return seats === 0 ? formatCount(members) : t('seatUse', { members, seats })
}
