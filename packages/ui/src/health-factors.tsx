import type { HealthSignal } from '@atrium/core/health-scores/health'
import type { TenantHealth } from '@atrium/core/tenants/tenants'
import { Text } from '@mantine/core'
import classes from './health-factors.module.css'
import { translations } from './messages.ts'
import { ToneIcon } from './status-badge.tsx'
import type { Tone } from './tones.ts'

const t = translations('ui.tenants')

/** A signal as people read it; one that only a newer server knows by its own name. */
export function healthSignalName(signal: string): string {
  const key = `health.signals.${signal as HealthSignal}` as const
  return t.has(key) ? t(key) : signal
}

/** What the health of a tenant is made of, each part with its reason. */
export function HealthFactors({ factors }: Pick<TenantHealth, 'factors'>) {
  return (
    <ul className={classes.factors}>
      {factors.map(({ signal, value, hint }) => (
        <li key={signal} className={classes.factor}>
          <ToneIcon tone={toneOf(value)} size={20} />
          <div>
            <Text size="sm" fw={550}>
              {healthSignalName(signal)}
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
