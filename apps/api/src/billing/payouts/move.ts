import type { AuditAction } from '@atrium/core/audit/audit'
import { formatAmount } from '@atrium/core/billing/money'
import {
  type MovePayout,
  type MovePayoutWithReason,
  type PayoutDetail,
  type PayoutStatus,
  type PayPayout,
  payoutMoves,
} from '@atrium/core/billing/payouts'
import { statementNumber } from '@atrium/core/billing/statements'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { countPayoutCharges, insertLedgerEntry, readAvailableFor } from '@atrium/db/billing/ledger'
import {
  countStatements,
  findStatement,
  freePayoutEntries,
  hasOtherOpenPayout,
  lockPayout,
  lockPayouts,
  type PayoutChanges,
  type PayoutPartner,
  type PayoutRow,
  updatePayout,
} from '@atrium/db/billing/payouts'
import { partnerMailAddress } from '@atrium/db/partners/partners'
import type { Trx } from '@atrium/db/platform/connect'
import { portalLink } from '../../platform/links.ts'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import type { InTransaction } from '../../rpc/services.ts'
import { reasonToHold } from './create.ts'
import { getPayout, readPayout, unknownPayout } from './get.ts'
import { writeStatement } from './statement.ts'
import { documentStatement } from './statement-document.ts'

interface Standing {
  trx: Trx
  payout: PayoutRow
  partner: PayoutPartner
  now: Date
}

interface Move {
  id: string
  version: number | undefined
  to: PayoutStatus
  action: AuditAction
  metadata?: Record<string, unknown>
  /** What else becomes of the payout; rejects with an AppError. */
  effect: (
    standing: Standing,
  ) => Promise<Omit<PayoutChanges, 'status'>> | Omit<PayoutChanges, 'status'>
}

/** One step of a payout; returns the payout after it. */
type Step<Input> = (ctx: Context, caller: Caller, input: Input) => Promise<PayoutDetail>

/**
 * Moves a payout along its states, one operator at a time: the second one finds it moved and is
 * rejected. Throws AppError `not_found`, `payout_state` for a step that its state does not allow,
 * `version_conflict` when it is not at the version that the caller read.
 */
async function movePayout(ctx: Context, caller: Caller, move: Move): Promise<PayoutDetail> {
  const { services } = ctx
  const now = services.clock.now()
  const { partnerId } = await readPayout(services.database.db, move.id)
  await services.database.db.transaction().execute(async (trx) => {
    const partner = await lockPayouts(trx, partnerId)
    const payout = await readPayout(trx, move.id, (_, id) => lockPayout(trx, id))
    if (!partner) throw unknownPayout()
    if (!payoutMoves[payout.status].includes(move.to)) {
      throw new AppError(
        'payout_state',
        errorText('payoutMove', { status: wordOf[payout.status], to: wordOf[move.to] }),
      )
    }
    if (move.version !== undefined && move.version !== payout.version)
      throw new AppError('version_conflict')
    const changes = await move.effect({ trx, payout, partner, now })
    await updatePayout(trx, payout.id, { ...changes, status: move.to }, now)
    await services.audit.record(ctx, caller, moveEntry(payout, move), trx)
  })
  return getPayout(services, move.id)
}

const moveEntry = (payout: PayoutRow, { action, to, metadata }: Move): AuditEntry => ({
  action,
  resourceType: 'payout',
  resourceId: payout.id,
  resourceName: payout.currency,
  partnerSlug: payout.partnerSlug,
  metadata: {
    amountMinor: payout.amount,
    currency: payout.currency,
    status: [payout.status, to],
    ...metadata,
  },
})

const wordOf: Readonly<Record<PayoutStatus, string>> = {
  draft: 'a draft',
  held: 'held',
  approved: 'approved',
  in_transit: 'on its way',
  paid: 'paid',
  failed: 'failed',
  canceled: 'canceled',
}

