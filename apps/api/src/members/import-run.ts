import { setInterval } from 'node:timers'
import { AppError, findAppError } from '@atrium/core/errors'
import { NewMember } from '@atrium/core/members'
import {
  claimImport,
  extendImport,
  findImport,
  type ImportRecord,
  type ImportRowRecord,
  importLeaseSeconds,
  listImportRows,
  releaseImport,
  setImportRow,
} from '@atrium/db/member-imports'
import { claimMember, type MemberWork } from '@atrium/db/member-work'
import { findMember } from '@atrium/db/members'
import type { House } from '../house.ts'
import { insertMember } from './insert.ts'
import { runMember } from './run.ts'

/** Members of one import that are made at a time: each reaches three outside systems, which others need as well. */
const atOnce = 3

/**
 * Goes through the rows of an import that are left, a few at a time, and writes what became of each. Ends early when the process stops,
 * the tenant rests or another process took over; whoever takes the import next begins where this ended, because a row and its member are
 * one transaction. Does nothing while another run holds the import.
 */
export async function runImport(house: House, importId: string): Promise<void> {
  const { db } = house.database
  const claim = await claimImport(db, importId)
  const record = claim && (await findImport(db, importId))
  if (!claim || !record) return
  let going = true
  const heartbeat = setInterval(
    () => {
      extendImport(db, importId, claim.run).then(
        (held) => {
          going &&= held
        },
        (err: unknown) => house.log.warn({ err, importId }, 'the lease of an import could not be extended'),
      )
    },
    (importLeaseSeconds * 1000) / 3,
  ).unref()
  try {
    const waiting = await listImportRows(db, importId, ['ready', 'running'])
    const work = async () => {
      for (let row = waiting.shift(); row && going && !house.background.ending; row = waiting.shift()) {
        going &&= await importRow(house, record, row)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
  } finally {
    clearInterval(heartbeat)
    await releaseImport(db, importId, claim.run)
  }
}

/** False when the tenant takes no members at present: then the rest waits. */
async function importRow(house: House, record: ImportRecord, row: ImportRowRecord): Promise<boolean> {
  const { db } = house.database
  try {
    const made = row.userId === null ? await make(house, record, row) : await again(house, record.tenantId, row.userId)
    if (made.work) await runMember(house, made.work)
    const member = await findMember(db, record.tenantId, made.userId)
    const unfinished = [member?.identityError, member?.mailError, member?.filesError].filter((error) => error != null)
    await setImportRow(db, record.id, row.line, {
      state: unfinished.length > 0 ? 'incomplete' : 'created',
      message: unfinished.length > 0 ? unfinished.join(' ') : null,
    })
    if (member && row.userId === null) await recordCreated(house, record, member)
    return true
  } catch (error) {
    const refusal = findAppError(error)
    if (refusal && ['tenant_suspended', 'tenant_deleted'].includes(refusal.code)) return false
    if (!refusal) house.log.error({ err: error, importId: record.id, line: row.line }, 'a row of an import failed in an unforeseen way')
    const { code, message, issues } = refusal ?? new AppError('internal')
    await setImportRow(db, record.id, row.line, { state: 'refused', code, message, issues: issues ?? [] })
    return true
  }
}

async function make(house: House, record: ImportRecord, row: ImportRowRecord): Promise<{ userId: string; work: MemberWork | undefined }> {
  const fields = NewMember.parse(row.fields)
  return insertMember(
    house,
    {
      tenant: { id: record.tenantId, slug: record.tenantSlug },
      operator: false,
      stillMay: async () => {},
      inserted: (trx, userId) => setImportRow(trx, record.id, row.line, { state: 'running', userId }),
    },
    fields,
  )
}

/** A run before this one made the record and got no further; the job engine may have done the rest, or be at it. */
async function again(house: House, tenantId: string, userId: string): Promise<{ userId: string; work: MemberWork | undefined }> {
  const work = await claimMember(house.database.db, tenantId, userId)
  return { userId, work: work && house.memberLeases.kept(work) }
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
