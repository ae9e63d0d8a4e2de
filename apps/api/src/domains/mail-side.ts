import { type DomainMailState, type DomainRow, saveDomainMailState } from '@atrium/db/domains'
import type { MailServer } from '@atrium/integrations/mail/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { House } from '../house.ts'
import { hasMail } from './view.ts'

const orphanMs = 8_000

/** How the mail server's domains say whose they are. */
export function mailDomainDescription(tenantSlug: string): string {
  return `Atrium tenant ${tenantSlug}`
}

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
    mailRecords: row.mailRecords,
    mailRecordsComplete: row.mailRecordsComplete,
    mailReportAddress: row.mailReportAddress,
    mailError: null,
  }
  try {
    await bringInStep(mail, row, state, AbortSignal.timeout(deadlineMs))
  } catch (error) {
    state.mailError = failureSentence(error)
  }
  const saved = await saveDomainMailState(house.database.db, row.id, state)
  if (!saved && state.mailDomainId !== null) await removeOrphan(house, mail, state.mailDomainId)
  return { ...row, ...state, mailRecords: state.mailRecords && [...state.mailRecords] }
}

/** A domain that was removed here while the mail server made it anew would stay there, and no tenant could add it again. */
async function removeOrphan(house: House, mail: MailServer, mailDomainId: string): Promise<void> {
  try {
    await mail.removeDomain(mailDomainId, { signal: AbortSignal.timeout(orphanMs) })
  } catch (err) {
    house.log.warn({ err, mailDomainId }, 'a removed domain stayed in the mail server')
  }
}

/** Writes each thing that is done into `state`, so that what was done before a failure is known. */
async function bringInStep(mail: MailServer, row: DomainRow, state: DomainMailState, signal: AbortSignal): Promise<void> {
  const ensure = async () => {
    const made = await mail.ensureDomain({ name: row.name, description: mailDomainDescription(row.tenantSlug) }, { signal })
    if (made.created) state.mailReportAddress = null
    state.mailDomainId = made.id
    return made.id
  }
  const domainId = state.mailDomainId ?? (await ensure())
  const wanted = reportAddress(row.dmarcRua)
  try {
    await readRecords(mail, domainId, wanted, state, signal)
  } catch (error) {
    // Somebody removed it in the mail server: it is made anew, with new keys.
    if (!(error instanceof UpstreamError) || error.kind !== 'not_found') throw error
    await readRecords(mail, await ensure(), wanted, state, signal)
  }
}

async function readRecords(
  mail: MailServer,
  domainId: string,
  wanted: string | null,
  state: DomainMailState,
  signal: AbortSignal,
): Promise<void> {
  const told = state.mailReportAddress
  // The server's own default is postmaster of the domain, which is also ours; null was never told to it.
  if (told !== (wanted ?? noReports)) {
    await mail.setReportAddress({ domainId, address: wanted }, { signal })
    state.mailReportAddress = wanted ?? noReports
  }
  const { records, complete } = await mail.domainRecords(domainId, { signal })
  state.mailRecords = records
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
