import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

export interface VatCheckRow {
  vatNumber: string
  valid: boolean
  name: string | null
  address: string | null
  consultationNumber: string | null
  answeredAt: Date
}

export interface VatCheckTaskRow {
  nextAt: Date
  attempts: number
  error: string | null
  failedAt: Date | null
}

/** The last answer about this number of the tenant. */
export function findVatCheck(
  db: Db | Trx,
  tenantId: string,
  vatNumber: string,
): Promise<VatCheckRow | undefined> {
  return db
    .selectFrom('vat_checks')
    .select([
      'vat_number as vatNumber',
      'valid',
      'name',
      'address',
      'consultation_number as consultationNumber',
      'answered_at as answeredAt',
    ])
    .where('tenant_id', '=', tenantId)
    .where('vat_number', '=', vatNumber)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Answers are only added: each is evidence of its day. */
export async function insertVatCheck(
  db: Db | Trx,
  tenantId: string,
  { requester, ...check }: VatCheckRow & { requester: string | null },
): Promise<void> {
  await db
    .insertInto('vat_checks')
    .values({
      tenant_id: tenantId,
      vat_number: check.vatNumber,
      valid: check.valid,
      name: check.name,
      address: check.address,
      consultation_number: check.consultationNumber,
      requester,
      answered_at: check.answeredAt,
    })
    .execute()
}

export function findVatCheckTask(
  db: Db | Trx,
  tenantId: string,
): Promise<VatCheckTaskRow | undefined> {
  return db
    .selectFrom('vat_check_tasks')
    .select(['next_at as nextAt', 'attempts', 'error', 'failed_at as failedAt'])
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
}

/** The number is asked about at `nextAt`; what failed before is forgotten. */
export async function scheduleVatCheck(
  db: Db | Trx,
  tenantId: string,
  nextAt: Date,
): Promise<void> {
  const fresh = { next_at: nextAt, attempts: 0, error: null, failed_at: null }
  await db
    .insertInto('vat_check_tasks')
    .values({ tenant_id: tenantId, ...fresh })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(fresh))
    .execute()
}

export async function deleteVatCheckTask(db: Db | Trx, tenantId: string): Promise<void> {
  await db.deleteFrom('vat_check_tasks').where('tenant_id', '=', tenantId).execute()
}

/**
 * Schedules checks of numbers that have no task yet: those of new tenants, and all when the
 * register is used for the first time. Only numbers with one of these prefixes.
 */
export async function scheduleUncheckedNumbers(
  db: Db,
  { prefixes, now, limit }: { prefixes: readonly string[]; now: Date; limit: number },
): Promise<void> {
  await db
    .insertInto('vat_check_tasks')
    .columns(['tenant_id', 'next_at'])
    .expression((unchecked) =>
      unchecked
        .selectFrom('tenants as t')
        .leftJoin('vat_check_tasks as k', 'k.tenant_id', 't.id')
        .select(['t.id', sql<Date>`${now}::timestamptz`.as('next_at')])
        .where('k.tenant_id', 'is', null)
        .where('t.status', '<>', 'deleted')
        .where(sql<string>`left(t.billing_vat_number, 2)`, 'in', [...prefixes])
        .limit(limit),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Tenants whose number is due, longest first. Each is taken until `leaseUntil`. */
export async function claimVatCheckTasks(
  db: Db,
  { now, leaseUntil, limit }: { now: Date; leaseUntil: Date; limit: number },
): Promise<string[]> {
  const rows = await db
    .updateTable('vat_check_tasks')
    .set({ next_at: leaseUntil })
    .where('tenant_id', 'in', (due) =>
      due
        .selectFrom('vat_check_tasks')
        .select('tenant_id')
        .where('next_at', '<=', now)
        .orderBy('next_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning('tenant_id')
    .execute()
  return rows.map((row) => row.tenant_id)
}

export async function failVatCheckTask(
  db: Db | Trx,
  tenantId: string,
  failure: { attempts: number; error: string; failedAt: Date; nextAt: Date },
): Promise<void> {
  await db
    .updateTable('vat_check_tasks')
    .set({
      attempts: failure.attempts,
      error: failure.error,
      failed_at: failure.failedAt,
      next_at: failure.nextAt,
    })
    .where('tenant_id', '=', tenantId)
    .execute()
}
