import type { TenantHealth } from '@atrium/core/tenants'
import { Panel } from '@atrium/ui/panel'
import { HealthBadge, ToneIcon } from '@atrium/ui/status-badge'
import type { Tone } from '@atrium/ui/tones'
import { Text } from '@mantine/core'
import classes from './overview.module.css'

const names: Readonly<Record<string, string>> = { provisioning: 'Services', seatUse: 'Use of seats' }

/** Health of a workplace and what it is made of. */
export function HealthPanel({ health }: { health: TenantHealth }) {
  return (
    <Panel title="Health" actions={<HealthBadge health={health} />}>
      {health.factors.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing has been measured yet.
        </Text>
      ) : (
        <ul className={classes.factors}>
          {health.factors.map(({ signal, value, hint }) => (
            <li key={signal} className={classes.factor}>
              <ToneIcon tone={toneOf(value)} size={20} />
              <div>
                <Text size="sm" fw={550}>
                  {names[signal] ?? signal}
                </Text>
                <Text size="sm" c="dimmed">
                  {hint}
                </Text>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

/** 1 good, 0.5 fair, 0 poor. */
function toneOf(value: number): Tone {
  return value >= 1 ? 'good' : value > 0 ? 'warning' : 'bad'
}
