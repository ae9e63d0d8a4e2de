import type { PortalSession, ProviderSession } from '@atrium/core/account/sessions'
import { Button, Group, Text } from '@mantine/core'
import { translations } from '../messages.ts'
import { viewerLocale } from '../page-language.ts'
import type { Column } from '../responsive-table.tsx'
import { StatusBadge } from '../status-badge.tsx'
import { Time } from '../time.tsx'
import { deviceName } from './device-name.ts'

const t = translations('ui.account')

/** "Firefox on Linux"; for a program that is no known browser what it calls itself. */
export function deviceLabel(userAgent: string | null): string {
  if (userAgent === null) return t('devices.unknown')
  const { browser, system } = deviceName(userAgent)
  if (browser && system) return t('devices.both', { browser, system })
  return browser ?? system ?? userAgent.slice(0, 40)
}

/** Columns of the sessions of the portals. */
export function sessionColumns(
  onEnd: (session: PortalSession) => void,
): readonly Column<PortalSession>[] {
  return [
    deviceColumn(),
    {
      key: 'app',
      header: t('sessions.columns.app'),
      cell: ({ app }) => t(`sessions.apps.${app}`),
    },
    {
      key: 'address',
      header: t('sessions.columns.address'),
      breaks: true,
      cell: ({ address, country }) => <Address address={address} country={country} />,
    },
    {
      key: 'created',
      header: t('sessions.columns.created'),
      cell: ({ createdAt }) => <Time at={createdAt} show="absolute" />,
    },
    usedColumn(),
    // This session ends by signing out.
    endColumn((session) => (session.current ? undefined : () => onEnd(session))),
  ]
}

/** Columns of the sign-ins at the identity provider. */
export function signInColumns(
  onEnd: (session: ProviderSession) => void,
): readonly Column<ProviderSession>[] {
  return [
    deviceColumn(),
    {
      key: 'address',
      header: t('sessions.columns.address'),
      breaks: true,
      cell: ({ address }) => <Address address={address} country={null} />,
    },
    usedColumn(),
    endColumn((session) => () => onEnd(session)),
  ]
}

type Shown = Pick<PortalSession, 'userAgent' | 'current' | 'lastUsedAt'>

const deviceColumn = (): Column<Shown> => ({
  key: 'device',
  header: t('sessions.columns.device'),
  primary: true,
  cell: ({ userAgent, current }) => (
    <Group gap="xs" title={userAgent ?? undefined}>
      {deviceLabel(userAgent)}
      {current && <StatusBadge label={t('sessions.current')} tone="good" />}
    </Group>
  ),
})

const usedColumn = (): Column<Shown> => ({
  key: 'used',
  header: t('sessions.columns.used'),
  cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />,
})

function endColumn<Row extends Shown>(endOf: (row: Row) => (() => void) | undefined): Column<Row> {
  return {
    key: 'actions',
    header: t('sessions.columns.actions'),
    hideHeader: true,
    align: 'end',
    cell: (row) => {
      const end = endOf(row)
      const device = deviceLabel(row.userAgent)
      return (
        end && (
          <Button
            size="xs"
            variant="default"
            aria-label={t('sessions.endNamed', { device })}
            onClick={end}
          >
            {t('sessions.end')}
          </Button>
        )
      )
    },
  }
}

function Address({ address, country }: { address: string | null; country: string | null }) {
  return (
    <>
      {address ?? t('devices.unknownAddress')}
      {country && (
        <Text span inherit c="dimmed">
          {' '}
          ({new Intl.DisplayNames(viewerLocale, { type: 'region' }).of(country) ?? country})
        </Text>
      )}
    </>
  )
}
