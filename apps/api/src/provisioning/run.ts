import { setInterval } from 'node:timers'
import { type ProvisioningStep, provisioningSteps } from '@atrium/core/tenants'
import {
  claimProvisioning,
  extendLease,
  finishProvisioning,
  leaseSeconds,
  markStepStarted,
  type ProvisioningRun,
  type StepOutcome,
  saveStepOutcome,
  secondsUntilDue,
} from '@atrium/db/provisioning'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { House } from '../house.ts'
import { retryDelaySeconds } from '../retry-delay.ts'
import { StepRefused, steps } from './steps.ts'

/** How long one step may take, its retries included. */
export const stepDeadlineMs = 10_000

/** Seconds until a failed step is tried again for the first time. */
export const firstRetrySeconds = 30

/**
 * Runs provisioning once. `all` runs every step again (reconcile); otherwise only what is unfinished and due. The steps run side
 * by side, each with its own deadline, and each outcome is saved the moment it is known. Answers false when another run holds the
 * tenant. A process that dies midway leaves a lease that lapses, and the job engine finishes the work.
 */
export async function runProvisioning(house: House, tenantId: string, which: 'all' | 'unfinished' | 'due'): Promise<boolean> {
  const { db } = house.database
  const run = await claimProvisioning(db, tenantId)
  if (!run) return false
  const heartbeat = keepLease(house, run)
  try {
    const chosen = run.tenant.status === 'deleted' ? [] : chooseSteps(run, which)
    await Promise.all(chosen.map((step) => runStep(house, run, step)))
  } finally {
    clearInterval(heartbeat)
    await finishProvisioning(db, run)
  }
  const due = await secondsUntilDue(db, tenantId)
  if (due !== undefined) await house.jobs.wakeProvisioning(tenantId, due)
  return true
}

function chooseSteps(run: ProvisioningRun, which: 'all' | 'unfinished' | 'due'): ProvisioningStep[] {
  if (which === 'all') return [...provisioningSteps]
  return run.steps
    .filter((step) => step.state === 'pending' || (step.state === 'error' && (which === 'unfinished' || step.due)))
    .map((step) => step.step)
}

function keepLease(house: House, run: ProvisioningRun): NodeJS.Timeout {
  return setInterval(
    () => {
      extendLease(house.database.db, run.tenant.id, run.run).catch((err: unknown) =>
        house.log.warn({ err, tenant: run.tenant.slug }, 'a provisioning lease could not be extended'),
      )
    },
    (leaseSeconds * 1000) / 3,
  ).unref()
}

async function runStep(house: House, run: ProvisioningRun, step: ProvisioningStep): Promise<void> {
  const { db } = house.database
  await markStepStarted(db, run, step)
  const outcome = await attempt(house, run, step)
  const saved = await saveStepOutcome(db, run, step, outcome)
  house.metrics.provisioningSteps.inc({ step, state: outcome.state })
  house.log.info({ tenant: run.tenant.slug, step, state: outcome.state, error: outcome.error, saved }, 'provisioning step ended')
}

async function attempt(house: House, run: ProvisioningRun, step: ProvisioningStep): Promise<StepOutcome> {
  const signal = AbortSignal.timeout(stepDeadlineMs)
  const tries = run.steps.find((row) => row.step === step)?.attempt ?? 0
  try {
    return await steps[step](house, run, signal)
  } catch (error) {
    if (!(error instanceof UpstreamError || error instanceof StepRefused) && !signal.aborted) {
      house.log.error({ err: error, tenant: run.tenant.slug, step }, 'a provisioning step failed in an unforeseen way')
    }
    return { state: 'error', error: sentenceOf(error, signal), retryInSeconds: retryDelaySeconds(tries + 1, firstRetrySeconds) }
  }
}

/** Only sentences of our own reach the tenant: an unforeseen error's text may hold anything. */
export function sentenceOf(error: unknown, signal: AbortSignal, deadlineMs = stepDeadlineMs): string {
  if (error instanceof UpstreamError || error instanceof StepRefused) return error.message
  if (signal.aborted) return `The step did not end within ${deadlineMs / 1000} seconds.`
  return 'The step failed in an unforeseen way. The log of the service has the details.'
}
