import { mailKeptDays, mailRetryDelay } from '@atrium/core/outbox/outbox'
import { failureText, stepFailureText } from '@atrium/core/platform/failure-text'
import {
  type ClaimedMail,
  claimMails,
  dropMail,
  eraseOldMails,
  hasDueMail,
  type MailOutcome,
  mailLeaseSeconds,
  releaseMail,
  saveMailOutcomes,
} from '@atrium/db/outbox/outbox'
import type { Mailer } from '@atrium/integrations/mailer/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../rpc/services.ts'
import { type Brandings, composeMail } from './compose.ts'
import { createOutcomeSaver, type SaveOutcome } from './outcomes.ts'

/** Mails that one process sends at once. */
const atOnce = 20
/**
 * Mails that one run has claimed, those that wait for their turn among them: the next are fetched
 * while others are sent.
 */
const claimedAtOnce = 2 * atOnce
/**
 * Less than half the lease of a mail: one that waits for the slowest before it may still take as
 * long itself.
 */
const sendDeadlineMs = 28_000
/** How old the branding may be in which a mail goes out. */
const brandingCacheMs = 1_000
/** Shorter than the time after which the job engine gives a job to another worker. */
const drainMs = 120_000

/**
 * Sends the mails that are due, each with its own outcome, saved as soon as it is known. One that
 * takes its time holds up no others. Any number of processes may do so at once. A process that dies
 * midway leaves leases that lapse; the mail is then sent again under the same Message-ID, because
 * it cannot be known whether the server took it. Without a mail server everything waits.
 */
export async function drainOutbox(services: Services): Promise<void> {
  const { mailer, mailFrom } = services.systems
  if (!mailer || mailFrom === null) return
  const { db } = services.database
  const until = performance.now() + drainMs
  const saveOutcome = createOutcomeSaver((tries) => saveMailOutcomes(db, tries))
  let [brandings, brandingsExpireAt]: [Brandings, number] = [new Map(), 0]
  const underWay = new Set<Promise<void>>()
  const failures: unknown[] = []
  const atMost = async (count: number) => {
    while (underWay.size > count) await Promise.race(underWay)
  }
  try {
    while (!services.background.ending && failures.length === 0) {
      const freeSlots = claimedAtOnce - underWay.size
      const mails = await claimMails(db, services.clock.now(), freeSlots)
      const now = performance.now()
      if (now > brandingsExpireAt)
        [brandings, brandingsExpireAt] = [new Map(), now + brandingCacheMs]
      const way: Way = {
        mailer,
        mailFrom,
        brandings,
        saveOutcome,
        letGoAt: now + mailLeaseSeconds * 1000 - sendDeadlineMs,
      }
      for (const mail of mails.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
        const sending = services.keyedLimiter
          .take(lineOf(mail), () =>
            services.keyedLimiter.take('mails', () => sendOne(services, way, mail), atOnce),
          )
          .catch((error: unknown) => void failures.push(error))
          .finally(() => underWay.delete(sending))
        underWay.add(sending)
      }
      if (mails.length < freeSlots) break
      if (now > until) {
        const [first] = mails
        if (first && (await hasDueMail(db, services.clock.now())))
          await services.jobs.enqueueOutbox(first.id, 0)
        break
      }
      await atMost(atOnce)
    }
  } finally {
    await atMost(0)
  }
  if (failures.length > 0) throw failures[0]
}

interface Way {
  mailer: Mailer
  mailFrom: string
  brandings: Brandings
  saveOutcome: SaveOutcome
  /**
   * By the clock of `performance.now()`: a mail whose turn comes later is given back, because its
   * lease may lapse while it is sent.
   */
  letGoAt: number
}

/** What one person gets about one booking comes in the order in which it happened. */
function lineOf({ id, bookingId, recipient }: ClaimedMail): string {
  return bookingId === null ? `mail ${id}` : `mails of ${bookingId} to ${recipient}`
}

async function sendOne(services: Services, way: Way, mail: ClaimedMail): Promise<void> {
  if (services.background.ending || performance.now() > way.letGoAt)
    return releaseMail(services.database.db, mail)
  const reason = await whyPointless(services, mail)
  if (reason !== undefined) {
    await dropMail(services.database.db, mail)
    services.metrics.mails.inc({ template: mail.template, outcome: 'dropped' })
    services.log.info({ mailId: mail.id, template: mail.template, reason }, 'mail dropped')
    return
  }
  const outcome = await attempt(services, way, mail)
  const now = services.clock.now()
  const saved = await way.saveOutcome({ mail, outcome, now })
  const state = 'sent' in outcome ? 'sent' : outcome.nextAt === null ? 'gave_up' : 'failed'
  services.metrics.mails.inc({ template: mail.template, outcome: state })
  const facts = {
    mailId: mail.id,
    template: mail.template,
    state,
    attempt: mail.attempts,
    saved,
    ...('error' in outcome ? { error: outcome.error } : {}),
  }
  if (state === 'gave_up') services.log.error(facts, 'mail failed permanently')
  else services.log.info(facts, 'mail delivery attempted')
  if ('error' in outcome && outcome.nextAt !== null) {
    await services.jobs.enqueueOutbox(mail.id, (outcome.nextAt.getTime() - now.getTime()) / 1000)
  }
}

async function whyPointless(services: Services, mail: ClaimedMail): Promise<string | undefined> {
  for (const kind of services.mailKinds) {
    const reason = await kind.whyPointless(services, mail)
    if (reason !== undefined) return reason
  }
  return undefined
}

async function attempt(
  services: Services,
  { mailer, mailFrom, brandings }: Way,
  mail: ClaimedMail,
): Promise<MailOutcome> {
  const signal = AbortSignal.timeout(sendDeadlineMs)
  try {
    const message = await composeMail(services, mail, mailFrom, brandings)
    await mailer.send(message, { signal })
    return { sent: true }
  } catch (error) {
    return {
      error: reasonOf(services, mail, error, signal),
      nextAt: isFinal(error) ? null : nextTry(services, mail),
    }
  }
}

/**
 * A permanent no of the mail server (RFC 5321 section 4.2.1) stays one: to repeat the message only
 * costs reputation.
 */
function isFinal(error: unknown): boolean {
  return error instanceof UpstreamError && error.kind === 'refused'
}

function nextTry(services: Services, mail: ClaimedMail): Date | null {
  const seconds = mailRetryDelay(mail.attempts)
  return seconds === undefined ? null : new Date(services.clock.now().getTime() + seconds * 1000)
}

function reasonOf(
  services: Services,
  mail: ClaimedMail,
  error: unknown,
  signal: AbortSignal,
): string {
  if (error instanceof UpstreamError) return error.message
  if (signal.aborted)
    return failureText({
      system: 'smtp',
      call: 'send',
      kind: 'timeout',
      seconds: sendDeadlineMs / 1000,
    })
  services.log.error(
    { err: error, mailId: mail.id, template: mail.template },
    'unexpected error while sending a mail',
  )
  return stepFailureText('unforeseen')
}

/** Erases to whom and with which values mails went that have been over for thirty days. */
export async function eraseMails(services: Services): Promise<void> {
  const before = new Date(services.clock.now().getTime() - mailKeptDays * 86_400_000)
  const erased = await eraseOldMails(services.database.db, before)
  if (erased > 0) services.log.info({ count: erased }, 'erased recipients and values of old mails')
}
