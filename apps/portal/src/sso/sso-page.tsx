import type { CreatedSsoApp, SsoAppView } from '@atrium/core/sso/sso'
import { EmptyState, QueryState } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
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
import { appState } from './status-meta.ts'

const t = translations('portal.sso')

/** Applications that people of the workplace sign in to with the same account. */
export function SsoPage() {
  const tenant = useTenant()
  const trpc = useTRPC()
  const query = useQuery(
    trpc.sso.list.queryOptions(
      { slug: tenant.slug },
      // Pending creations and removals end soon and automatically.
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
      {t('add')}
    </Button>
  )

  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={t('description', { tenant: tenant.name })}
        actions={apps.length > 0 && addButton}
      />
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} rows={3} />
      {query.data && apps.length === 0 && (
        <EmptyState
          icon={<IconKey size={32} stroke={1.5} aria-hidden />}
          title={t('empty.title')}
          action={addButton}
        >
          {editable ? t('empty.add') : t('empty.wait')}
        </EmptyState>
      )}
      {query.data && apps.length > 0 && (
        <ResponsiveTable
          caption={t('table.caption', { tenant: tenant.name })}
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
        title={created ? t('created.title', { app: created.name }) : ''}
        label={t('created.label')}
        secret={created?.clientSecret ?? ''}
      >
        {t('created.hint')}
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
      header: t('table.name'),
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
    {
      key: 'state',
      header: t('table.state'),
      cell: ({ state }) => <StatusBadge {...appState(state)} />,
    },
    {
      key: 'redirect',
      header: t('table.redirect'),
      cell: ({ redirectUris }) => (
        <Text span size="sm" style={{ overflowWrap: 'anywhere' }}>
          {redirectUris[0]}
          {redirectUris.length > 1 && (
            <Text span c="dimmed" inherit>
              {' '}
              {t('table.moreRedirects', { count: redirectUris.length - 1 })}
            </Text>
          )}
        </Text>
      ),
    },
    { key: 'created', header: t('table.added'), cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}
