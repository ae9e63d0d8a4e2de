import type { ProvisioningStep } from '@atrium/core/tenants/tenants'
import {
  deleteMembership,
  type EndedStep,
  finishMember,
  type MemberOutcome,
  type MemberWork,
  noteMemberFacts,
  saveMemberOutcomes,
} from '@atrium/db/members/member-work'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { retryDelaySeconds } from '../platform/retry-delay.ts'
import { StepRejected } from '../platform/step-rejected.ts'
import { firstRetrySeconds, sentenceOf, stepDeadlineMs } from '../provisioning/run.ts'
import type { Services } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { lookupDeadlineMs } from './addresses.ts'
import { filesStep } from './files-step.ts'
import { identityStep } from './identity-step.ts'
import { mailStep } from './mail-step.ts'
import { sendWelcome } from './mails.ts'
import type { OneTimePassword } from './one-time-password.ts'
import { endsWithMembership, type Step, standingOf } from './step.ts'

const steps: Readonly<Record<ProvisioningStep, Step>> = {
  identity: identityStep,
  mail: mailStep,
  files: filesStep,
}

/** A member gets the identity first; one who leaves loses the mailbox first, the identity last. */
function orderOf(work: MemberWork): readonly ProvisioningStep[] {
  const standing = standingOf(work)
  if (standing === 'removing') return ['mail', 'files', 'identity']
  return standing === 'shut' ? ['mail', 'identity', 'files'] : ['identity', 'mail', 'files']
}

/** What the call that begins the work adds. A retry by a job adds nothing. */
export interface RunInput {
  password?: OneTimePassword
  /**
   * Steps whose systems did not respond to a lookup just before: their deadline is shorter by it.
   */
  silent?: readonly ProvisioningStep[]
  /** See `StepCall`. */
  fresh?: boolean
  /** See `StepCall`. */
  renewsPassword?: boolean
}

/**
 * Does what is unfinished for a claimed member, one system after the other, each with its own
 * deadline, saves each outcome at once, and frees the member. A failure leaves an outcome and a
 * time for the next try. When the process dies, its lease expires, and a job continues.
 */
export async function runMember(
  services: Services,
  work: MemberWork,
  provided: RunInput = {},
): Promise<void> {
  const { db } = services.database
  const removing = work.status === 'removing'
  const due = orderOf(work).filter((step) => !['ok', 'skipped'].includes(work.steps[step].state))
  let settled = true
  let ended: EndedStep[] = []
  const outcomes = new Map<ProvisioningStep, MemberOutcome['state']>()
  for (const step of due) {
    const outcome = await attempt(services, work, step, provided)
    outcomes.set(step, outcome.state)
    ended.push({ step, outcome })
    if (!isSavedLater(step, due, provided) || removing) {
      await saveMemberOutcomes(db, work, ended)
      ended = []
    }
    services.log.info(
      {
        tenant: work.tenant.slug,
        userId: work.user.id,
        step,
        state: outcome.state,
        error: outcome.error,
      },
      'member step ended',
    )
    if (outcome.state === 'error') settled = false
  }
  if (settled && removing)
    return tenantTransaction(services, work.tenant.id, (trx) =>
      deleteMembership(trx, work, endsWithMembership(work)),
    )
  if (provided.renewsPassword && outcomes.get('identity') === 'ok')
    noteMemberFacts(work, { needs_password: outcomes.get('mail') === 'error' })
  const delay = retryDelaySeconds(work.attempt + 1, firstRetrySeconds)
  const { retryInSeconds } = await db.transaction().execute(async (trx) => {
    const finished = await finishMember(trx, work, delay, ended)
    if (finished.settled && work.status === 'provisioning' && work.tenant.access === 'open')
      await sendWelcome(services, trx, work)
    return finished
  })
  if (retryInSeconds !== undefined)
    await services.jobs.enqueueMember(work.tenant.id, work.user.id, retryInSeconds)
}

/**
 * The result of the last step is saved with the end of the work. That of a new record's identity is
 * saved with the next step's: no one can sign in to it before its password is shown, and after a
 * crash the recorded identity is activated again.
 */
function isSavedLater(
  step: ProvisioningStep,
  due: readonly ProvisioningStep[],
  { fresh }: RunInput,
): boolean {
  return step === due.at(-1) || (fresh === true && step === 'identity')
}

async function attempt(
  services: Services,
  work: MemberWork,
  step: ProvisioningStep,
  provided: RunInput,
): Promise<MemberOutcome> {
  const deadlineMs = provided.silent?.includes(step)
    ? stepDeadlineMs - lookupDeadlineMs
    : stepDeadlineMs
  const signal = AbortSignal.timeout(deadlineMs)
  try {
    return { state: await steps[step]({ services, work, ...provided, signal }) }
  } catch (error) {
    if (!(error instanceof UpstreamError || error instanceof StepRejected) && !signal.aborted) {
      services.log.error(
        { err: error, tenant: work.tenant.slug, userId: work.user.id, step },
        'unexpected error in a member step',
      )
    }
    return { state: 'error', error: sentenceOf(error, signal, deadlineMs) }
  }
}
