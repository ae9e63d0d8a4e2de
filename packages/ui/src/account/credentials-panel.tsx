import type { OwnSecondFactor, OwnSecondFactors } from '@atrium/core/account/second-factors'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import {
  IconDeviceMobile,
  IconFingerprint,
  IconInfoCircle,
  IconKey,
  IconLifebuoy,
} from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { QueryState } from '../data-states.tsx'
import { translations } from '../messages.ts'
import { Panel } from '../panel.tsx'
import { type Column, ResponsiveTable } from '../responsive-table.tsx'
import { Time } from '../time.tsx'

const t = translations('ui.account')

const pages = [
  { page: 'password', Icon: IconKey },
  { page: 'passkey', Icon: IconFingerprint },
  { page: 'code-app', Icon: IconDeviceMobile },
  { page: 'recovery-codes', Icon: IconLifebuoy },
] as const

/**
 * What a person signs in with. It is changed on the identity provider's own pages, which lead back
 * here.
 */
export function CredentialsPanel({ query }: { query: UseQueryResult<OwnSecondFactors, unknown> }) {
  const held = query.data
  return (
    <Panel title={t('credentials.title')} description={t('credentials.description')}>
      <Stack gap="lg">
        <Group gap="xs">
          {pages.map(({ page, Icon }) => (
            <Button
              key={page}
              component="a"
              href={`/auth/account/${page}`}
              variant="default"
              leftSection={<Icon size={17} aria-hidden />}
            >
              {t(`credentials.pages.${page}`)}
            </Button>
          ))}
        </Group>
        <QueryState
          query={query}
          loading={t('credentials.loading')}
          failed={t('credentials.loadFailed')}
          rows={2}
        />
        {held && !query.error && <SecondFactors held={held} />}
      </Stack>
    </Panel>
  )
}

function SecondFactors({ held: { items, reason } }: { held: OwnSecondFactors }) {
  if (items === null)
    return (
      <Alert variant="light" color="yellow" icon={<IconInfoCircle aria-hidden />}>
        {t('credentials.failed', { reason: reason ?? '' })}
      </Alert>
    )
  if (items.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('credentials.none')}
      </Text>
    )
  return (
    <ResponsiveTable
      caption={t('credentials.caption')}
      columns={columns()}
      rows={items}
      rowKey={(item) => `${item.kind} ${item.name} ${item.createdAt}`}
    />
  )
}

const columns = (): readonly Column<OwnSecondFactor>[] => [
  {
    key: 'kind',
    header: t('credentials.columns.kind'),
    primary: true,
    cell: ({ kind }) => kindLabel(kind),
  },
  { key: 'name', header: t('credentials.columns.name'), cell: ({ name }) => name },
  {
    key: 'created',
    header: t('credentials.columns.created'),
    cell: ({ createdAt }) => <Time at={createdAt} show="absolute" />,
  },
  {
    key: 'used',
    header: t('credentials.columns.used'),
    cell: ({ lastUsedAt }) =>
      lastUsedAt === null ? t('credentials.never') : <Time at={lastUsedAt} />,
  },
]

const kinds = ['totp', 'webauthn', 'sms', 'email', 'duo', 'static'] as const

function kindLabel(kind: string): string {
  const known = kinds.find((one) => one === kind)
  return known ? t(`credentials.kinds.${known}`) : t('credentials.kinds.other')
}
