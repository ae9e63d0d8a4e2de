import type { OutsideSystemHealth } from '@atrium/core/system/system'
import { FailureText } from '@atrium/ui/failure-text'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import type { Tone } from '@atrium/ui/tones'
import { Text } from '@mantine/core'
import { When } from '../parts/when.tsx'
import { DaysStrip } from './days-strip.tsx'

const t = translations('operator.system')

const tones: Readonly<Record<OutsideSystemHealth['state'], Tone>> = {
  ok: 'good',
  error: 'bad',
  off: 'neutral',
  unknown: 'waiting',
}

const columns = (now: Date): readonly Column<OutsideSystemHealth>[] => [
  {
    key: 'system',
    header: t('systems.columns.system'),
    primary: true,
    cell: ({ system }) => t(`systems.names.${system}`),
  },
  {
    key: 'state',
    header: t('systems.columns.state'),
    cell: ({ state, message }) => (
      <>
        <StatusBadge label={t(`systems.states.${state}`)} tone={tones[state]} />
        {message && (
          <Text size="sm" mt={4} component="div">
            <FailureText text={message} />
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'since',
    header: t('systems.columns.since'),
    cell: ({ since }) => (since === null ? '–' : <When at={since} />),
  },
  {
    key: 'latency',
    header: t('systems.columns.responseTime'),
    cell: ({ state, latencyMs }) =>
      state === 'off' || latencyMs === null ? '–' : t('systems.milliseconds', { count: latencyMs }),
  },
  {
    key: 'lastError',
    header: t('systems.columns.lastFailure'),
    cell: ({ state, lastError }) =>
      lastError === null ? (
        t('systems.noFailure')
      ) : (
        <>
          <When at={lastError.at} />
          {state !== 'error' && (
            <Text size="xs" c="dimmed" component="div">
              <FailureText text={lastError.message} />
            </Text>
          )}
        </>
      ),
  },
  {
    key: 'days',
    header: t('systems.columns.days'),
    cell: ({ state, days }) => (state === 'off' ? '–' : <DaysStrip days={days} now={now} />),
  },
]

/**
 * The state of each upstream system as the responding API process last saw it, and the calls of all
 * processes over 90 days.
 */
export function SystemsPanel({
  systems,
  at,
}: {
  systems: readonly OutsideSystemHealth[]
  at: string
}) {
  return (
    <Panel title={t('systems.title')} description={t('systems.hint')}>
      <ResponsiveTable
        caption={t('systems.title')}
        columns={columns(new Date(at))}
        rows={systems}
        rowKey={({ system }) => system}
      />
    </Panel>
  )
}
