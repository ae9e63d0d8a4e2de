import { setInterval } from 'node:timers'
import { stepFailureText } from '@atrium/core/platform/failure-text'
import { type ProvisioningStep, provisioningSteps } from '@atrium/core/tenants/tenants'
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
} from '@atrium/db/provisioning/provisioning'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { retryDelaySeconds } from '../platform/retry-delay.ts'
import { StepRejected } from '../platform/step-rejected.ts'
import type { Services } from '../rpc/services.ts'
import { steps } from './steps.ts'

/** How long one step may take, its retries included. */
export const stepDeadlineMs = 10_000

/** Seconds until a failed step is retried for the first time. */
export const firstRetrySeconds = 30

/**
 * Runs provisioning once. `all` runs every step again (reconcile); otherwise only what is
 * unfinished and due. The steps run side by side, each with its own deadline, and each outcome is
 * saved the moment it is known. Returns false when another run holds the tenant. A process that
 * dies midway leaves a lease that lapses, and the job engine finishes the work.
 */
export async function runProvisioning(
  services: Services,
  tenantId: string,
  which: 'all' | 'unfinished' | 'due',
): Promise<boolean> {
  const { db } = services.database
  const run = await claimProvisioning(db, tenantId)
  if (!run) return false
  const heartbeat = keepLease(services, run)
  try {
    const chosen = chooseSteps(run, which)
    await Promise.all(chosen.map((step) => runStep(services, run, step)))
  } finally {
    clearInterval(heartbeat)
    await finishProvisioning(db, run)
  }
  const due = await secondsUntilDue(db, tenantId)
  if (due !== undefined) await services.jobs.enqueueProvisioning(tenantId, due)
  return true
}

function chooseSteps(
  run: ProvisioningRun,
  which: 'all' | 'unfinished' | 'due',
): ProvisioningStep[] {
  if (which === 'all') return [...provisioningSteps]
  return run.steps
    .filter(({ step }) => run.tenant.status !== 'deleted' || step === 'files')
    .filter(
      (step) =>
        step.state === 'pending' ||
        (step.state === 'error' && (which === 'unfinished' || step.due)),
    )
    .map((step) => step.step)
}

function keepLease(services: Services, run: ProvisioningRun): NodeJS.Timeout {
  return setInterval(
    () => {
      extendLease(services.database.db, run.tenant.id, run.run).catch((err: unknown) =>
        services.log.warn({ err, tenant: run.tenant.slug }, 'failed to extend provisioning lease'),
      )
    },
    (leaseSeconds * 1000) / 3,
  ).unref()
}

async function runStep(
  services: Services,
  run: ProvisioningRun,
  step: ProvisioningStep,
): Promise<void> {
  const { db } = services.database
  await markStepStarted(db, run, step)
  const outcome = await attempt(services, run, step)
  const saved = await saveStepOutcome(db, run, step, outcome)
  services.metrics.provisioningSteps.inc({ step, state: outcome.state })
  services.log.info(
    { tenant: run.tenant.slug, step, state: outcome.state, error: outcome.error, saved },
    'provisioning step ended',
  )
}

async function attempt(
  services: Services,
  run: ProvisioningRun,
  step: ProvisioningStep,
): Promise<StepOutcome> {
  const signal = AbortSignal.timeout(stepDeadlineMs)
  const tries = run.steps.find((row) => row.step === step)?.attempt ?? 0
  try {
    return await steps[step](services, run, signal)
  } catch (error) {
    if (!(error instanceof UpstreamError || error instanceof StepRejected) && !signal.aborted) {
      services.log.error(
        { err: error, tenant: run.tenant.slug, step },
        'unexpected error in a provisioning step',
      )
    }
    return {
      state: 'error',
      error: sentenceOf(error, signal),
      retryInSeconds: retryDelaySeconds(tries + 1, firstRetrySeconds),
    }
  }
}

/** Only sentences of our own reach the tenant: an unforeseen error's text may hold anything. */
export function sentenceOf(
  error: unknown,
  signal: AbortSignal,
  deadlineMs = stepDeadlineMs,
): string {
  if (error instanceof UpstreamError || error instanceof StepRejected) return error.message
  if (signal.aborted) return stepFailureText('stepDeadline', deadlineMs / 1000)
  return stepFailureText('unforeseen')
}
