import type { DomainView } from '@atrium/core/mail/domains'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
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
      Add domain
    </Button>
  )

  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title="Domains"
        tabTitle={`Domains of ${tenant.name}`}
        description="Addresses, aliases and lists can be made on every domain that is verified."
        actions={domains.length > 0 && addButton}
      />
      {query.isPending && <LoadingRows label="Loading domains" rows={3} />}
      {query.error && (
        <ErrorState
          title="The domains could not be loaded."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.data && domains.length === 0 && (
        <EmptyState
          icon={<IconWorld size={32} stroke={1.5} aria-hidden />}
          title="No domains yet"
          action={addButton}
        >
          Add a domain that you own. You are shown which records to publish so that its mail arrives
          here.
        </EmptyState>
      )}
      {query.data && domains.length > 0 && (
        <ResponsiveTable
          caption={`Domains of ${tenant.name}`}
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
      header: 'Domain',
      primary: true,
      cell: ({ name, unicodeName, primary }) => (
        <>
          <LinkAnchor {...links.domain(slug, name)} size="sm" fw={550} data-row-link>
            {unicodeName}
          </LinkAnchor>
          {primary && (
            <Text span size="sm" c="dimmed">
              {' '}
              (main)
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
    { key: 'state', header: 'State', cell: ({ state }) => <StatusBadge {...stateMeta[state]} /> },
    {
      key: 'records',
      header: 'Records',
      cell: ({ managed, records }) =>
        managed ? 'Published by the platform' : progressText(records),
    },
    {
      key: 'checked',
      header: 'Last checked',
      cell: ({ lastCheckedAt }) =>
        lastCheckedAt ? (
          <Time at={lastCheckedAt} />
        ) : (
          <Text span size="sm" c="dimmed">
            Not yet
          </Text>
        ),
    },
  ]
}
