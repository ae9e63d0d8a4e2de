import { toMinorNumber } from '@atrium/core/billing/money'
import type { StatementDocument, statementFormats } from '@atrium/core/billing/payouts'
import { type Statement, statementCsv, statementHtml } from '@atrium/core/billing/statements'
import { listPayoutEntries } from '@atrium/db/billing/ledger'
import { findPayoutPartner, findStatement, type PayoutRow } from '@atrium/db/billing/payouts'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { Services } from '../../rpc/services.ts'
import { toLedgerEntryView } from './view.ts'

/** The statement as it stands now: a draft, or what is kept when the payout is paid. */
export async function writeStatement(db: Db | Trx, payout: PayoutRow): Promise<Statement> {
  const partner = await findPayoutPartner(db, payout.partnerSlug)
  const entries = await listPayoutEntries(db, payout.id)
  return {
    number: payout.statementNumber,
    partner: {
      slug: payout.partnerSlug,
      name: payout.partnerName,
      company: partner?.billingCompany ?? null,
      vatNumber: partner?.billingVatNumber ?? null,
      country: partner?.billingCountry ?? null,
    },
    currency: payout.currency,
    periodFrom: payout.periodFrom?.toISOString() ?? null,
    periodTo: payout.periodTo.toISOString(),
    paidAt: payout.paidAt?.toISOString() ?? null,
    reference: payout.reference,
    amountMinor: toMinorNumber(payout.amount),
    lines: entries.map((row) => {
      const {
        createdAt,
        type,
        tenantName,
        invoiceNumber,
        reason,
        baseMinor,
        marginPct,
        amountMinor,
      } = toLedgerEntryView(row)
      return {
        createdAt,
        type,
        tenantName,
        invoiceNumber,
        reason,
        baseMinor,
        marginPct,
        amountMinor,
      }
    }),
  }
}

/**
 * The statement of a payout to be printed, or for a spreadsheet. What was written when it was paid
 * never changes.
 */
export async function statementDocument(
  { database: { db } }: Services,
  payout: PayoutRow,
  format: (typeof statementFormats)[number],
): Promise<StatementDocument> {
  // Written by us and by nobody else, so its shape is known.
  const kept = (await findStatement(db, payout.id)) as Statement | null
  const statement = kept ?? (await writeStatement(db, payout))
  const name = (statement.number ?? `draft-${payout.id}`).toLowerCase()
  return format === 'csv'
    ? {
        fileName: `${name}.csv`,
        contentType: 'text/csv; charset=utf-8',
        text: statementCsv(statement),
      }
    : {
        fileName: `${name}.html`,
        contentType: 'text/html; charset=utf-8',
        text: statementHtml(statement),
      }
}
