import type { ProvisioningStep } from '@atrium/core/tenants'
import { deleteInvitation } from '@atrium/db/invitations'
import {
  deleteMembership,
  finishMember,
  type MemberOutcome,
  type MemberWork,
  releaseMember,
  saveMemberOutcome,
} from '@atrium/db/member-work'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { House } from '../house.ts'
import { firstRetrySeconds, sentenceOf, stepDeadlineMs } from '../provisioning/run.ts'
import { StepRefused } from '../provisioning/steps.ts'
import { retryDelaySeconds } from '../retry-delay.ts'
import { lookDeadlineMs } from './addresses.ts'
import { filesStep } from './files-step.ts'
import { identityStep } from './identity-step.ts'
import { mailStep } from './mail-step.ts'
import { sendWelcome } from './mails.ts'
import type { OneTimePassword } from './one-time-password.ts'
import { endsWithMembership, type Step, standingOf } from './step.ts'

const steps: Readonly<Record<ProvisioningStep, Step>> = { identity: identityStep, mail: mailStep, files: filesStep }

/** Who comes in is known before having a mailbox; who goes out loses the mailbox first, and the identity last. */
function orderOf(work: MemberWork): readonly ProvisioningStep[] {
  const standing = standingOf(work)
  if (standing === 'removing') return ['mail', 'files', 'identity']
  return standing === 'shut' ? ['mail', 'identity', 'files'] : ['identity', 'mail', 'files']
}

/** What the act that begins the work brings along; a retry in a job has nothing. */
export interface Given {
  password?: OneTimePassword
  /** Steps whose systems said nothing before, for as long as a look may take: that is time of theirs. */
  silent?: readonly ProvisioningStep[]
}

/**
 * Does what is unfinished for a claimed member, one system after the other, each with its own deadline and its outcome saved the moment
 * it is known, and frees the member. A failure leaves an outcome and a time for the next try. A process that dies midway leaves a
 * lease that lapses, and the job engine goes on.
 */
export async function runMember(house: House, work: MemberWork, given: Given = {}): Promise<void> {
  const { db } = house.database
  if (work.user.invited) return endInvitationWork(house, work)
  let settled = true
  for (const step of orderOf(work)) {
    const { state } = work.steps[step]
    if (state === 'ok' || state === 'skipped') continue
    const outcome = await attempt(house, work, step, given)
    await saveMemberOutcome(db, work, step, outcome)
    house.log.info(
      { tenant: work.tenant.slug, userId: work.user.id, step, state: outcome.state, error: outcome.error },
      'member step ended',
    )
    if (outcome.state === 'error') settled = false
  }
  if (settled && work.status === 'removing') return deleteMembership(db, work, endsWithMembership(work))
  const delay = retryDelaySeconds(work.attempt + 1, firstRetrySeconds)
  const { retryInSeconds } = await db.transaction().execute(async (trx) => {
    const finished = await finishMember(trx, work, delay)
    if (finished.settled && work.status === 'provisioning') await sendWelcome(house, trx, work)
    return finished
  })
  if (retryInSeconds !== undefined) await house.jobs.wakeMember(work.tenant.id, work.user.id, retryInSeconds)
}

/** Outside there is nothing of an invitation, and what has its address there is somebody else's. */
async function endInvitationWork(house: House, work: MemberWork): Promise<void> {
  const { db } = house.database
  if (work.status === 'removing') await db.transaction().execute((trx) => deleteInvitation(trx, work.user.id))
  else await releaseMember(db, work)
}

async function attempt(house: House, work: MemberWork, step: ProvisioningStep, given: Given): Promise<MemberOutcome> {
  const deadlineMs = given.silent?.includes(step) ? stepDeadlineMs - lookDeadlineMs : stepDeadlineMs
  const signal = AbortSignal.timeout(deadlineMs)
  try {
    return { state: await steps[step]({ house, work, ...given, signal }) }
  } catch (error) {
    if (!(error instanceof UpstreamError || error instanceof StepRefused) && !signal.aborted) {
      house.log.error({ err: error, tenant: work.tenant.slug, userId: work.user.id, step }, 'a member step failed in an unforeseen way')
    }
    return { state: 'error', error: sentenceOf(error, signal, deadlineMs) }
  }
}
