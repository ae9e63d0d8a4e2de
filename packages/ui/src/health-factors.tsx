import type { HealthSignal } from '@atrium/core/health-scores/health'
import { ownValue } from '@atrium/core/platform/own-value'
import type { TenantHealth } from '@atrium/core/tenants/tenants'
import { Text } from '@mantine/core'
import classes from './health-factors.module.css'
import { ToneIcon } from './status-badge.tsx'
import type { Tone } from './tones.ts'

export const healthSignalNames: Readonly<Record<HealthSignal, string>> = {
  payment: 'Payment',
  seatUse: 'Use of seats',
  activity: 'Activity',
  provisioning: 'Services',
  mailTrust: 'Mail records',
  security: 'Second factors',
}
const names: Readonly<Record<string, string>> = healthSignalNames

/** What the health of a tenant is made of, each part with its reason. */
export function HealthFactors({ factors }: Pick<TenantHealth, 'factors'>) {
  return (
    <ul className={classes.factors}>
      {factors.map(({ signal, value, hint }) => (
        <li key={signal} className={classes.factor}>
          <ToneIcon tone={toneOf(value)} size={20} />
          <div>
            <Text size="sm" fw={550}>
              {ownValue(names, signal) ?? signal}
            </Text>
            <Text size="sm" c="dimmed">
              {hint}
            </Text>
          </div>
        </li>
      ))}
    </ul>
  )
}

/** 1 good, 0.5 fair, 0 poor. */
function toneOf(value: number): Tone {
  return value >= 1 ? 'good' : value > 0 ? 'warning' : 'bad'
}
