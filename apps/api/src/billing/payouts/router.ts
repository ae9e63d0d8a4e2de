import {
  AdjustmentPage,
  AdjustmentPath,
  AdjustmentView,
  ConsentView,
  CreateAdjustment,
  ExportLedger,
  GiveConsent,
  LedgerPage,
  ListAdjustments,
  ListLedger,
  ListPartnerPayouts,
  ListPayouts,
  MovePayout,
  MovePayoutWithReason,
  PartnerBilling,
  PartnerBillingPath,
  PartnerPayoutDetail,
  PartnerPayoutPage,
  PartnerPayoutPath,
  PartnerPayoutView,
  PayoutDetail,
  PayoutPage,
  PayoutPath,
  PayPayout,
  ReadPartnerStatement,
  ReadStatement,
  RequestPayout,
  StatementDocument,
} from '@atrium/core/billing/payouts'
import type { ErrorCode } from '@atrium/core/platform/errors'
import { operator, partnerFinanceReader, partnerOwner, partnerSettler } from '../../rpc/guards.ts'
import { recentSignIn } from '../../rpc/procedure.ts'
import { router } from '../../rpc/trpc.ts'
import { createAdjustment, decide, listAdjustments } from './adjust.ts'
import { giveConsent } from './consent.ts'
import { requestPayout } from './create.ts'
import {
  getPartnerPayout,
  getPayout,
  listPartnerPayouts,
  listPayouts,
  readPartnerPayout,
  readPayout,
} from './get.ts'
import { exportLedger, getPartnerBilling, listLedger } from './ledger.ts'
import {
  approvePayout,
  failPayout,
  holdPayout,
  payPayout,
  reopenPayout,
  sendPayout,
  voidPayout,
} from './move.ts'
import { statementDocument } from './statement.ts'

const tags = ['payouts']
const payout = '/billing/payouts/{id}' as const
const statementTypes = ['text/html', 'text/csv', 'application/pdf', 'application/xml'] as const
const partner = '/partners/{slug}' as const
const adjustments = '/billing/ledger-adjustments' as const

/** What each step of a payout rejects with. */
const stepErrors = [
  'not_found',
  'version_conflict',
  'payout_state',
  'payout_held',
  'self_approval',
] as const satisfies ErrorCode[]