/**
 * AppError `payout_held` while the partner cannot be paid, or less is available than the payout
 * pays because money was clawed back after it was created.
 */
async function assertPayable({ trx, payout, partner, now }: Standing): Promise<void> {
  const held = reasonToHold(partner)
  if (held) throw new AppError('payout_held', held)
  const available = await readAvailableFor(trx, payout, now)
  const amount = BigInt(payout.amount)
  if (available < amount) {
    const { currency } = payout
    throw new AppError(
      'payout_held',
      errorText('payoutNotCovered', {
        available: { amount: available, currency },
        amount: { amount, currency },
      }),
    )
  }
}

/**
 * AppError `self_approval` where nobody but its approver would have looked at a payout: one of the
 * monthly run, which nobody asked for.
 */
function assertSecondPerson({ payout }: Standing, caller: Caller): void {
  if (payout.requestedById === null && payout.approvedById === actorOf(caller))
    throw new AppError('self_approval', errorText('ownPayoutApproval'))
}

const actorOf = (caller: Caller) => caller.id ?? caller.subject

/**
 * AppError `self_approval` for whoever asked for it, `payout_held` when the partner cannot be paid
 * this amount now.
 */
export const approvePayout: Step<MovePayout> = (ctx, caller, { id, version }) =>
  movePayout(ctx, caller, {
    id,
    version,
    to: 'approved',
    action: 'payout.approved',
    async effect(standing) {
      const { payout, now } = standing
      if (payout.requestedById === actorOf(caller)) throw new AppError('self_approval')
      await assertPayable(standing)
      return {
        approved_by: actorOf(caller),
        approved_at: now,
        held_reason: null,
        failure_reason: null,
      }
    },
  })

export const holdPayout: Step<MovePayoutWithReason> = (ctx, caller, { id, version, reason }) =>
  movePayout(ctx, caller, {
    id,
    version,
    to: 'held',
    action: 'payout.held',
    metadata: { reason },
    effect: () => ({ held_reason: reason }),
  })

/**
 * Returns a held or failed payout to draft; it has to be approved again. AppError `payout_state`
 * for a failed one while the next one is open.
 */
export const reopenPayout: Step<MovePayout> = (ctx, caller, { id, version }) =>
  movePayout(ctx, caller, {
    id,
    version,
    to: 'draft',
    action: 'payout.reopened',
    async effect({ trx, payout, partner }) {
      const held = reasonToHold(partner)
      if (held) throw new AppError('payout_held', held)
      if (await hasOtherOpenPayout(trx, payout))
        throw new AppError('payout_state', errorText('otherPayoutOpen'))
      return {
        held_reason: null,
        approved_by: null,
        approved_at: null,
        sent_at: null,
        paid_at: null,
        reference: null,
      }
    },
  })

/**
 * The transfer was given to the bank. AppError `self_approval` and `payout_held` as for
 * `payPayout`.
 */
export const sendPayout: Step<MovePayout> = (ctx, caller, { id, version }) =>
  movePayout(ctx, caller, {
    id,
    version,
    to: 'in_transit',
    action: 'payout.sent',
    async effect(standing) {
      assertSecondPerson(standing, caller)
      await assertPayable(standing)
      return { sent_at: standing.now }
    },
  })

/**
 * The money arrived: the ledger is charged, and the statement gets its number and is kept as it is.
 * An approved payout may be paid without having been sent before. AppError `self_approval` for who
 * approved one of the monthly run, `payout_held` when the partner cannot be paid this amount now;
 * what the bank has already is booked all the same.
 */
