import { provisioningSteps } from '@atrium/core/provisioning/provisioning'
import type {
  ProvisioningStatus,
  ProvisioningStep,
  TenantEvent,
  TenantStatus,
} from '@atrium/core/tenants/tenants'
import { Text, VisuallyHidden } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { IconFolders, IconKey, IconMailbox, type TablerIcon } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { FailureText } from './failure-text.tsx'
import { formatElapsed } from './format.ts'
import { translations } from './messages.ts'
import classes from './provisioning-steps.module.css'
import { StatusBadge } from './status-badge.tsx'
import { Time } from './time.tsx'
import { stepMeta } from './tones.ts'

const t = translations('ui.tenants')
const labels = translations('ui.labels')

const icons: Readonly<Record<ProvisioningStep, TablerIcon>> = {
  identity: IconKey,
  mail: IconMailbox,
  files: IconFolders,
}

type Progress = Pick<
  TenantEvent,
  'status' | 'provisioningStatus' | 'provisioningErrors' | 'provisioningAttempts' | 'running'
>

/** The three steps of provisioning: purpose, state, message of a failure, and running time. */
export function ProvisioningSteps({ progress }: { progress: Progress }) {
  const {
    provisioningStatus: states,
    provisioningErrors: errors,
    provisioningAttempts: attempts,
    running,
  } = progress
  const elapsed = useElapsed(states, running)
  return (
    <>
      <ol className={classes.steps} aria-label={t('provisioning.title')}>
        {provisioningSteps.map((step) => {
          const meta = stepMeta(states[step], running)
          const time = elapsed[step]
          const Icon = icons[step]
          return (
            <li key={step} className={classes.step} data-tone={meta.tone}>
              <Icon size={26} stroke={1.5} aria-hidden className={classes.icon} />
              <div className={classes.text}>
                <Text fw={550}>{labels(`provisioning.${step}`)}</Text>
                <Text size="sm" c="dimmed">
                  {t(`provisioning.steps.${step}`)}
                </Text>
                {errors[step] && states[step] === 'error' && (
                  <Text size="sm" className={classes.error} component="div">
                    <FailureText text={errors[step]} />
                  </Text>
                )}
                {states[step] === 'error' && <NextTry {...attempts[step]} />}
              </div>
              <div className={classes.state}>
                <StatusBadge {...meta} />
                {time !== undefined && (
                  <Text size="xs" c="dimmed" className={classes.elapsed}>
                    {formatElapsed(time)}
                  </Text>
                )}
              </div>
            </li>
          )
        })}
      </ol>
      <VisuallyHidden role="status" aria-live="polite">
        {announce(progress)}
      </VisuallyHidden>
    </>
  )
}

function NextTry({ attempt, nextAt }: TenantEvent['provisioningAttempts'][ProvisioningStep]) {
  if (attempt === 0) return null
  return (
    <Text size="xs" c="dimmed">
      {t('provisioning.tried', { count: attempt })}
      {nextAt !== null && (
        <> {t.rich('provisioning.nextTry', { time: () => <Time at={nextAt} /> })}</>
      )}
    </Text>
  )
}

/** One sentence for the whole, said again whenever it changes. */
export function announce({
  status,
  provisioningStatus,
  running,
}: Omit<Progress, 'provisioningErrors' | 'provisioningAttempts'>): string {
  const steps = provisioningSteps.map((step) =>
    t('provisioning.step', {
      name: labels(`provisioning.${step}`),
      state: stepMeta(provisioningStatus[step], running).label.toLocaleLowerCase(),
    }),
  )
  return t('provisioning.announcement', {
    whole: whole(status, provisioningStatus, running),
    steps: steps.join(', '),
  })
}

function whole(status: TenantStatus, states: ProvisioningStatus, running: boolean): string {
  if (status === 'active') return t('provisioning.ready')
  if (running) return t('provisioning.settingUp')
  return provisioningSteps.some((step) => states[step] === 'error')
    ? t('provisioning.failed')
    : t('provisioning.waiting')
}

type Elapsed = Partial<Record<ProvisioningStep, number>>

/**
 * Time each step has worked in the run being watched; it stops when the step ends. Steps that ended
 * before have none.
 */
function useElapsed(states: ProvisioningStatus, running: boolean): Elapsed {
  const [started, setStarted] = useState<Elapsed>({})
  const [ended, setEnded] = useState<Elapsed>({})
  const [now, setNow] = useState(() => Date.now())
  const working = provisioningSteps.filter((step) => running && states[step] === 'pending')
  const key = working.join()
  useInterval(() => setNow(Date.now()), 500, { autoInvoke: true })

  useEffect(() => {
    const at = Date.now()
    const active = new Set(key.split(','))
    setNow(at)
    setStarted((before) =>
      Object.fromEntries(
        provisioningSteps.flatMap((step) =>
          keep(step, active.has(step) ? (before[step] ?? at) : before[step]),
        ),
      ),
    )
    setEnded((before) =>
      Object.fromEntries(
        provisioningSteps.flatMap((step) =>
          keep(step, active.has(step) ? undefined : (before[step] ?? at)),
        ),
      ),
    )
  }, [key])

  const elapsed: Elapsed = {}
  for (const step of provisioningSteps) {
    const start = started[step]
    if (start !== undefined) elapsed[step] = (ended[step] ?? now) - start
  }
  return elapsed
}

function keep(step: ProvisioningStep, at: number | undefined): [ProvisioningStep, number][] {
  return at === undefined ? [] : [[step, at]]
}
