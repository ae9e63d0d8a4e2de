import type {
  WebhookEndpointList,
  WebhookEndpointView,
  WebhookEndpointWithSecret,
} from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { Anchor, Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconWebhook } from '@tabler/icons-react'
import type { QueryKey, UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { EmptyState, QueryState } from '../data-states.tsx'
import { translations } from '../messages.ts'
import { PageHeader } from '../page-header.tsx'
import { type Column, ResponsiveTable } from '../responsive-table.tsx'
import { SecretReveal } from '../secret-reveal.tsx'
import { EndpointDrawer, hostOf } from './endpoint-drawer.tsx'
import { EndpointDialog } from './endpoint-form.tsx'
import { EndpointState } from './endpoint-state.tsx'
import type { EndpointSource } from './source.ts'

const t = translations('ui.webhook-endpoints')

interface Props<Failure, Key extends QueryKey> {
  source: EndpointSource<Failure, Key>
  /** Whose events they are; undefined for the platform. */
  owner?: string
  query: UseQueryResult<WebhookEndpointList, unknown>
}

/** The page about the webhook endpoints of a workplace, a partner or the platform. */
export function EndpointList<Failure, Key extends QueryKey>({
  source,
  owner = '',
  query,
}: Props<Failure, Key>) {
  const [creating, { open, close }] = useDisclosure(false)
  const [chosen, setChosen] = useState<string>()
  const [shown, setShown] = useState<WebhookEndpointWithSecret>()
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
        tabTitle={owner === '' ? t('title') : t('tabTitle', { owner })}
        description={t(`description.${source.kind}`, { owner })}
        actions={endpoints && endpoints.length > 0 && createButton}
      />
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      {endpoints?.length === 0 && (
        <EmptyState
          icon={<IconWebhook size={32} stroke={1.5} aria-hidden />}
          title={t('none.title')}
          action={createButton}
        >
          {t(`none.hint.${source.kind}`)}
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
        source={source}
        endpoint={endpoints?.find(({ id }) => id === chosen)}
        onClose={() => setChosen(undefined)}
        onSecret={setShown}
      />
      <EndpointDialog
        opened={creating}
        onClose={close}
        kind={source.kind}
        onSave={async (values) => setShown(await source.create(values))}
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