export const payPayout: Step<PayPayout> = (ctx, caller, { id, version, reference }) =>
  movePayout(ctx, caller, {
    id,
    version,
    to: 'paid',
    action: 'payout.paid',
    metadata: { reference },
    async effect(standing) {
      const { trx, payout, partner, now } = standing
      assertSecondPerson(standing, caller)
      if (payout.status !== 'in_transit') await assertPayable(standing)
      await chargeLedger(trx, payout, 'payout', -BigInt(payout.amount), now)
      const number = payout.statementNumber ?? (await nextNumber(trx, partner))
      const kept = await findStatement(trx, payout.id)
      const paid: PayoutRow = { ...payout, statementNumber: number, paidAt: now, reference }
      const statement =
        kept === null ? { statement: JSON.stringify(await writeStatement(trx, paid)) } : {}
      await documentStatement(trx, ctx.services, partner, paid)
      await tellPartner(trx, ctx.services, partner, paid)
      return {
        paid_at: now,
        sent_at: payout.sentAt ?? now,
        reference,
        failure_reason: null,
        statement_number: number,
        ...statement,
      }
    },
  })

/** The transfer did not arrive, or came back: what had been paid is owed again. */
export const failPayout: Step<MovePayoutWithReason> = (ctx, caller, { id, version, reason }) =>
  movePayout(ctx, caller, {
    id,
    version,
    to: 'failed',
    action: 'payout.failed',
    metadata: { reason },
    async effect({ trx, payout, now }) {
      if (payout.status === 'paid')
        await chargeLedger(trx, payout, 'payout_reversal', BigInt(payout.amount), now)
      return { failure_reason: reason, paid_at: null }
    },
  })

/**
 * Cancels a payout that was not sent, or that failed. Its entries are free for the next one. A
 * statement that it has keeps its number and is canceled by a document with the next number.
 */
export const voidPayout: Step<MovePayoutWithReason> = (ctx, caller, { id, version, reason }) =>
  movePayout(ctx, caller, {
    id,
    version,
    to: 'canceled',
    action: 'payout.canceled',
    metadata: { reason },
    async effect({ trx, payout, partner, now }) {
      await freePayoutEntries(trx, payout.id)
      const cancellation: { cancellation_number?: string } =
        payout.statementNumber === null
          ? {}
          : { cancellation_number: await nextNumber(trx, partner) }
      await documentStatement(trx, ctx.services, partner, {
        ...payout,
        cancellationNumber: cancellation.cancellation_number ?? null,
        canceledAt: now,
      })
      const failure_reason = payout.failureReason ?? reason
      return { canceled_at: now, failure_reason, ...cancellation }
    },
  })

/** The next number of the partner's statements and their cancellations. */
async function nextNumber(trx: Trx, { id, slug }: PayoutPartner): Promise<string> {
  return statementNumber(slug, await countStatements(trx, id))
}

/** A payout that came back may be paid again, so its entries are counted. */
async function chargeLedger(
  trx: Trx,
  payout: PayoutRow,
  type: 'payout' | 'payout_reversal',
  amount: bigint,
  now: Date,
): Promise<void> {
  const { partnerId, currency, id } = payout
  const count = await countPayoutCharges(trx, type, id)
  const sourceId = count === 0 ? id : `${id}#${count + 1}`
  await insertLedgerEntry(trx, {
    partnerId,
    currency,
    type,
    amount,
    sourceType: 'payout',
    sourceId,
    availableAt: now,
    createdAt: now,
  })
}

async function tellPartner(
  trx: Trx,
  { outbox, config }: InTransaction,
  partner: PayoutPartner,
  payout: PayoutRow,
): Promise<void> {
  const to = await partnerMailAddress(trx, partner.id)
  if (to === null) return
  await outbox.send(trx, {
    tenantId: null,
    template: 'payout.paid',
    to,
    values: (language) => ({
      'partner.name': partner.name,
      'payout.amount': formatAmount(BigInt(payout.amount), payout.currency, language),
      'payout.statement': payout.statementNumber ?? '',
      'payout.reference': payout.reference ?? '',
      'link.payouts': portalLink(config, '/partner/payouts'),
    }),
    key: `payout.paid:${payout.id}:${payout.version}`,
  })
}
