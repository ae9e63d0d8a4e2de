import { failureText } from '@atrium/core/platform/failure-text'
import {
  type DomainMailState,
  type DomainRow,
  endMailDomainRemoval,
  requestMailDomainRemoval,
  saveDomainMailState,
} from '@atrium/db/mail/domains'
import type { MailServer } from '@atrium/integrations/mail/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../../rpc/services.ts'
import { followNames } from './follow-name.ts'
import { isProven, placeInMailServer, waitingName } from './mail-place.ts'
import { hasMail } from './view.ts'

const orphanMs = 8_000

/** Where the mail server sends aggregate reports, in the server's format. */
export function reportAddress(rua: string | null): string | null {
  return rua === null ? null : `mailto:${rua}`
}

/**
 * Syncs the mail server with the domain: creates it where it is missing, sets the report address,
 * and reads the records to publish. Never throws for the mail server: a failure is saved as
 * `mailError`, and the next check retries. Returns the row afterwards.
 */
export async function syncWithMailServer(
  services: Services,
  row: DomainRow,
  deadlineMs: number,
): Promise<DomainRow> {
  const { mail } = services.systems
  if (!hasMail(services) || !mail) return row
  const state: DomainMailState = {
    mailDomainId: row.mailDomainId,
    mailPendingId: row.mailPendingId,
    mailRecords: row.mailRecords,
    mailRecordsComplete: row.mailRecordsComplete,
    mailReportAddress: row.mailReportAddress,
    mailError: null,
  }
  try {
    await bringInStep(services, mail, row, state, AbortSignal.timeout(deadlineMs))
  } catch (error) {
    state.mailError = failureSentence(error)
  }
  const saved = await saveDomainMailState(services.database.db, row.id, state)
  const orphan = saved ? null : (state.mailDomainId ?? state.mailPendingId)
  if (orphan !== null) {
    await requestMailDomainRemoval(services.database.db, orphan)
    await removeFromMailServer(services, orphan)
  }
  return { ...row, ...state, mailRecords: state.mailRecords && [...state.mailRecords] }
}

/**
 * Removes a domain whose removal was requested from the mail server. What fails is retried by the
 * job that checks domains.
 */
export async function removeFromMailServer(
  services: Services,
  mailDomainId: string,
): Promise<void> {
  try {
    await services.systems.mail?.removeDomain(mailDomainId, {
      signal: AbortSignal.timeout(orphanMs),
    })
    await endMailDomainRemoval(services.database.db, mailDomainId)
  } catch (err) {
    services.log.warn({ err, mailDomainId }, 'failed to remove domain from the mail server')
  }
}

/** Writes each thing that is done into `state`, so that what was done before a failure is known. */
async function bringInStep(
  services: Services,
  mail: MailServer,
  row: DomainRow,
  state: DomainMailState,
  signal: AbortSignal,
): Promise<void> {
  const place = async () => {
    const { mailDomainId, mailPendingId, created } = await placeInMailServer(
      services,
      mail,
      { ...row, ...state },
      signal,
    )
    if (created) state.mailReportAddress = null
    Object.assign(state, { mailDomainId, mailPendingId })
  }
  const inPlace =
    state.mailDomainId !== null || (state.mailPendingId !== null && !isProven(services, row))
  if (!inPlace) await place()
  if (row.mailRenameDue) await followNames(services, mail, { id: row.id }, signal)
  try {
    await readRecords(services, mail, row, state, signal)
  } catch (error) {
    // It was removed in the mail server directly: it is created again, with new keys.
    if (!(error instanceof UpstreamError) || error.kind !== 'not_found') throw error
    Object.assign(state, { mailDomainId: null, mailPendingId: null })
    await place()
    await readRecords(services, mail, row, state, signal)
  }
}

async function readRecords(
  services: Services,
  mail: MailServer,
  row: DomainRow,
  state: DomainMailState,
  signal: AbortSignal,
): Promise<void> {
  const domainId = state.mailDomainId ?? state.mailPendingId
  if (domainId === null)
    throw new Error('a domain that was placed in the mail server has no id there')
  const requested = reportAddress(row.dmarcRua)
  const savedAddress = state.mailReportAddress
  // The server's own default is postmaster of the domain, which is ours too; null was never sent to
  // it.
  if (savedAddress !== (requested ?? noReports)) {
    await mail.setReportAddress({ domainId, address: requested }, { signal })
    state.mailReportAddress = requested ?? noReports
  }
  const { records, complete } = await mail.domainRecords(domainId, { signal })
  const waiting = waitingName(services, row)
  const real = (text: string) => text.replaceAll(waiting, row.name)
  // What is to be published is for the real name, also while it waits under another one.
  state.mailRecords =
    state.mailDomainId === null
      ? records.map(({ type, name, value }) => ({ type, name: real(name), value: real(value) }))
      : records
  state.mailRecordsComplete = complete
}

/**
 * Stored in the column for "the server was set to send none", because null there means that nothing
 * was set yet.
 */
const noReports = 'none'

/** The message for people; the sentences of `UpstreamError` contain no secret. */
export function failureSentence(error: unknown): string {
  if (error instanceof UpstreamError) return error.message
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return failureText({ system: 'mail', call: 'syncDomain', kind: 'timeout' })
  throw error
}
