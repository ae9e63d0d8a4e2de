import {
  type DomainMailState,
  type DomainRow,
  endMailDomainRemoval,
  requestMailDomainRemoval,
  saveDomainMailState,
} from '@atrium/db/domains'
import type { MailServer } from '@atrium/integrations/mail/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { House } from '../house.ts'
import { isProven, placeInMailServer, waitingName } from './mail-place.ts'
import { hasMail } from './view.ts'

const orphanMs = 8_000

/** Where the mail server sends aggregate reports, as it wants to be told. */
export function reportAddress(rua: string | null): string | null {
  return rua === null ? null : `mailto:${rua}`
}

/**
 * Brings the mail server in step with the domain: creates it where it is missing, tells it the report address, reads what it wants
 * published. Never throws for the mail server: what failed is saved as `mailError`, and the next check tries again. Answers the row
 * as it is afterwards.
 */
export async function syncWithMailServer(house: House, row: DomainRow, deadlineMs: number): Promise<DomainRow> {
  const { mail } = house.systems
  if (!hasMail(house) || !mail) return row
  const state: DomainMailState = {
    mailDomainId: row.mailDomainId,
    mailPendingId: row.mailPendingId,
    mailRecords: row.mailRecords,
    mailRecordsComplete: row.mailRecordsComplete,
    mailReportAddress: row.mailReportAddress,
    mailError: null,
  }
  try {
    await bringInStep(house, mail, row, state, AbortSignal.timeout(deadlineMs))
  } catch (error) {
    state.mailError = failureSentence(error)
  }
  const saved = await saveDomainMailState(house.database.db, row.id, state)
  const orphan = saved ? null : (state.mailDomainId ?? state.mailPendingId)
  if (orphan !== null) {
    await requestMailDomainRemoval(house.database.db, orphan)
    await removeFromMailServer(house, orphan)
  }
  return { ...row, ...state, mailRecords: state.mailRecords && [...state.mailRecords] }
}

/** Removes a domain whose removal was requested from the mail server. What fails is tried again by the job that checks domains. */
export async function removeFromMailServer(house: House, mailDomainId: string): Promise<void> {
  try {
    await house.systems.mail?.removeDomain(mailDomainId, { signal: AbortSignal.timeout(orphanMs) })
    await endMailDomainRemoval(house.database.db, mailDomainId)
  } catch (err) {
    house.log.warn({ err, mailDomainId }, 'a removed domain is still in the mail server')
  }
}

/** Writes each thing that is done into `state`, so that what was done before a failure is known. */
async function bringInStep(house: House, mail: MailServer, row: DomainRow, state: DomainMailState, signal: AbortSignal): Promise<void> {
  const place = async () => {
    const { mailDomainId, mailPendingId, created } = await placeInMailServer(house, mail, { ...row, ...state }, signal)
    if (created) state.mailReportAddress = null
    Object.assign(state, { mailDomainId, mailPendingId })
  }
  const inPlace = state.mailDomainId !== null || (state.mailPendingId !== null && !isProven(house, row))
  if (!inPlace) await place()
  try {
    await readRecords(house, mail, row, state, signal)
  } catch (error) {
    // Somebody removed it in the mail server: it is made anew, with new keys.
    if (!(error instanceof UpstreamError) || error.kind !== 'not_found') throw error
    Object.assign(state, { mailDomainId: null, mailPendingId: null })
    await place()
    await readRecords(house, mail, row, state, signal)
  }
}

async function readRecords(house: House, mail: MailServer, row: DomainRow, state: DomainMailState, signal: AbortSignal): Promise<void> {
  const domainId = state.mailDomainId ?? state.mailPendingId
  if (domainId === null) throw new Error('a domain that was placed in the mail server has no id there')
  const wanted = reportAddress(row.dmarcRua)
  const told = state.mailReportAddress
  // The server's own default is postmaster of the domain, which is also ours; null was never told to it.
  if (told !== (wanted ?? noReports)) {
    await mail.setReportAddress({ domainId, address: wanted }, { signal })
    state.mailReportAddress = wanted ?? noReports
  }
  const { records, complete } = await mail.domainRecords(domainId, { signal })
  const waiting = waitingName(house, row)
  const real = (text: string) => text.replaceAll(waiting, row.name)
  // What is to be published is for the real name, also while it waits under another one.
  state.mailRecords =
    state.mailDomainId === null ? records.map(({ type, name, value }) => ({ type, name: real(name), value: real(value) })) : records
  state.mailRecordsComplete = complete
}

/** Stands in the column for "the server was told to send none", because null there means that it was told nothing yet. */
const noReports = 'none'

/** What people are told; the sentences of `UpstreamError` hold no secret. */
export function failureSentence(error: unknown): string {
  if (error instanceof UpstreamError) return error.message
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'The mail server did not answer in time.'
  throw error
}
