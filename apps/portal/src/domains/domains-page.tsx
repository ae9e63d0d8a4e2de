import type { DomainView } from '@atrium/core/mail/domains'
import { EmptyState, QueryState } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { problemOf } from '@atrium/ui/problem'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconWorld } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import * as links from '../links.ts'
import { mayChange } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { AddDomainDialog } from './add-domain-dialog.tsx'
import { progressText } from './records.ts'
import { stateMeta } from './status-meta.ts'

const t = translations('portal.domains')

/** The domains of a workplace and how they are. */
export function DomainsPage() {
  const tenant = useTenant()
  const router = useRouter()
  const trpc = useTRPC()
  const query = useQuery(trpc.domains.list.queryOptions({ slug: tenant.slug }))
  const [adding, { open, close }] = useDisclosure(false)
  const domains = query.data?.items ?? []
  const addButton = mayChange(tenant) && (
    <Button leftSection={<IconPlus size={17} aria-hidden />} onClick={open}>
      {t('add.submit')}
    </Button>
  )

  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={t('description')}
        actions={domains.length > 0 && addButton}
      />
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} rows={3} />
      {query.data && domains.length === 0 && (
        <EmptyState
          icon={<IconWorld size={32} stroke={1.5} aria-hidden />}
          title={t('empty.title')}
          action={addButton}
        >
          {t('empty.hint')}
        </EmptyState>
      )}
      {query.data && domains.length > 0 && (
        <ResponsiveTable
          caption={t('tabTitle', { tenant: tenant.name })}
          columns={columnsOf(tenant.slug)}
          rows={domains}
          rowKey={({ name }) => name}
        />
      )}
      <AddDomainDialog
        slug={tenant.slug}
        opened={adding}
        onClose={close}
        onAdded={(domain) => {
          close()
          void router.navigate(links.domain(tenant.slug, domain.name))
        }}
      />
    </>
  )
}

function columnsOf(slug: string): Column<DomainView>[] {
  return [
    {
      key: 'name',
      header: t('table.name'),
      primary: true,
      cell: ({ name, unicodeName, primary }) => (
        <>
          <LinkAnchor {...links.domain(slug, name)} size="sm" fw={550} data-row-link>
            {unicodeName}
          </LinkAnchor>
          {primary && (
            <Text span size="sm" c="dimmed">
              {' '}
              {t('table.main')}
            </Text>
          )}
          {unicodeName !== name && (
            <Text size="sm" c="dimmed">
              {name}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'state',
      header: t('table.state'),
      cell: ({ state }) => <StatusBadge {...stateMeta(state)} />,
    },
    {
      key: 'records',
      header: t('table.records'),
      cell: ({ managed, records }) => (managed ? t('table.managed') : progressText(records)),
    },
    {
      key: 'checked',
      header: t('table.checked'),
      cell: ({ lastCheckedAt }) =>
        lastCheckedAt ? (
          <Time at={lastCheckedAt} />
        ) : (
          <Text span size="sm" c="dimmed">
            {t('table.never')}
          </Text>
        ),
    },
  ]
}
