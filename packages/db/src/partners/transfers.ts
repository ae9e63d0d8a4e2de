import type { Db, Trx } from '../platform/connect.ts'

export interface TransferRow {
  tenantId: string
  createdBy: string | null
  createdAt: Date
  expiresAt: Date
}

function selectTransfers(db: Db | Trx) {
  return db
    .selectFrom('partner_transfers as x')
    .leftJoin('users as u', 'u.id', 'x.created_by')
    .select([
      'x.tenant_id as tenantId',
      'u.email as createdBy',
      'x.created_at as createdAt',
      'x.expires_at as expiresAt',
    ])
}

/** The tenant's transfer code that is valid at `now`. */
export function findTransfer(
  db: Db | Trx,
  tenantId: string,
  now: Date,
): Promise<TransferRow | undefined> {
  return selectTransfers(db)
    .where('x.tenant_id', '=', tenantId)
    .where('x.expires_at', '>', now)
    .executeTakeFirst()
}

/** The customer of a code that is valid at `now`. Deleted tenants have none. */
export function findTransferOffer(db: Db | Trx, codeHash: Buffer, now: Date) {
  return db
    .selectFrom('partner_transfers as x')
    .innerJoin('tenants as t', 't.id', 'x.tenant_id')
    .select([
      't.id as tenantId',
      't.slug',
      't.name',
      't.partner_id as partnerId',
      'x.expires_at as expiresAt',
    ])
    .where('x.code_hash', '=', codeHash)
    .where('x.expires_at', '>', now)
    .where('t.status', '<>', 'deleted')
    .executeTakeFirst()
}

/** Writes the tenant's one code; an earlier one is void from then on. */
export async function saveTransfer(
  trx: Trx,
  transfer: {
    tenantId: string
    codeHash: Buffer
    createdBy: string | undefined
    createdAt: Date
    expiresAt: Date
  },
): Promise<void> {
  const fresh = {
    code_hash: transfer.codeHash,
    created_by: transfer.createdBy ?? null,
    created_at: transfer.createdAt,
    expires_at: transfer.expiresAt,
  }
  await trx
    .insertInto('partner_transfers')
    .values({ tenant_id: transfer.tenantId, ...fresh })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(fresh))
    .execute()
}

/** Ends the tenant's code. Returns false when it had none. */
export async function deleteTransfer(trx: Trx, tenantId: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('partner_transfers')
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** For the clean-up. Returns how many. */
export async function deleteExpiredTransfers(db: Db, now: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('partner_transfers')
    .where('expires_at', '<=', now)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
