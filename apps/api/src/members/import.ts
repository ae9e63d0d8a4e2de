import { type CsvRow, readImport } from '@atrium/core/members/import-csv'
import type {
  GetImport,
  ImportRow,
  ImportView,
  StartImport,
} from '@atrium/core/members/member-import'
import { NewMember } from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError, findAppError, storableText, writeText } from '@atrium/core/platform/errors'
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
} from '@atrium/db/members/member-imports'
import type { TenantTrx } from '@atrium/db/tenants/tenants'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import { toIssues } from '../rpc/errors.ts'
import type { Access } from '../rpc/guards.ts'
import { lockOpenTenant, type OpenTenant, rejectFormerAdmin } from '../rpc/open-tenant.ts'
import { readerLanguage, readFailure } from '../rpc/reader-language.ts'
import type { Services } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { placeOf } from './addresses.ts'
import { rejectAdminOnBehalf } from './change-member.ts'
import { runImport } from './import-run.ts'
import { admit } from './insert.ts'
import { rejectUninvitable } from './invite.ts'
import { freeSeats, seatsExhausted } from './seats.ts'

/**
 * Judges every row of a CSV text and, unless it is a dry run, makes the members of the good ones in
 * the background. No passwords come out of an import: they are made per member by resetting them.
 * Throws AppError `invalid_input` for a text that cannot be read.
 */
export async function startImport(
  ctx: Context,
  access: Access,
  input: StartImport,
): Promise<ImportView> {
  const { services } = ctx
  const read = readImport(input.csv)
  if ('fault' in read)
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'csv', message: read.fault }],
    })
  if (read.rows.some(({ fields }) => fields.role === 'admin')) rejectAdminOnBehalf(access)
  const tenant = await tenantTransaction(services, access.tenant.id, (trx) => openFor(trx, access))
  // Not under the tenant's lock: it may take a while, and each row is checked again when it is
  // created.
  const rows = await judge(services, tenant, read.rows, access.caller.operator)
  const requestedBy = nameOf(access)
  const importId = input.dryRun
    ? null
    : await services.database.db.transaction().execute(async (trx) => {
        await services.limits.takeIn(trx, ctx.request, [{ limit: 'imports_day', of: tenant.id }])
        const id = await insertImport(trx, {
          tenantId: tenant.id,
          requestedBy,
          requester: requesterOf(access),
          rows,
        })
        const counts = { rows: rows.length, refused: countRejected(rows) }
        const entry = importEntry(tenant, id, counts)
        await services.audit.record(ctx, access.caller, entry, trx)
        return id
      })
  if (importId === null) return dryRunView(rows, services.clock.now())
  work(services, importId)
  return viewOf(services, started(await readImportRecord(services, access, importId)), 'all')
}

/**
 * A record whose work begins in this moment counts as held, also before the work has taken its
 * lease.
 */
const started = (record: ImportRecord): ImportRecord => ({ ...record, held: true })

/** An import with its counts and, when asked, its rows. Throws AppError `not_found`. */
export async function getImport(
  { services }: Context,
  access: Access,
  input: GetImport,
): Promise<ImportView> {
  return viewOf(services, await readImportRecord(services, access, input.importId), input.rows)
}

const nameOf = ({ caller }: Access) => caller.email ?? caller.subject
const requesterOf = ({ caller }: Access): Requester => ({
  id: caller.id ?? null,
  byOperator: caller.operator,
  grantId: caller.onBehalf?.grantId ?? null,
})

/**
 * Continues an import that no worker holds, from now on with the caller's permissions. A finished
 * or running import is returned unchanged.
 */
export async function resumeImport(
  ctx: Context,
  access: Access,
  importId: string,
): Promise<ImportView> {
  const { services } = ctx
  const record = await readImportRecord(services, access, importId)
  const resumes = record.finishedAt === null && !record.held
  if (resumes && access.caller.onBehalf) {
    const waiting = await listImportRows(services.database.db, importId, ['ready', 'running'])
    if (waiting.some(({ fields }) => fields.role === 'admin')) rejectAdminOnBehalf(access)
  }
  await tenantTransaction(services, access.tenant.id, async (trx) => {
    const tenant = await openFor(trx, access)
    if (!resumes) return
    await setRequester(trx, importId, nameOf(access), requesterOf(access))
    const entry = importEntry(tenant, importId, { resumed: true })
    await services.audit.record(ctx, access.caller, entry, trx)
  })
  if (resumes) work(services, importId)
  const now = await readImportRecord(services, access, importId)
  return viewOf(services, resumes ? started(now) : now, 'all')
}

function importEntry(
  { slug, partnerSlug }: OpenTenant,
  id: string,
  metadata: Record<string, unknown>,
): AuditEntry {
  return {
    action: 'member.imported',
    resourceType: 'member_import',
    resourceId: id,
    tenantSlug: slug,
    partnerSlug,
    metadata,
  }
}

function work(services: Services, importId: string): void {
  services.background.run('member import', () => runImport(services, importId))
}

async function openFor(trx: TenantTrx, access: Access): Promise<OpenTenant> {
  const tenant = await lockOpenTenant(trx, access.tenant.slug)
  await rejectFormerAdmin(trx, access)
  return tenant
}

/**
 * Rows that are looked up at a time; the database has few connections, and other requests need them
 * too.
 */
const lookUpsAtOnce = 4

type Found = { address: string } | { rejection: AppError }

