import {
  type AdjustmentPage,
  type AdjustmentView,
  type CreateAdjustment,
  type ListAdjustments,
  mostAdjustedAlone,
  thousandthsOf,
} from '@atrium/core/billing/payouts'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import { insertLedgerEntry } from '@atrium/db/billing/ledger'
import {
  type AdjustmentRow,
  decideAdjustment,
  findAdjustment,
  findPayoutPartner,
  insertAdjustment,
  lockAdjustment,
  lockPayouts,
  listAdjustments as queryAdjustments,
  sumAdjustedAlone,
} from '@atrium/db/billing/payouts'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { z } from 'zod'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import type { Services, TransactionContext } from '../../rpc/services.ts'
import { toAdjustmentView } from './view.ts'

const dayMs = 24 * 3600 * 1000
const unknownAdjustment = () => new AppError('not_found', errorText('unknownAdjustment'))

export async function listAdjustments(
  { database }: Services,
  { cursor, ...filter }: ListAdjustments,
): Promise<AdjustmentPage> {
  const { items, nextCursor } = cutPage(
    await queryAdjustments(database.db, { ...filter, before: cursor }),
    filter.limit,
  )
  return { items: items.map(toAdjustmentView), nextCursor }
}

/**
 * An entry by hand. It counts at once while this operator's entries of the last 24 hours for the
 * partner, in all currencies together, stay within the limit; beyond it waits for a second
 * operator. AppError `invalid_input` for a partner that is not there.
 */
export async function createAdjustment(
  ctx: Context,
  caller: Caller,
  input: CreateAdjustment,
): Promise<AdjustmentView> {
  const { services } = ctx
  const now = services.clock.now()
  const requestedBy = caller.id ?? caller.subject
  const row = await services.database.db.transaction().execute(async (trx) => {
    const found = await findPayoutPartner(trx, input.partnerSlug)
    const partner = found && (await lockPayouts(trx, found.id))
    if (!partner) {
      throw new AppError('invalid_input', undefined, {
        issues: [
          {
            path: 'partnerSlug',
            message: errorText('unknownPartnerNamed', { slug: input.partnerSlug }),
          },
        ],
      })
    }
    const { currency, reason } = input
    const amount = BigInt(input.amountMinor)
    const since = new Date(now.getTime() - dayMs)
    const before = await sumAdjustedAlone(trx, { partnerId: partner.id, requestedBy, since })
    const together = [...before, { currency, amount }].reduce(
      (sum, one) => sum + thousandthsOf(one.amount, one.currency),
      0n,
    )
    const alone = together <= mostAdjustedAlone
    const state = alone ? 'entered' : 'pending'
    const id = await insertAdjustment(trx, {
      partnerId: partner.id,
      currency,
      amount,
      reason,
      state,
      requestedBy,
      now,
    })
    const made = await findAdjustment(trx, id)
    if (!made) throw unknownAdjustment()
    if (alone) await enter(trx, made, now)
    await record(ctx, trx, caller, made)
    return made
  })
  return toAdjustmentView(row)
}

/** AppError `self_approval` for whoever entered it, `payout_state` when it was decided already. */
export async function decide(
  ctx: Context,
  caller: Caller,
  id: string,
  state: 'entered' | 'refused',
): Promise<AdjustmentView> {
  const { services } = ctx
  const now = services.clock.now()
  const row = await services.database.db.transaction().execute(async (trx) => {
    const waiting = await readAdjustment(trx, id, (_, known) => lockAdjustment(trx, known))
    if (waiting.state !== 'pending')
      throw new AppError('payout_state', errorText('adjustmentDecided'))
    const decidedBy = caller.id ?? caller.subject
    if (state === 'entered' && waiting.requestedById === decidedBy) {
      throw new AppError('self_approval', errorText('ownAdjustment'))
    }
    await decideAdjustment(trx, waiting.id, state, decidedBy, now)
    if (state === 'entered') {
      await lockPayouts(trx, waiting.partnerId)
      await enter(trx, waiting, now)
    }
    const decided = await readAdjustment(trx, waiting.id)
    await record(ctx, trx, caller, decided)
    return decided
  })
  return toAdjustmentView(row)
}

async function readAdjustment(
  db: Db | Trx,
  id: string,
  find: typeof findAdjustment = findAdjustment,
): Promise<AdjustmentRow> {
  const row = z.uuid().safeParse(id).success ? await find(db, id) : undefined
  if (!row) throw unknownAdjustment()
  return row
}

async function enter(trx: Trx, row: AdjustmentRow, now: Date): Promise<void> {
  await insertLedgerEntry(trx, {
    partnerId: row.partnerId,
    currency: row.currency,
    type: 'adjustment',
    amount: BigInt(row.amount),
    reason: row.reason,
    sourceType: 'manual',
    sourceId: row.id,
    availableAt: now,
    createdAt: now,
    ...(row.requestedById === null ? {} : { createdBy: row.requestedById }),
  })
}

async function record(
  ctx: TransactionContext,
  trx: Trx,
  caller: Caller,
  row: AdjustmentRow,
): Promise<void> {
  const entry: AuditEntry = {
    action: 'ledger.adjusted',
    resourceType: 'ledger_adjustment',
    resourceId: row.id,
    resourceName: `${row.partnerSlug} ${row.currency.toUpperCase()}`,
    partnerSlug: row.partnerSlug,
    metadata: {
      amountMinor: row.amount,
      currency: row.currency,
      reason: row.reason,
      state: row.state,
    },
  }
  await ctx.services.audit.record(ctx, caller, entry, trx)
}
