import { AppError, findAppError } from '@atrium/core/errors'
import { type CsvRow, type GetImport, type ImportRow, type ImportView, readImport, type StartImport } from '@atrium/core/member-import'
import { NewMember } from '@atrium/core/members'
import type { Trx } from '@atrium/db/connect'
import {
  countImportRows,
  findImport,
  type ImportRecord,
  type ImportRowRecord,
  insertImport,
  listImportRows,
  type NewImportRow,
  type Requester,
  setRequester,
} from '@atrium/db/member-imports'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import type { House } from '../house.ts'
import { toIssues } from '../refusals.ts'
import { lockOpenTenant, type OpenTenant } from '../tenants/open.ts'
import { refuseFormerAdmin } from './act.ts'
import { placeOf } from './addresses.ts'
import { runImport } from './import-run.ts'
import { admit, freeSeats, seatsExhausted } from './insert.ts'

/**
 * Judges every row of a CSV text and, unless it is a dry run, makes the members of the good ones in the background. No passwords come
 * out of an import: they are made per member by resetting them. Throws AppError `invalid_input` for a text that cannot be read.
 */
export async function startImport(ctx: Context, access: Access, input: StartImport): Promise<ImportView> {
  const { house } = ctx
  const read = readImport(input.csv)
  if ('fault' in read) throw new AppError('invalid_input', undefined, { issues: [{ path: 'csv', message: read.fault }] })
  const { db } = house.database
  const tenant = await db.transaction().execute((trx) => openFor(trx, access))
  // Not under the tenant's lock: it may take a while, and whoever makes a row looks again.
  const rows = await judge(house, tenant, read.rows, access.caller.operator)
  const requestedBy = nameOf(access)
  const importId = input.dryRun
    ? null
    : await db.transaction().execute(async (trx) => {
        await house.limits.takeIn(trx, ctx.request, [{ limit: 'imports_day', of: tenant.id }])
        return insertImport(trx, { tenantId: tenant.id, requestedBy, requester: requesterOf(access), rows })
      })
  if (importId === null) return dryRunView(rows, house.clock.now())
  await house.audit.record(ctx, access.caller, {
    action: 'member.imported',
    resourceType: 'member_import',
    resourceId: importId,
    tenantSlug: tenant.slug,
    partnerSlug: tenant.partnerSlug,
    metadata: { rows: rows.length, refused: rows.filter(({ state }) => state === 'refused').length },
  })
  work(house, importId)
  return viewOf(house, begun(await readImportRecord(house, access, importId)), 'all')
}

/** A record whose work begins in this moment counts as held, also before the work has taken its lease. */
const begun = (record: ImportRecord): ImportRecord => ({ ...record, held: true })

/** An import with its counts and, when asked, its rows. Throws AppError `not_found`. */
export async function getImport({ house }: Context, access: Access, input: GetImport): Promise<ImportView> {
  return viewOf(house, await readImportRecord(house, access, input.importId), input.rows)
}

const nameOf = ({ caller }: Access) => caller.email ?? caller.subject
const requesterOf = ({ caller }: Access): Requester => ({ id: caller.id ?? null, byOperator: caller.operator })

/**
 * Goes on with an import that nobody works on, from now on in the caller's right. One that is finished or under way is returned as it is.
 */
export async function resumeImport(ctx: Context, access: Access, importId: string): Promise<ImportView> {
  const { house } = ctx
  const record = await readImportRecord(house, access, importId)
  const resumes = record.finishedAt === null && !record.held
  const tenant = await house.database.db.transaction().execute(async (trx) => {
    const open = await openFor(trx, access)
    if (resumes) await setRequester(trx, importId, nameOf(access), requesterOf(access))
    return open
  })
  if (resumes) {
    work(house, importId)
    await house.audit.record(ctx, access.caller, {
      action: 'member.imported',
      resourceType: 'member_import',
      resourceId: importId,
      tenantSlug: tenant.slug,
      partnerSlug: tenant.partnerSlug,
      metadata: { resumed: true },
    })
  }
  const now = await readImportRecord(house, access, importId)
  return viewOf(house, resumes ? begun(now) : now, 'all')
}

function work(house: House, importId: string): void {
  house.background.run('member import', () => runImport(house, importId))
}

async function openFor(trx: Trx, access: Access): Promise<OpenTenant> {
  const tenant = await lockOpenTenant(trx, access.tenant.slug)
  await refuseFormerAdmin(trx, access)
  return tenant
}

/** Rows that are looked up at a time; the database has few connections, and other requests need them too. */
const lookUpsAtOnce = 4

