import { limitUse } from '@atrium/core/platform/limit-use'
import type { TenantLimit, TenantLimits } from '@atrium/core/tenants/tenant-limits'
import { Group, Progress, Text } from '@mantine/core'
import { IconAlertTriangle, IconBan } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorState, LoadingRows } from './data-states.tsx'
import { formatCount } from './format.ts'
import classes from './limit-use.module.css'
import { Panel } from './panel.tsx'
import { Time } from './time.tsx'

const spans: Readonly<Record<number, string>> = {
  60: ' per minute',
  3600: ' per hour',
  86400: ' per day',
}

/** What a limit counts, as a label: "New members per day", "Aliases for each mailbox". */
export function limitLabel({
  counts,
  seconds,
  per,
}: Pick<TenantLimit, 'counts' | 'seconds' | 'per'>): string {
  const span = seconds === null ? '' : (spans[seconds] ?? '')
  return `${counts.charAt(0).toUpperCase()}${counts.slice(1)}${span}${per === 'tenant' ? '' : ` for each ${per}`}`
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
      title="Usage and limits"
      description={description}
      actions={query.data && actions?.(query.data.items)}
    >
      {query.isPending && <LoadingRows label="Loading usage and limits" />}
      {query.isError && (
        <ErrorState
          title="Usage and limits could not be loaded."
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
          {formatCount(used)} of {formatCount(most)}
        </Text>
      </Group>
      <Progress
        value={most === 0 ? 100 : Math.min(100, (used / most) * 100)}
        color={colors[use]}
        size="sm"
        mt={4}
        aria-label={`${label}: ${formatCount(used)} of ${formatCount(most)} used`}
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
          at most {formatCount(item.most)}
        </Text>
      </Group>
      <Text size="xs" mt={4} c="dimmed">
        {item.seconds === null && 'At one time. '}Not counted here. <SetNumber item={item} />
      </Text>
    </li>
  )
}

function SetNumber({ item }: { item: Pick<TenantLimit, 'set' | 'standard'> }) {
  return item.set === null ? null : (
    <>Set for this workplace; the standard is {formatCount(item.standard)}.</>
  )
}

function LimitNote({ item }: { item: TenantLimit }) {
  const { used, most, per, resetsAt } = item
  const use = limitUse(item)
  const said = use === 'reached' ? 'Limit reached. ' : use === 'near' ? 'At least 80 % used. ' : ''
  const whose = per === 'tenant' || used === 0 ? '' : `By the ${per} who used most. `
  return (
    <>
      {said + whose}
      {resetsAt !== null ? (
        <>
          Resets <Time at={resetsAt} />.
        </>
      ) : use === 'reached' && most > 0 ? (
        'Remove one to make room.'
      ) : (
        'At one time.'
      )}{' '}
      <SetNumber item={item} />
    </>
  )
}
