import { setInterval } from 'node:timers'
import { setTimeout as wait } from 'node:timers/promises'
import { AppError, findAppError } from '@atrium/core/errors'
import { NewMember } from '@atrium/core/members'
import { provisioningSteps } from '@atrium/core/tenants'
import { isUnavailable } from '@atrium/db/failures'
import {
  claimImport,
  extendImport,
  findImport,
  finishImportRow,
  type ImportRecord,
  type ImportRowRecord,
  importLeaseSeconds,
  listImportRows,
  type RowInHand,
  refuseImportRow,
  releaseImport,
  requesterMayImport,
  takeImportRow,
} from '@atrium/db/member-imports'
import { claimMember, type MemberWork, memberLeaseSeconds } from '@atrium/db/member-work'
import { findMember, type MemberRow } from '@atrium/db/members'
import type { House } from '../house.ts'
import { insertMember } from './insert.ts'
import { runMember } from './run.ts'

/** Members of one import that are made at a time: each reaches three outside systems, which others need as well. */
const atOnce = 3

/** The run lost its lease to another one, which goes on with the rows. */
class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/**
 * Goes through the rows of an import that are left, a few at a time, and writes what became of each. Ends before the next row when the
 * process stops, the tenant rests, the database cannot be reached or the lease is lost; whoever takes the import next begins where this
 * ended, because a row and its member are one transaction. Does nothing while another run holds the import.
 */
export async function runImport(house: House, importId: string): Promise<void> {
  const { db } = house.database
  const claim = await claimImport(db, importId)
  const record = claim && (await findImport(db, importId))
  if (!claim || !record) return
  const lease = keepLease(house, importId, claim.run)
  let going = true
  try {
    const waiting = await listImportRows(db, importId, ['ready', 'running'])
    const work = async () => {
      for (let row = waiting.shift(); row && going && lease.held() && !house.background.ending; row = waiting.shift()) {
        if (!(await importRow(house, record, { ...row, importId, run: claim.run }))) going = false
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
  } finally {
    lease.stop()
    await releaseImport(db, importId, claim.run)
  }
}

/** Gives signs of life. The lease counts as lost as soon as another run may have it: none could be given for as long as it lasts. */
function keepLease(house: House, importId: string, run: string): { held(): boolean; stop(): void } {
  const leaseMs = importLeaseSeconds * 1000
  let lost = false
  let knownAt = performance.now()
  const extend = async () => {
    const askedAt = performance.now()
    if (await extendImport(house.database.db, importId, run)) knownAt = askedAt
    else lost = true
  }
  const heartbeat = setInterval(() => {
    extend().catch((err: unknown) => house.log.warn({ err, importId }, 'the lease of an import could not be extended'))
  }, leaseMs / 3).unref()
  return { held: () => !lost && performance.now() - knownAt < leaseMs, stop: () => clearInterval(heartbeat) }
}

type Row = ImportRowRecord & RowInHand

/** False when the run must end: the tenant takes no members at present, the lease is lost, or nothing can be written. */
async function importRow(house: House, record: ImportRecord, row: Row): Promise<boolean> {
  const { db } = house.database
  try {
    const { userId, work } = row.userId === null ? await make(house, record, row) : await again(house, record.tenantId, row.userId)
    if (work) await runMember(house, work)
    const member = await findMember(db, record.tenantId, userId)
    if (!(await finishImportRow(db, row, member && !member.invited ? unfinishedOf(member) : null))) return false
    if (member && row.userId === null) await recordCreated(house, record, member)
    return true
  } catch (error) {
    if (error instanceof LeaseLost) return false
    const refusal = findAppError(error)
    if (refusal && ['tenant_suspended', 'tenant_deleted'].includes(refusal.code)) return false
    if (!refusal) house.log.error({ err: error, importId: record.id, line: row.line }, 'a row of an import failed in an unforeseen way')
    // Whether the row was made is not known then: the next run looks.
    if (isUnavailable(error)) return false
    return refused(house, record, row, refusal)
  }
}

/** Writes why a row failed. One that became a member all the same is told as one whose systems are behind. */
async function refused(house: House, record: ImportRecord, row: Row, refusal: AppError | undefined): Promise<boolean> {
  const { db } = house.database
  const { code, message, issues = [] } = refusal ?? new AppError('internal')
  try {
    if (await refuseImportRow(db, row, { code, message, issues })) return true
    return await finishImportRow(db, row, message)
  } catch (err) {
    house.log.warn({ err, importId: record.id, line: row.line }, 'what became of a row of an import could not be written')
    return false
  }
}

async function make(house: House, record: ImportRecord, row: Row): Promise<{ userId: string; work: MemberWork | undefined }> {
  const fields = NewMember.parse(row.fields)
  return insertMember(
    house,
    {
      tenant: { id: record.tenantId, slug: record.tenantSlug },
      operator: false,
      name: record.requestedBy,
      stillMay: async (trx) => {
        if (await requesterMayImport(trx, record)) return
        throw new AppError('not_admin', 'Whoever asked for this import may not add members any more.')
      },
      inserted: async (trx, userId) => {
        if (!(await takeImportRow(trx, row, userId))) throw new LeaseLost()
      },
    },
    fields,
  )
}

/** A run before this one made the record and got no further; the job engine may have done the rest, or be at it. */
async function again(house: House, tenantId: string, userId: string): Promise<{ userId: string; work: MemberWork | undefined }> {
  const giveUpAt = performance.now() + memberLeaseSeconds * 1000
  for (;;) {
    const work = await claimMember(house.database.db, tenantId, userId)
    if (work) return { userId, work: house.memberLeases.kept(work) }
    if (performance.now() > giveUpAt || !(await findMember(house.database.db, tenantId, userId))) return { userId, work: undefined }
    await wait(250)
  }
}

/** What outside systems have not done for a member; null when nothing is left. */
function unfinishedOf(member: MemberRow): string | null {
  const errors = provisioningSteps.map((step) => member[`${step}Error`]).filter((error) => error !== null)
  if (errors.length > 0) return errors.join(' ')
  const pending = provisioningSteps.filter((step) => member[`${step}State`] === 'pending')
  return pending.length > 0 ? `Still under way: ${pending.join(', ')}.` : null
}

function recordCreated(house: House, record: ImportRecord, member: { id: string; email: string; role: string }): Promise<void> {
  return house.audit.recordSystem({
    action: 'member.created',
    resourceType: 'member',
    resourceId: member.id,
    resourceName: member.email,
    tenantSlug: record.tenantSlug,
    metadata: { role: member.role, importId: record.id, requestedBy: record.requestedBy },
  })
}