export const payoutsRouter = router({
  list: operator
    .meta({
      scope: 'billing:read',
      openapi: { method: 'GET', path: '/billing/payouts', tags, summary: 'List payouts' },
    })
    .input(ListPayouts)
    .output(PayoutPage)
    .query(({ ctx, input }) => listPayouts(ctx.services, input)),
  get: operator
    .meta({
      scope: 'billing:read',
      openapi: { method: 'GET', path: payout, tags, summary: 'Read a payout with its entries' },
      errors: ['not_found'],
    })
    .input(PayoutPath)
    .output(PayoutDetail)
    .query(({ ctx, input }) => getPayout(ctx.services, input.id)),
  approve: operator
    .meta({
      scope: 'never',
      openapi: { method: 'POST', path: `${payout}/approve`, tags, summary: 'Approve a payout' },
      audit: 'payout.approved',
      errors: stepErrors,
    })
    .input(MovePayout)
    .concat(recentSignIn)
    .output(PayoutDetail)
    .mutation(({ ctx, input }) => approvePayout(ctx, ctx.caller, input)),
  hold: operator
    .meta({
      scope: 'never',
      openapi: { method: 'POST', path: `${payout}/hold`, tags, summary: 'Hold a draft payout' },
      audit: 'payout.held',
      errors: stepErrors,
    })
    .input(MovePayoutWithReason)
    .output(PayoutDetail)
    .mutation(({ ctx, input }) => holdPayout(ctx, ctx.caller, input)),
  reopen: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${payout}/reopen`,
        tags,
        summary: 'Make a held or failed payout a draft again',
      },
      audit: 'payout.reopened',
      errors: stepErrors,
    })
    .input(MovePayout)
    .output(PayoutDetail)
    .mutation(({ ctx, input }) => reopenPayout(ctx, ctx.caller, input)),
  send: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${payout}/send`,
        tags,
        summary: 'Note that the transfer is on its way',
      },
      audit: 'payout.sent',
      errors: stepErrors,
    })
    .input(MovePayout)
    .output(PayoutDetail)
    .mutation(({ ctx, input }) => sendPayout(ctx, ctx.caller, input)),
  pay: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${payout}/pay`,
        tags,
        summary: 'Note that a payout is paid',
      },
      audit: 'payout.paid',
      errors: stepErrors,
    })
    .input(PayPayout)
    .concat(recentSignIn)
    .output(PayoutDetail)
    .mutation(({ ctx, input }) => payPayout(ctx, ctx.caller, input)),
  fail: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${payout}/fail`,
        tags,
        summary: 'Note that the transfer failed or came back',
      },
      audit: 'payout.failed',
      errors: stepErrors,
    })
    .input(MovePayoutWithReason)
    .output(PayoutDetail)
    .mutation(({ ctx, input }) => failPayout(ctx, ctx.caller, input)),
  void: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${payout}/void`,
        tags,
        summary: 'Cancel a payout and free its entries',
      },
      audit: 'payout.canceled',
      errors: stepErrors,
    })
    .input(MovePayoutWithReason)
    .concat(recentSignIn)
    .output(PayoutDetail)
    .mutation(({ ctx, input }) => voidPayout(ctx, ctx.caller, input)),
  statement: operator
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path: `${payout}/statement`,
        tags,
        summary: 'Read the statement of a payout',
      },
      file: statementTypes,
      errors: ['not_found', 'document_unavailable'],
    })
    .input(ReadStatement)
    .output(StatementDocument)
    .query(async ({ ctx, input }) =>
      statementDocument(
        ctx,
        ctx.caller,
        await readPayout(ctx.services.database.db, input.id),
        input,
      ),
    ),
  adjustments: operator
    .meta({
      scope: 'billing:read',
      openapi: { method: 'GET', path: adjustments, tags, summary: 'List adjustments of ledgers' },
    })
    .input(ListAdjustments)
    .output(AdjustmentPage)
    .query(({ ctx, input }) => listAdjustments(ctx.services, input)),
  adjust: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: adjustments,
        tags,
        summary: "Adjust a partner's ledger by hand",
      },
      audit: 'ledger.adjusted',
      errors: ['not_found'],
    })
    .input(CreateAdjustment)
    .concat(recentSignIn)
    .output(AdjustmentView)
    .mutation(({ ctx, input }) => createAdjustment(ctx, ctx.caller, input)),
  approveAdjustment: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${adjustments}/{id}/approve`,
        tags,
        summary: 'Approve an adjustment above the limit',
      },
      audit: 'ledger.adjusted',
      errors: ['payout_state', 'self_approval', 'not_found'],
    })
    .input(AdjustmentPath)
    .concat(recentSignIn)
    .output(AdjustmentView)
    .mutation(({ ctx, input }) => decide(ctx, ctx.caller, input.id, 'entered')),
  refuseAdjustment: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${adjustments}/{id}/refuse`,
        tags,
        summary: 'Refuse an adjustment above the limit',
      },
      audit: 'ledger.adjusted',
      errors: ['payout_state', 'self_approval', 'not_found'],
    })
    .input(AdjustmentPath)
    .output(AdjustmentView)
    .mutation(({ ctx, input }) => decide(ctx, ctx.caller, input.id, 'refused')),
  partnerBilling: partnerFinanceReader
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path: `${partner}/billing`,
        tags,
        summary: 'Read what a partner earns and has',
      },
    })
    .input(PartnerBillingPath)
    .output(PartnerBilling)
    .query(({ ctx }) => getPartnerBilling(ctx.services, ctx.partnerAccess)),
  ledger: partnerFinanceReader
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path: `${partner}/ledger`,
        tags,
        summary: "Read a partner's ledger",
      },
    })
    .input(ListLedger)
    .output(LedgerPage)
    .query(({ ctx, input }) => listLedger(ctx.services, ctx.partnerAccess, input)),
  exportLedger: partnerFinanceReader
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path: `${partner}/ledger/export`,
        tags,
        summary: "Export a partner's ledger as CSV",
      },
      export: { fileName: 'ledger', formats: ['csv'] },
    })
    .input(ExportLedger)
    .query(({ ctx, input }) => exportLedger(ctx.services, ctx.partnerAccess, input)),
  partnerList: partnerFinanceReader
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path: `${partner}/payouts`,
        tags,
        summary: "List a partner's payouts",
      },
    })
    .input(ListPartnerPayouts)
    .output(PartnerPayoutPage)
    .query(({ ctx, input }) => listPartnerPayouts(ctx.services, ctx.partnerAccess, input)),
  request: partnerOwner
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${partner}/payouts`,
        tags,
        summary: 'Ask for a payout before the monthly run',
      },
      audit: 'payout.requested',
      creates: true,
      errors: ['payout_state'],
    })
    .input(RequestPayout)
    .output(PartnerPayoutView)
    .mutation(({ ctx, input }) => requestPayout(ctx, ctx.partnerAccess, input)),
  partnerGet: partnerFinanceReader
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path: `${partner}/payouts/{payoutId}`,
        tags,
        summary: 'Read a payout of a partner',
      },
    })
    .input(PartnerPayoutPath)
    .output(PartnerPayoutDetail)
    .query(({ ctx, input }) => getPartnerPayout(ctx.services, ctx.partnerAccess, input)),
  partnerStatement: partnerFinanceReader
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path: `${partner}/payouts/{payoutId}/statement`,
        tags,
        summary: 'Read the statement of a payout',
      },
      file: statementTypes,
      errors: ['document_unavailable'],
    })
    .input(ReadPartnerStatement)
    .output(StatementDocument)
    .query(async ({ ctx, input }) =>
      statementDocument(
        ctx,
        ctx.partnerAccess.caller,
        await readPartnerPayout(ctx.services, ctx.partnerAccess, input.payoutId),
        input,
      ),
    ),
  consent: partnerSettler
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${partner}/self-billing-consent`,
        tags,
        summary: 'Agree to self-billing statements',
      },
      audit: 'partner_settings.updated',
      errors: ['partner_terminated'],
    })
    .input(GiveConsent)
    .output(ConsentView)
    .mutation(({ ctx }) => giveConsent(ctx, ctx.partnerAccess)),
})