/**
 * Whether an import would give anyone administrative rights in the tenant. Unreadable text gives
 * none.
 */
export function importsAdmins({ csv, dryRun }: StartImport): boolean {
  if (dryRun) return false
  const read = readImport(csv)
  return 'rows' in read && read.rows.some(({ fields }) => fields.role === 'admin')
}

/**
 * Every row with what our own records have against it. Upstream systems are asked when the member
 * is made.
 */
async function judge(
  services: Services,
  tenant: OpenTenant,
  rows: readonly CsvRow[],
  operator: boolean,
): Promise<NewImportRow[]> {
  const found = new Map<CsvRow, Found>()
  const waiting = [...rows]
  const work = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift())
      found.set(row, await lookUp(services, tenant, row, operator))
  }
  await Promise.all(Array.from({ length: lookUpsAtOnce }, work))

  const firstLines = new Map<string, number>()
  let seats = await freeSeats(services.database.db, services, tenant)
  return rows.map((row) => {
    const result = found.get(row) ?? { rejection: new AppError('internal') }
    if ('rejection' in result) return judged(row, result.rejection)
    const first = firstLines.get(result.address)
    if (first !== undefined)
      return judged(
        row,
        new AppError(
          'email_taken',
          errorText('importDuplicate', { first, address: result.address }),
        ),
      )
    firstLines.set(result.address, row.line)
    if (seats <= 0) return judged(row, seatsExhausted(tenant))
    seats -= 1
    return judged(row)
  })
}

async function lookUp(
  services: Services,
  tenant: OpenTenant,
  { fields }: CsvRow,
  operator: boolean,
): Promise<Found> {
  const { db } = services.database
  const parsed = parseRow(fields)
  if (!parsed.success) {
    const issues = toIssues(parsed.error)
    return {
      rejection: new AppError('invalid_input', errorText('importRowInvalid'), {
        issues,
      }),
    }
  }
  try {
    const place = await placeOf(db, tenant.id, parsed.data.email, 'email')
    await admit(services, db, { tenantId: tenant.id, place, subject: undefined, operator }).catch(
      (error: unknown) => {
        if (findAppError(error)?.code !== 'invitation_required') throw error
        return rejectUninvitable(services, db, tenant.id, place.address)
      },
    )
    return { address: place.address }
  } catch (error) {
    const rejection = findAppError(error)
    if (rejection) return { rejection }
    throw error
  }
}

const parseRow = (fields: CsvRow['fields']) =>
  NewMember.safeParse({ ...fields, email: fields.email ?? '' })

/** What is wrong with the fields of a row, in the language of the reader. */
function issuesOf(fields: CsvRow['fields']): ImportRow['issues'] | undefined {
  const { error } = parseRow(fields)
  return (
    error &&
    new AppError('invalid_input', undefined, { issues: toIssues(error) }).issuesIn(readerLanguage())
  )
}

function judged({ line, fields }: CsvRow, rejection?: AppError): NewImportRow {
  return {
    line,
    fields: { ...fields } as Record<string, string>,
    state: rejection ? 'refused' : 'ready',
    code: rejection?.code ?? null,
    message: rejection?.message ?? null,
    text: rejection ? storableText(rejection.text) : null,
    issues: rejection?.issues ?? [],
  }
}

async function readImportRecord(
  services: Services,
  { tenant }: Access,
  importId: string,
): Promise<ImportRecord> {
  const record = await findImport(services.database.db, importId)
  if (record?.tenantId !== tenant.id) throw new AppError('not_found', errorText('unknownImport'))
  return record
}

async function viewOf(
  services: Services,
  record: ImportRecord,
  show: GetImport['rows'],
): Promise<ImportView> {
  const { db } = services.database
  const counts = await countImportRows(db, record.id)
  const rows =
    show === 'none'
      ? []
      : await listImportRows(db, record.id, show === 'all' ? undefined : ['refused', 'incomplete'])
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

const countRejected = (rows: readonly NewImportRow[]) =>
  rows.filter(({ state }) => state === 'refused').length

function dryRunView(rows: readonly NewImportRow[], now: Date): ImportView {
  const rejected = countRejected(rows)
  return {
    id: null,
    dryRun: true,
    state: 'checked',
    counts: withTotal({ ready: rows.length - rejected, refused: rejected }),
    rows: rows.map((row) => toImportRow({ ...row, issues: [...row.issues], userId: null })),
    createdAt: now.toISOString(),
    finishedAt: now.toISOString(),
  }
}

function withTotal(counts: Partial<ImportView['counts']>): ImportView['counts'] {
  const { ready = 0, running = 0, created = 0, invited = 0, incomplete = 0 } = counts
  const { refused: rejected = 0 } = counts
  return {
    total: ready + running + created + invited + incomplete + rejected,
    ready,
    running,
    created,
    invited,
    incomplete,
    refused: rejected,
  }
}

function toImportRow({
  line,
  fields,
  state,
  code,
  message,
  text,
  issues,
  userId,
}: ImportRowRecord): ImportRow {
  const spelled = [fields.firstName, fields.lastName].filter((part) => part !== undefined).join(' ')
  return {
    line,
    email: fields.email ?? '',
    name: fields.name ?? (spelled || null),
    role: fields.role ?? null,
    state,
    code,
    message: text ? writeText(text, readerLanguage()) : readFailure(message),
    issues: code === 'invalid_input' ? (issuesOf(fields) ?? issues) : issues,
    userId,
  }
}
