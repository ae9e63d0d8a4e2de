import { chargeStep } from '@atrium/core/billing/charges'
import {
  type AllowedCorrections,
  type CorrectInvoice,
  type CorrectionPage,
  type CorrectionView,
  creditLimit,
  type ListCorrections,
  needsSecondOperator,
} from '@atrium/core/billing/invoice-corrections'
import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import {
  type CorrectionRow,
  decideCorrection,
  findCorrection,
  findCorrectionOfRequest,
  insertCorrection,
  listCorrectedAlone,
  lockCorrection,
  lockCorrectionsOf,
  listCorrections as queryCorrections,
} from '@atrium/db/billing/invoice-corrections'
import { type InvoiceRow, lockInvoice } from '@atrium/db/billing/invoices'
import type { OperatorInvoiceRow } from '@atrium/db/billing/operator-invoices'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import type { InTransaction, Services } from '../../rpc/services.ts'
import { requireOpenBilling } from '../invoices/gate.ts'
import { readAllowedCorrections } from './allowed-corrections.ts'
import { carryOutCorrection } from './carry-out.ts'
import { readOperatorInvoice } from './list.ts'
import { correctionEntry } from './record.ts'
import { toCorrectionView } from './view.ts'

const dayMs = 24 * 3600 * 1000

export async function listCorrections(
  { database }: Services,
  { cursor, ...filter }: ListCorrections,
): Promise<CorrectionPage> {
  const { items, nextCursor } = cutPage(
    await queryCorrections(database.db, { ...filter, before: cursor }),
    filter.limit,
  )
  return { items: items.map(toCorrectionView), nextCursor }
}

/**
 * Corrects an invoice. Up to the limit it is carried out at once; beyond it waits for a second
 * operator. The row is written before the payment processor is called, so a lost answer is looked
 * up later: `approved` then says that it is still on its way. Throws AppError `not_found`,
 * `invoice_state`, `invalid_input`, `idempotency_mismatch`, `billing_disabled`,
 * `payments_not_configured`.
 */
export async function correctInvoice(
  ctx: Context,
  caller: Caller,
  input: CorrectInvoice,
): Promise<CorrectionView> {
  const { services } = ctx
  const { db } = services.database
  const invoice = await readOperatorInvoice(db, input.id)
  await requireOpenBilling(services, flagTargetOf(invoice))
  const actor = caller.id ?? caller.subject
  const row = await db.transaction().execute(async (trx) => {
    const requested = await request(trx, services, invoice, input, actor)
    const entry = correctionEntry('invoice.correction_requested', requested.row)
    if (requested.made) await services.audit.record(ctx, caller, entry, trx)
    return requested.row
  })
  if (row.state === 'approved') await carryOutCorrection(services, row.id, { ctx, caller })
  return toCorrectionView(await readCorrection(db, row.id))
}

async function request(
  trx: Trx,
  services: InTransaction,
  { tenantId }: OperatorInvoiceRow,
  input: CorrectInvoice,
  actor: string,
): Promise<{ row: CorrectionRow; made: boolean }> {
  const now = services.clock.now()
  await lockCorrectionsOf(trx, tenantId)
  const known = await findCorrectionOfRequest(trx, input.requestId)
  if (known) {
    if (!isSame(known, input, actor)) throw new AppError('idempotency_mismatch')
    return { row: known, made: false }
  }
  const invoice = await lockInvoice(trx, input.id)
  if (!invoice) throw new AppError('not_found', errorText('unknownInvoice'))
  const amount = amountOf(input, invoice, await readAllowedCorrections(trx, invoice), now)
  const { currency } = invoice
  const since = new Date(now.getTime() - dayMs)
  const before = await listCorrectedAlone(trx, { tenantId, requestedBy: actor, since })
  const id = await insertCorrection(trx, {
    requestId: input.requestId,
    invoiceId: invoice.id,
    tenantId,
    kind: input.kind,
    destination: input.destination ?? null,
    category: input.category ?? null,
    currency,
    amount,
    reason: input.reason,
    reference: input.reference ?? null,
    paidOn: input.paidOn ?? null,
    state: needsSecondOperator([...before, { amount, currency }]) ? 'pending' : 'approved',
    requestedBy: actor,
    now,
  })
  return { row: await readCorrection(trx, id), made: true }
}

function isSame(known: CorrectionRow, input: CorrectInvoice, actor: string): boolean {
  return (
    known.invoiceId === input.id &&
    known.kind === input.kind &&
    known.requestedById === actor &&
    known.destination === (input.destination ?? null) &&
    (input.amountMinor === undefined || BigInt(known.amount) === BigInt(input.amountMinor))
  )
}

