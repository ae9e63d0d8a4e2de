import { limitUse } from '@atrium/core/platform/limit-use'
import type { TenantLimit, TenantLimits } from '@atrium/core/tenants/tenant-limits'
import { Group, Progress, Text } from '@mantine/core'
import { IconAlertTriangle, IconBan } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorState, LoadingRows } from './data-states.tsx'
import { formatCount, formatPercent } from './format.ts'
import classes from './limit-use.module.css'
import { translations } from './messages.ts'
import { Panel } from './panel.tsx'
import { Time } from './time.tsx'

const t = translations('ui.tenants')

/**
 * What a limit counts, as a label: "New members per day", "Aliases for each mailbox". One that a
 * newer server knows and this page does not is named in the server's words.
 */
export function limitLabel({ name, counts }: Pick<TenantLimit, 'name' | 'counts'>): string {
  const key = `limitNames.${name}` as 'limitNames.domains'
  return t.has(key) ? t(key) : `${counts.charAt(0).toUpperCase()}${counts.slice(1)}`
}

interface PanelProps {
  query: UseQueryResult<TenantLimits, unknown>
  description?: ReactNode
  /** What can be done with the limits once they are loaded. */
  actions?: (items: readonly TenantLimit[]) => ReactNode
}

/** "Usage and limits" of a tenant, with its states while it loads and when that fails. */
export function LimitUsePanel({ query, description, actions }: PanelProps) {
  return (
    <Panel
      title={t('limits.title')}
      description={description}
      actions={query.data && actions?.(query.data.items)}
    >
      {query.isPending && <LoadingRows label={t('limits.loading')} />}
      {query.isError && (
        <ErrorState
          title={t('limits.failed')}
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.data && <LimitUse items={query.data.items} />}
    </Panel>
  )
}

const colors = { free: 'tide', near: 'yellow', reached: 'red' } as const

/** How much of each limit is used, and when it starts again. */
function LimitUse({ items }: { items: readonly TenantLimit[] }) {
  return (
    <ul className={classes.limits}>
      {items.map((item) => (
        <LimitLine key={item.name} item={item} />
      ))}
    </ul>
  )
}

function LimitLine({ item }: { item: TenantLimit }) {
  const { used, most } = item
  const use = limitUse(item)
  const label = limitLabel(item)
  if (used === null) return <UncountedLine item={item} label={label} />
  return (
    <li>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="baseline">
        <Text size="sm">{label}</Text>
        <Text size="sm" className={classes.count}>
          {t('limits.ofMost', { used: formatCount(used), most: formatCount(most) })}
        </Text>
      </Group>
      <Progress
        value={most === 0 ? 100 : Math.min(100, (used / most) * 100)}
        color={colors[use]}
        size="sm"
        mt={4}
        aria-label={t('limits.usedOfMost', {
          label,
          used: formatCount(used),
          most: formatCount(most),
        })}
      />
      <Text size="xs" mt={4} className={classes.note} {...(use === 'free' ? { c: 'dimmed' } : {})}>
        {use === 'reached' && <IconBan size={14} aria-hidden />}
        {use === 'near' && <IconAlertTriangle size={14} aria-hidden />}
        <span>
          <LimitNote item={item} />
        </span>
      </Text>
    </li>
  )
}

/**
 * A limit whose use is counted elsewhere: at the mail server, or for a person in all workplaces
 * together.
 */
function UncountedLine({ item, label }: { item: TenantLimit; label: string }) {
  return (
    <li>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="baseline">
        <Text size="sm">{label}</Text>
        <Text size="sm" className={classes.count}>
          {t('limits.atMost', { most: formatCount(item.most) })}
        </Text>
      </Group>
      <Text size="xs" mt={4} c="dimmed">
        {t(item.seconds === null ? 'limits.notCountedAtOneTime' : 'limits.notCounted')}{' '}
        <SetNumber item={item} />
      </Text>
    </li>
  )
}

function SetNumber({ item }: { item: Pick<TenantLimit, 'set' | 'standard'> }) {
  return item.set === null ? null : t('limits.ownNumber', { standard: formatCount(item.standard) })
}

const mostUsedBy: Readonly<
  Partial<Record<TenantLimit['per'], 'byMember' | 'byMailbox' | 'byHost' | 'byPerson'>>
> = { member: 'byMember', mailbox: 'byMailbox', host: 'byHost', person: 'byPerson' }

/** One sentence after the other: how far it is used, by whom, and when that changes. */
function LimitNote({ item }: { item: TenantLimit }) {
  const { used, most, per, resetsAt } = item
  const use = limitUse(item)
  const whose = used === 0 ? undefined : mostUsedBy[per]
  return (
    <>
      {use === 'reached' && `${t('limits.reached')} `}
      {use === 'near' && `${t('limits.near', { share: formatPercent(80) })} `}
      {whose && `${t(`limits.${whose}`)} `}
      {resetsAt !== null
        ? t.rich('limits.resets', { time: () => <Time at={resetsAt} /> })
        : t(use === 'reached' && most > 0 ? 'limits.removeOne' : 'limits.atOneTime')}{' '}
      <SetNumber item={item} />
    </>
  )
}
