import { Text } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { useState } from 'react'
import { formatPreciseTime, formatRelative, formatTime } from './format.ts'

interface Props {
  /** ISO 8601 instant. */
  at: string
  /**
   * `relative` shows "3 minutes ago", `absolute` the day and minute, `both` one after the other.
   */
  show?: 'relative' | 'absolute' | 'both'
}

/**
 * A moment in the viewer's zone; its title always gives the full time. Relative text keeps up with
 * the clock.
 */
export function Time({ at, show = 'relative' }: Props) {
  const [now, setNow] = useState(() => new Date())
  useInterval(() => setNow(new Date()), 30_000, { autoInvoke: show !== 'absolute' })
  return (
    <time dateTime={at} title={formatPreciseTime(at)}>
      {show === 'relative' ? formatRelative(at, now) : formatTime(at)}
      {show === 'both' && (
        <Text span c="dimmed" inherit>
          {' '}
          ({formatRelative(at, now)})
        </Text>
      )}
    </time>
  )
}
