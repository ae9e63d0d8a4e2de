import type { ServiceTokenKind } from '@atrium/core/service-tokens/scopes'
import type {
  CreatedServiceToken,
  CreateServiceToken,
  RotateServiceToken,
  ServiceTokenPage,
  ServiceTokenView,
} from '@atrium/core/service-tokens/service-tokens'
import { Box, Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconRobot } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { EmptyState } from '../data-states.tsx'
import { translations } from '../messages.ts'
import { PageHeader } from '../page-header.tsx'
import { PagedTable } from '../paged-table.tsx'
import type { Column } from '../responsive-table.tsx'
import { SecretReveal } from '../secret-reveal.tsx'
import { StatusBadge } from '../status-badge.tsx'
import { Time } from '../time.tsx'
import type { Tone } from '../tones.ts'
import { CreateToken, type ProposedToken } from './create-token.tsx'
import { RevokeToken, RotateToken } from './token-actions.tsx'

const t = translations('ui.service-tokens')

export interface TokenActions {
  create: (token: CreateServiceToken) => Promise<CreatedServiceToken>
  rotate: (rotation: RotateServiceToken) => Promise<CreatedServiceToken>
  revoke: (id: string) => Promise<unknown>
}

interface Props {
  kind: ServiceTokenKind
  /** Whom the tokens act for; undefined for the platform. */
  owner?: string
  query: UseQueryResult<ServiceTokenPage, unknown>
  cursors: string | undefined
  onCursors: (cursors: string | undefined) => void
  actions: TokenActions
  /** What stands below the list; `create` opens the form with these values. */
  further?: (create: (proposed: ProposedToken) => void) => ReactNode
}

/** The page about the service tokens of a workplace, a partner or the platform. */
export function TokenList({ kind, owner, query, cursors, onCursors, actions, further }: Props) {
  const [creating, { open, close }] = useDisclosure(false)
  const [proposed, setProposed] = useState<ProposedToken>()
  const create = (token?: ProposedToken) => {
    setProposed(token)
    open()
  }
  const [shown, setShown] = useState<CreatedServiceToken>()
  const createButton = (
    <Button leftSection={<IconPlus size={17} aria-hidden />} onClick={() => create()}>
      {t('create.open')}
    </Button>
  )
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={owner === undefined ? t('title') : t('tabTitle', { owner })}
        description={owner === undefined ? t('ofPlatform') : t('description', { owner })}
        actions={query.data && query.data.items.length > 0 && createButton}
      />
      <PagedTable
        of={t('items')}
        found={query}
        columns={columnsWith(actions, setShown)}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={<IconRobot size={32} stroke={1.5} aria-hidden />}
            title={t('none.title')}
            action={createButton}
          >
            {t('none.hint')}
          </EmptyState>
        }
        cursors={cursors}
        onCursorHistory={onCursors}
      />
      {further && <Box mt="xl">{further(create)}</Box>}
      <CreateToken
        kind={kind}
        proposed={proposed}
        opened={creating}
        onClose={close}
        onCreate={actions.create}
        onCreated={setShown}
      />
      <SecretReveal
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={t('shown.title', { name: shown?.name ?? '' })}
        label={t('shown.label')}
        secret={shown?.token ?? ''}
      >
        {t('shown.hint')}
      </SecretReveal>
    </>
  )
}

const tones: Readonly<Record<ServiceTokenView['state'], Tone>> = {
  active: 'good',
  expired: 'warning',
  revoked: 'neutral',
}

function columnsWith(
  { rotate, revoke }: TokenActions,
  onShown: (token: CreatedServiceToken) => void,
): Column<ServiceTokenView>[] {
  return [
    { key: 'name', header: t('columns.name'), primary: true, cell: (token) => <Name {...token} /> },
    {
      key: 'state',
      header: t('columns.state'),
      cell: ({ state }) => <StatusBadge label={t(`states.${state}`)} tone={tones[state]} />,
    },
    { key: 'scopes', header: t('columns.scopes'), cell: ({ scopes }) => scopes.join(', ') },
    { key: 'use', header: t('columns.lastUse'), cell: (token) => <LastUse {...token} /> },
    { key: 'end', header: t('columns.end'), cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      key: 'actions',
      header: t('columns.actions'),
      hideHeader: true,
      align: 'end',
      cell: (token) =>
        token.state !== 'revoked' && (
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            {token.state === 'active' && (
              <RotateToken token={token} onRotate={rotate} onRotated={onShown} />
            )}
            <RevokeToken token={token} onRevoke={revoke} />
          </Group>
        ),
    },
  ]
}

function Name({ name, createdBy, networks, previousEndsAt }: ServiceTokenView) {
  return (
    <>
      <Text size="sm" fw={550}>
        {name}
      </Text>
      <Text size="xs" c="dimmed">
        {createdBy === null ? t('creatorGone') : t('createdBy', { person: createdBy })}
      </Text>
      {networks.length > 0 && (
        <Text size="xs" c="dimmed">
          {t('onlyFrom', { networks: networks.join(', ') })}
        </Text>
      )}
      {previousEndsAt !== null && (
        <Text size="xs" c="dimmed">
          {t('overlap')} <Time at={previousEndsAt} />
        </Text>
      )}
    </>
  )
}

function LastUse({ lastUse }: ServiceTokenView) {
  if (lastUse === null) return <>{t('neverUsed')}</>
  return (
    <>
      <Time at={lastUse.at} />
      <Text size="xs" c="dimmed">
        {lastUse.procedure}
        {lastUse.ip !== null && ` · ${lastUse.ip}`}
      </Text>
    </>
  )
}
