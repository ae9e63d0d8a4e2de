import type { CreatedSsoApp, SsoAppView } from '@atrium/core/sso/sso'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { PageHeader } from '@atrium/ui/page-header'
import { problemOf } from '@atrium/ui/problem'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { SecretReveal } from '@atrium/ui/secret-reveal'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Anchor, Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { mayChange } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { AppDrawer } from './app-drawer.tsx'
import { CreateAppDialog } from './create-app-dialog.tsx'
import { appStates } from './status-meta.ts'

/** Applications that people of the workplace sign in to with the same account. */
export function SsoPage() {
  const tenant = useTenant()
  const trpc = useTRPC()
  const query = useQuery(
    trpc.sso.list.queryOptions(
      { slug: tenant.slug },
      // What is being made or taken away ends by itself, soon and without anybody's doing.
      {
        refetchInterval: ({ state }) =>
          state.data?.items.some(({ state: at }) => at === 'pending' || at === 'removing')
            ? 5_000
            : false,
      },
    ),
  )
  const [adding, { open, close }] = useDisclosure(false)
  const [created, setCreated] = useState<CreatedSsoApp>()
  const [shownId, setShownId] = useState<string>()
  const editable = mayChange(tenant)
  const apps = query.data?.items ?? []
  const addButton = editable && (
    <Button leftSection={<IconPlus size={17} aria-hidden />} onClick={open}>
      Add application
    </Button>
  )

  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title="Single sign-on"
        tabTitle={`Single sign-on of ${tenant.name}`}
        description={`Applications that people of ${tenant.name} sign in to with the account they have here (OpenID Connect).`}
        actions={apps.length > 0 && addButton}
      />
      {query.isPending && <LoadingRows label="Loading applications" rows={3} />}
      {query.error && (
        <ErrorState
          title="The applications could not be loaded."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.data && apps.length === 0 && (
        <EmptyState
          icon={<IconKey size={32} stroke={1.5} aria-hidden />}
          title="No applications yet"
          action={addButton}
        >
          {editable
            ? 'Add the first one, such as your wiki or your cloud. You get a client id, a secret and settings to paste.'
            : 'Applications appear here as soon as an admin has added them.'}
        </EmptyState>
      )}
      {query.data && apps.length > 0 && (
        <ResponsiveTable
          caption={`Applications of ${tenant.name}`}
          columns={columnsWith(setShownId)}
          rows={apps}
          rowKey={({ id }) => id}
        />
      )}
      <CreateAppDialog
        slug={tenant.slug}
        opened={adding}
        onClose={close}
        onCreated={(app) => {
          close()
          setCreated(app)
        }}
      />
      <SecretReveal
        opened={created !== undefined}
        onClose={() => {
          setShownId(created?.id)
          setCreated(undefined)
        }}
        title={`${created?.name ?? 'The application'} has been added`}
        label="Client secret"
        secret={created?.clientSecret ?? ''}
      >
        Put this secret into the settings of the application now. The other settings follow when you
        close this window, and can be read again at any time.
      </SecretReveal>
      <AppDrawer
        slug={tenant.slug}
        app={apps.find(({ id }) => id === shownId)}
        mayChange={editable}
        onClose={() => setShownId(undefined)}
      />
    </>
  )
}

function columnsWith(show: (id: string) => void): Column<SsoAppView>[] {
  return [
    {
      key: 'name',
      header: 'Application',
      primary: true,
      cell: ({ id, name }) => (
        <Anchor
          component="button"
          type="button"
          size="sm"
          fw={550}
          data-row-link
          onClick={() => show(id)}
        >
          {name}
        </Anchor>
      ),
    },
    { key: 'state', header: 'State', cell: ({ state }) => <StatusBadge {...appStates[state]} /> },
    {
      key: 'redirect',
      header: 'Redirect address',
      cell: ({ redirectUris }) => (
        <Text span size="sm" style={{ overflowWrap: 'anywhere' }}>
          {redirectUris[0]}
          {redirectUris.length > 1 && (
            <Text span c="dimmed" inherit>
              {' '}
              and {redirectUris.length - 1} more
            </Text>
          )}
        </Text>
      ),
    },
    { key: 'created', header: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}