type Found = { address: string } | { refusal: AppError }

/** Whether an import would give somebody rights over the tenant. Text that cannot be read makes nobody anything. */
export function importsAdmins({ csv, dryRun }: StartImport): boolean {
  if (dryRun) return false
  const read = readImport(csv)
  return 'rows' in read && read.rows.some(({ fields }) => fields.role === 'admin')
}

/** Every row with what our own records have against it. Outside systems are asked when the member is made. */
async function judge(house: House, tenant: OpenTenant, rows: readonly CsvRow[], operator: boolean): Promise<NewImportRow[]> {
  const found = new Map<CsvRow, Found>()
  const waiting = [...rows]
  const work = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) found.set(row, await lookUp(house, tenant, row, operator))
  }
  await Promise.all(Array.from({ length: lookUpsAtOnce }, work))

  const firstLines = new Map<string, number>()
  let seats = await freeSeats(house.database.db, house, tenant)
  return rows.map((row) => {
    const result = found.get(row) ?? { refusal: new AppError('internal') }
    if ('refusal' in result) return judged(row, result.refusal)
    const first = firstLines.get(result.address)
    if (first !== undefined) return judged(row, new AppError('email_taken', `Line ${first} has the address ${result.address} already.`))
    firstLines.set(result.address, row.line)
    if (seats <= 0) return judged(row, seatsExhausted(tenant))
    seats -= 1
    return judged(row)
  })
}

async function lookUp(house: House, tenant: OpenTenant, { fields }: CsvRow, operator: boolean): Promise<Found> {
  const { db } = house.database
  const parsed = NewMember.safeParse({ ...fields, email: fields.email ?? '' })
  if (!parsed.success) {
    const issues = toIssues(parsed.error)
    return { refusal: new AppError('invalid_input', 'The row has fields that cannot be used.', { issues }) }
  }
  try {
    const place = await placeOf(house, db, tenant.id, parsed.data.email, 'email')
    await admit(db, { tenantId: tenant.id, place, subject: undefined, operator })
    return { address: place.address }
  } catch (error) {
    const refusal = findAppError(error)
    if (refusal) return { refusal }
    throw error
  }
}

function judged({ line, fields }: CsvRow, refusal?: AppError): NewImportRow {
  return {
    line,
    fields: { ...fields } as Record<string, string>,
    state: refusal ? 'refused' : 'ready',
    code: refusal?.code ?? null,
    message: refusal?.message ?? null,
    issues: refusal?.issues ?? [],
  }
}

async function readImportRecord(house: House, { tenant }: Access, importId: string): Promise<ImportRecord> {
  const record = await findImport(house.database.db, importId)
  if (record?.tenantId !== tenant.id) throw new AppError('not_found', 'The tenant has no import with this id.')
  return record
}

async function viewOf(house: House, record: ImportRecord, show: GetImport['rows']): Promise<ImportView> {
  const { db } = house.database
  const counts = await countImportRows(db, record.id)
  const rows = show === 'none' ? [] : await listImportRows(db, record.id, show === 'all' ? undefined : ['refused', 'incomplete'])
  return {
    id: record.id,
    dryRun: false,
    state: record.finishedAt ? 'done' : record.held ? 'running' : 'stopped',
    counts: withTotal(counts),
    rows: rows.map(toImportRow),
    createdAt: record.createdAt.toISOString(),
    finishedAt: record.finishedAt?.toISOString() ?? null,
  }
}

function dryRunView(rows: readonly NewImportRow[], now: Date): ImportView {
  const refused = rows.filter(({ state }) => state === 'refused').length
  return {
    id: null,
    dryRun: true,
    state: 'checked',
    counts: withTotal({ ready: rows.length - refused, refused }),
    rows: rows.map((row) => toImportRow({ ...row, issues: [...row.issues], userId: null })),
    createdAt: now.toISOString(),
    finishedAt: now.toISOString(),
  }
}

function withTotal(counts: Partial<ImportView['counts']>): ImportView['counts'] {
  const { ready = 0, running = 0, created = 0, incomplete = 0, refused = 0 } = counts
  return { total: ready + running + created + incomplete + refused, ready, running, created, incomplete, refused }
}

function toImportRow({ line, fields, state, code, message, issues, userId }: ImportRowRecord): ImportRow {
  const spelled = [fields.firstName, fields.lastName].filter((part) => part !== undefined).join(' ')
  return {
    line,
    email: fields.email ?? '',
    name: fields.name ?? (spelled || null),
    role: fields.role ?? null,
    state,
    code,
    message,
    issues,
    userId,
  }
}
