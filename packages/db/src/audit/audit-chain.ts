import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'
import type { NewAuditEvent } from './audit.ts'

/**
 * Why a chain does not hold. `gap`: an entry is missing or was put in; `changed`: it is not what
 * was written; `end_missing`: the last ones are gone.
 */
export type ChainFault = 'gap' | 'changed' | 'end_missing'

/** The chain that an entry is linked into, as `audit_chain_of` in the database. */
export function auditChainOf({
  tenantSlug,
  partnerSlug,
}: Pick<NewAuditEvent, 'tenantSlug' | 'partnerSlug'>): string {
  if (tenantSlug !== null) return `tenant:${tenantSlug}`
  return partnerSlug === null ? 'platform' : `partner:${partnerSlug}`
}

export interface ChainCheck {
  /** `tenant:acme`, `partner:north` or `platform`. */
  chain: string
  /** Entries looked at. */
  checked: number
  /**
   * The first entry that is wrong; null where the chain holds. `id` and `at` are null when the end
   * is missing.
   */
  fault: { sequence: number; id: string | null; at: Date | null; reason: ChainFault } | null
}

/**
 * Names of the chains after the given one, in their order; one more than asked tells of a next
 * page.
 */
export async function listAuditChains(
  db: Db,
  filter: { chain?: string | undefined; after?: string | undefined; limit: number },
): Promise<string[]> {
  let query = db.selectFrom('audit_chain_heads').select('chain')
  if (filter.chain !== undefined) query = query.where('chain', '=', filter.chain)
  if (filter.after !== undefined) query = query.where('chain', '>', filter.after)
  const rows = await query
    .orderBy('chain')
    .limit(filter.limit + 1)
    .execute()
  return rows.map((row) => row.chain)
}

/** Recomputes a chain from its entries. Reads all of them, so it may take its time. */
export async function verifyAuditChain(db: Db, chain: string): Promise<ChainCheck> {
  return db.transaction().execute(async (trx) => {
    await sql`set local statement_timeout = '120s'`.execute(trx)
    // Plain SQL: a function of migration 0019 returns the row, and its type is not in our types.
    const { rows } = await sql<{
      checked: string
      seq: string | null
      id: string | null
      at: Date | null
      reason: ChainFault | null
    }>`
      select checked::text, bad_seq::text as seq, bad_id as id, bad_at as at, reason from audit_chain_verify(${chain})`.execute(
      trx,
    )
    const [row] = rows
    const fault =
      row?.reason && row.seq
        ? { sequence: Number(row.seq), id: row.id, at: row.at, reason: row.reason }
        : null
    return { chain, checked: Number(row?.checked ?? 0), fault }
  })
}

/**
 * Entries that were written without a link since the first that has one: by a process with the
 * chain switched off.
 */
export async function countUnchained(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('audit_events')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('chain', 'is', null)
    .where('at', '>=', ({ selectFrom }) =>
      selectFrom('audit_events')
        .select(({ fn }) => fn.min('at').as('first'))
        .where('chain', 'is not', null),
    )
    .executeTakeFirstOrThrow()
  return Number(count)
}
