import type {
  WebhookEndpointView,
  WebhookEndpointWithSecret,
} from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { EmptyState, QueryState } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { SecretReveal } from '@atrium/ui/secret-reveal'
import { Anchor, Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconWebhook } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { maySeeSettings } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { EndpointDrawer, hostOf } from './endpoint-drawer.tsx'
import { EndpointDialog } from './endpoint-form.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { useEndpointMutations } from './mutations.ts'

const t = translations('portal.webhooks')

/** Addresses that the events of the workplace are delivered to. */
export function WebhooksPage() {
  const { slug, name, role, grant, custodian } = useTenant()
  const [creating, { open, close }] = useDisclosure(false)
  const [chosen, setChosen] = useState<string>()
  const [shown, setShown] = useState<WebhookEndpointWithSecret>()
  const { create } = useEndpointMutations()
  const admin = maySeeSettings(role) && grant === null && !custodian
  const query = useQuery(useTRPC().webhookEndpoints.list.queryOptions({ slug }, { enabled: admin }))
  if (!admin) return <NoAccess slug={slug} />
  const endpoints = query.data?.items
  const createButton = (
    <Button leftSection={<IconPlus size={17} aria-hidden />} onClick={open}>
      {t('create')}
    </Button>
  )
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { owner: name })}
        description={t('description', { owner: name })}
        actions={endpoints && endpoints.length > 0 && createButton}
      />
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      {endpoints?.length === 0 && (
        <EmptyState
          icon={<IconWebhook size={32} stroke={1.5} aria-hidden />}
          title={t('none.title')}
          action={createButton}
        >
          {t('none.hint')}
        </EmptyState>
      )}
      {endpoints && endpoints.length > 0 && (
        <ResponsiveTable
          caption={t('endpoints')}
          columns={columnsWith(setChosen)}
          rows={endpoints}
          rowKey={({ id }) => id}
        />
      )}
      <EndpointDrawer
        slug={slug}
        endpoint={endpoints?.find(({ id }) => id === chosen)}
        onClose={() => setChosen(undefined)}
        onSecret={setShown}
      />
      <EndpointDialog
        opened={creating}
        onClose={close}
        onSave={async (values) => setShown(await create.mutateAsync({ slug, ...values }))}
      />
      <SecretReveal
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={t('secret.title', { host: shown ? hostOf(shown) : '' })}
        label={t('secret.label')}
        secret={shown?.secret ?? ''}
      >
        {t('secret.hint')}
      </SecretReveal>
    </>
  )
}

function columnsWith(onChoose: (id: string) => void): Column<WebhookEndpointView>[] {
  return [
    {
      key: 'address',
      header: t('columns.address'),
      primary: true,
      cell: ({ id, url, description }) => (
        <>
          <Anchor component="button" type="button" size="sm" fw={550} onClick={() => onChoose(id)}>
            {hostOf({ url })}
          </Anchor>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {description || url}
          </Text>
        </>
      ),
    },
    {
      key: 'types',
      header: t('columns.types'),
      cell: ({ types }) =>
        types.length === 0 ? t('allEvents') : t('someEvents', { count: types.length }),
    },
    {
      key: 'state',
      header: t('columns.state'),
      cell: (endpoint) => <EndpointState {...endpoint} />,
    },
  ]
}