/** What the correction is worth, with tax. Throws AppError `invoice_state`, `invalid_input`. */
function amountOf(
  input: CorrectInvoice,
  invoice: InvoiceRow,
  allowed: AllowedCorrections,
  now: Date,
): bigint {
  const remaining = BigInt(invoice.amountRemaining)
  const amount = BigInt(input.amountMinor ?? 0)
  switch (input.kind) {
    case 'credit':
      return creditOf(input, invoice, allowed)
    case 'transfer': {
      if (allowed.transfer === 0n) throw new AppError('invoice_state', errorText('invoiceNotOpen'))
      const { currency } = invoice
      if (amount !== allowed.transfer)
        throw rejected(
          'amountMinor',
          errorText('transferAmount', { due: { amount: allowed.transfer, currency } }),
        )
      if (input.paidOn !== undefined && input.paidOn > now.toISOString().slice(0, 10))
        throw rejected('paidOn', errorText('inFuture'))
      return amount
    }
    case 'write_off':
      if (!allowed.writeOff) throw new AppError('invoice_state', errorText('correctionNotPossible'))
      return remaining
    case 'void':
      if (!allowed.void) throw new AppError('invoice_state', errorText('correctionNotPossible'))
      return remaining
  }
}

function creditOf(input: CorrectInvoice, invoice: InvoiceRow, allowed: AllowedCorrections): bigint {
  const { status, currency } = invoice
  const destination = input.destination ?? null
  const amount = BigInt(input.amountMinor ?? 0)
  if (status !== 'open' && status !== 'paid')
    throw new AppError('invoice_state', errorText('creditNeedsOpenOrPaid'))
  if (status === 'paid' && destination === null)
    throw rejected('destination', errorText('creditDestinationMissing'))
  if (status === 'open' && destination !== null)
    throw rejected('destination', errorText('creditDestinationOfOpen'))
  const most = creditLimit(allowed, destination)
  if (amount > most)
    throw rejected('amountMinor', errorText('creditTooMuch', { most: { amount: most, currency } }))
  const step = BigInt(chargeStep(currency))
  if (destination === 'card' && amount % step !== 0n)
    throw rejected('amountMinor', errorText('refundStep', { step: { amount: step, currency } }))
  return amount
}

const rejected = (path: string, message: ErrorText) =>
  new AppError('invalid_input', undefined, { issues: [{ path, message }] })

/**
 * Decides what another operator asked for. What was possible then may not be possible any more: the
 * payment processor has the last word. Throws AppError `not_found`, `invoice_state`,
 * `self_approval`, `billing_disabled`, `payments_not_configured`.
 */
export async function decide(
  ctx: Context,
  caller: Caller,
  id: string,
  state: 'approved' | 'rejected',
): Promise<CorrectionView> {
  const { services } = ctx
  const { db } = services.database
  const waiting = await readCorrection(db, id)
  if (state === 'approved') {
    const invoice = await readOperatorInvoice(db, waiting.invoiceId)
    await requireOpenBilling(services, flagTargetOf(invoice))
  }
  const actor = caller.id ?? caller.subject
  const row = await db.transaction().execute(async (trx) => {
    const locked = await lockCorrection(trx, waiting.id)
    if (locked?.state !== 'pending')
      throw new AppError('invoice_state', errorText('correctionDecided'))
    if (state === 'approved' && locked.requestedById === actor)
      throw new AppError('self_approval', errorText('ownCorrection'))
    await decideCorrection(trx, locked.id, state, actor, services.clock.now())
    const decided = await readCorrection(trx, locked.id)
    await services.audit.record(ctx, caller, correctionEntry(decisions[state], decided), trx)
    return decided
  })
  if (state === 'approved') await carryOutCorrection(services, row.id, { ctx, caller })
  return toCorrectionView(await readCorrection(db, row.id))
}

async function readCorrection(db: Db | Trx, id: string): Promise<CorrectionRow> {
  const row = await findCorrection(db, id)
  if (!row) throw new AppError('not_found', errorText('unknownCorrection'))
  return row
}

const decisions = {
  approved: 'invoice.correction_approved',
  rejected: 'invoice.correction_rejected',
} as const

function flagTargetOf({ tenantSlug, tenantPlan, tenantPartnerSlug }: OperatorInvoiceRow) {
  return { slug: tenantSlug, plan: tenantPlan, partnerSlug: tenantPartnerSlug }
}
