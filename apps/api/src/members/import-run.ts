import { setInterval } from 'node:timers'
import { setTimeout as wait } from 'node:timers/promises'
import { NewMember } from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError, findAppError, storableText } from '@atrium/core/platform/errors'
import { stepFailureText } from '@atrium/core/platform/failure-text'
import { provisioningSteps } from '@atrium/core/tenants/tenants'
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
  rejectImportRow,
  releaseImport,
  requesterMayImport,
  takeImportRow,
} from '@atrium/db/members/member-imports'
import { claimMember, type MemberWork, memberLeaseSeconds } from '@atrium/db/members/member-work'
import { findMember, type MemberRow } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import { isUnavailable } from '@atrium/db/platform/failures'
import { type AuditEntry, withGrant } from '../rpc/audit-recorder.ts'
import { lockOpenTenant } from '../rpc/open-tenant.ts'
import type { InTransaction, Services } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { invitationEntry, recordExpired, termsOf } from '../users/record-invitation.ts'
import { placeOf } from './addresses.ts'
import { insertMember } from './insert.ts'
import { invitationTakes, inviteMember } from './invite.ts'
import { runMember } from './run.ts'

/**
 * Members of one import that are made at a time: each reaches three upstream systems, which others
 * need as well.
 */
const atOnce = 3

/** The run lost its lease to another one, which goes on with the rows. */
class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/**
 * Processes the remaining rows of an import, a few at a time, and saves the result of each. Stops
 * before the next row when the process stops, the tenant is inactive, the database is unavailable
 * or the lease is lost; the next run continues there, because a row and its member are one
 * transaction. Does nothing while another run holds the import.
 */
export async function runImport(services: Services, importId: string): Promise<void> {
  const { db } = services.database
  const claim = await claimImport(db, importId)
  const record = claim && (await findImport(db, importId))
  if (!claim || !record) return
  const lease = keepLease(services, importId, claim.run)
  let going = true
  try {
    const waiting = await listImportRows(db, importId, ['ready', 'running'])
    const work = async () => {
      for (
        let row = waiting.shift();
        row && going && lease.held() && !services.background.ending;
        row = waiting.shift()
      ) {
        if (!(await importRow(services, record, { ...row, importId, run: claim.run })))
          going = false
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
  } finally {
    lease.stop()
    await releaseImport(db, importId, claim.run)
  }
}

/**
 * Gives signs of life. The lease counts as lost as soon as another run may have it: none could be
 * given for as long as it lasts.
 */
function keepLease(
  services: Services,
  importId: string,
  run: string,
): { held(): boolean; stop(): void } {
  const leaseMs = importLeaseSeconds * 1000
  let lost = false
  let knownAt = performance.now()
  const extend = async () => {
    const startedAt = performance.now()
    if (await extendImport(services.database.db, importId, run)) knownAt = startedAt
    else lost = true
  }
  const heartbeat = setInterval(() => {
    extend().catch((err: unknown) =>
      services.log.warn({ err, importId }, 'failed to extend import lease'),
    )
  }, leaseMs / 3).unref()
  return {
    held: () => !lost && performance.now() - knownAt < leaseMs,
    stop: () => clearInterval(heartbeat),
  }
}

type Row = ImportRowRecord & RowInHand

/**
 * False when the run must end: the tenant takes no members at present, the lease is lost, or
 * nothing can be written.
 */
async function importRow(services: Services, record: ImportRecord, row: Row): Promise<boolean> {
  const { db } = services.database
  try {
    if (row.userId === null && (await isOutside(services, record, row))) {
      await invite(services, record, row)
      return true
    }
    const {
      userId,
      work,
      fresh = false,
    } = row.userId === null
      ? await make(services, record, row)
      : await again(services, record.tenantId, row.userId)
    if (work) await runMember(services, work, { fresh })
    const member = await findMember(db, record.tenantId, userId)
    return await finishImportRow(db, row, member ? unfinishedOf(member) : null)
  } catch (error) {
    if (error instanceof LeaseLost) return false
    const rejection = findAppError(error)
    if (rejection && ['tenant_suspended', 'tenant_deleted'].includes(rejection.code)) return false
    if (!rejection)
      services.log.error(
        { err: error, importId: record.id, line: row.line },
        'unexpected error in an import row',
      )
    // Whether the row was made is not known then: the next run looks.
    if (isUnavailable(error)) return false
    return rejected(services, record, row, rejection)
  }
}

/**
 * Saves why a row failed. A row that became a member anyway is reported as one whose systems are
 * behind.
 */
async function rejected(
  services: Services,
  record: ImportRecord,
  row: Row,
  rejection: AppError | undefined,
): Promise<boolean> {
  const { db } = services.database
  const { code, message, text, issues = [] } = rejection ?? new AppError('internal')
  try {
    if (await rejectImportRow(db, row, { code, message, text: storableText(text), issues }))
      return true
    return await finishImportRow(db, row, message)
  } catch (err) {
    services.log.warn(
      { err, importId: record.id, line: row.line },
      'failed to save the result of an import row',
    )
    return false
  }
}

interface MadeRow {
  userId: string
  work: MemberWork | undefined
  fresh?: boolean
}

async function make(services: Services, record: ImportRecord, row: Row): Promise<MadeRow> {
  const fields = NewMember.parse(row.fields)
  return insertMember(
    services,
    {
      tenant: { id: record.tenantId, slug: record.tenantSlug },
      operator: false,
      stillMay: (trx) => rejectFormerRequester(trx, record, fields.role),
      inserted: async (trx, { user }) => {
        if (!(await takeImportRow(trx, row, { userId: user.id }))) throw new LeaseLost()
        await recordCreated(services, trx, record, { ...user, role: fields.role })
      },
    },
    fields,
  )
}

async function rejectFormerRequester(
  trx: Trx,
  record: ImportRecord,
  role: NewMember['role'],
): Promise<void> {
  if (await requesterMayImport(trx, record, role)) return
  throw new AppError('not_admin', errorText('importNotAllowed'))
}

/** People with such an address are invited. */
async function isOutside(
  services: Services,
  { tenantId }: ImportRecord,
  { fields }: Row,
): Promise<boolean> {
  const { email } = NewMember.parse(fields)
  return !(await placeOf(services.database.db, tenantId, email, 'email')).own
}

/** The invitation and the result of the row are one transaction. */
async function invite(services: Services, record: ImportRecord, row: Row): Promise<void> {
  const { role, email, ...contact } = NewMember.parse(row.fields)
  const { requester, requestedBy, tenantId } = record
  const inviter = { id: requester.id, name: requestedBy }
  await tenantTransaction(services, tenantId, async (trx) => {
    const tenant = await lockOpenTenant(trx, record.tenantSlug)
    await rejectFormerRequester(trx, record, role)
    const name = nameOf(contact)
    const invitee = { email, ...(name === undefined ? {} : { name }) }
    const terms = { ...contact, role, inviter }
    const { invitation, expired } = await inviteMember(services, trx, tenant, invitee, terms)
    if (!(await takeImportRow(trx, row, 'invited'))) throw new LeaseLost()
    await services.limits.takeIn(
      trx,
      undefined,
      await invitationTakes(services, trx, tenantId, [email]),
    )
    await recordExpired(services, trx, expired)
    const entry = invitationEntry('invitation.created', invitation, {
      ...termsOf(invitation),
      importId: record.id,
      requestedBy,
    })
    await services.audit.recordSystem(underGrant(record, entry), trx)
  })
}

function nameOf({ name, firstName, lastName }: Partial<NewMember>): string | undefined {
  const spelled = [firstName, lastName].filter(Boolean).join(' ')
  return name ?? (spelled || undefined)
}

/**
 * A run before this one made the record and got no further; the job engine may have done the rest,
 * or be at it.
 */
async function again(services: Services, tenantId: string, userId: string): Promise<MadeRow> {
  const giveUpAt = performance.now() + memberLeaseSeconds * 1000
  for (;;) {
    const work = await claimMember(services.database.db, tenantId, userId)
    if (work) return { userId, work: services.memberLeases.kept(work) }
    if (performance.now() > giveUpAt || !(await findMember(services.database.db, tenantId, userId)))
      return { userId, work: undefined }
    await wait(250)
  }
}

/** What upstream systems have not done for a member; null when nothing is left. */
function unfinishedOf(member: MemberRow): string | null {
  const errors = provisioningSteps
    .map((step) => member[`${step}Error`])
    .filter((error) => error !== null)
  if (errors.length > 0) return errors.join(' ')
  const pending = provisioningSteps.filter((step) => member[`${step}State`] === 'pending')
  return pending.length > 0 ? stepFailureText('pending', pending.join(', ')) : null
}

function recordCreated(
  { audit }: InTransaction,
  trx: Trx,
  record: ImportRecord,
  member: { id: string; email: string; role: string },
): Promise<void> {
  const entry = underGrant(record, {
    action: 'member.created',
    resourceType: 'member',
    resourceId: member.id,
    resourceName: member.email,
    tenantSlug: record.tenantSlug,
    metadata: { role: member.role, importId: record.id, requestedBy: record.requestedBy },
  })
  return audit.recordSystem(entry, trx)
}

/** The entry as one of an act under the access grant by which the import was started. */
function underGrant(record: ImportRecord, entry: AuditEntry): AuditEntry {
  const { requester, tenantSlug, grantPartnerSlug: partnerSlug } = record
  if (requester.grantId === null) return entry
  return withGrant({ grantId: requester.grantId, tenantSlug, partnerSlug }, entry)
}
