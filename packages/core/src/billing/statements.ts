import { csvLine } from '../audit/audit.ts'
import { minorUnitDigits } from './money.ts'
import type { PayoutStatus } from './payout-states.ts'

/**
 * One line of a statement: a share of an invoice, what was taken back of one, or an adjustment.
 * Amounts in minor units.
 */
export interface StatementLine {
  createdAt: string
  type: string
  tenantName: string | null
  invoiceNumber: string | null
  reason: string | null
  baseMinor: number | null
  marginPct: number | null
  amountMinor: number
}

/**
 * What a self-billing statement says. Kept as it is once the payout was paid for the first time,
 * except for what became of the payment.
 */
export interface Statement {
  /** Null before the payout was paid. */
  number: string | null
  partner: {
    slug: string
    name: string
    company: string | null
    vatNumber: string | null
    country: string | null
  }
  currency: string
  periodFrom: string | null
  periodTo: string
  /** What became of the payment. */
  status: PayoutStatus
  paidAt: string | null
  reference: string | null
  canceledAt: string | null
  /** The document that cancels it. */
  cancellationNumber: string | null
  amountMinor: number
  lines: StatementLine[]
}

/**
 * The number of a partner's next statement or cancellation: its slug and a series of its own
 * without gaps, such as `SB-NORTH-0001`.
 */
export function statementNumber(partnerSlug: string, written: number): string {
  return `SB-${partnerSlug.toUpperCase()}-${String(written + 1).padStart(4, '0')}`
}

/**
 * An amount as a plain decimal in the currency's units, such as `-5.83`; for documents and
 * spreadsheets, without locale.
 */
export function decimalAmount(minor: number, currency: string): string {
  const digits = minorUnitDigits(currency)
  const text = String(Math.abs(minor)).padStart(digits + 1, '0')
  const sign = minor < 0 ? '-' : ''
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`
}

const typeNames: Readonly<Record<string, string>> = {
  accrual: 'Share',
  clawback: 'Claw-back',
  clawback_reversal: 'Claw-back reversed',
  dispute_hold: 'Held for a dispute',
  dispute_release: 'Dispute won',
  adjustment: 'Adjustment',
}

/**
 * RFC 4180 with a header. Amounts are numbers, so that a spreadsheet can sum them; texts are safe
 * from being taken for formulas.
 */
export function statementCsv(statement: Statement): string {
  const { currency } = statement
  const header = [
    'date',
    'type',
    'customer',
    'invoice',
    'base',
    'margin_pct',
    'amount',
    'currency',
    'reason',
  ]
  const lines = statement.lines.map((line) => {
    const cells = [
      line.createdAt.slice(0, 10),
      typeNames[line.type] ?? line.type,
      line.tenantName,
      line.invoiceNumber,
    ]
    const base = line.baseMinor === null ? '' : decimalAmount(line.baseMinor, currency)
    // A negative number is no formula: csvLine would make a text of it.
    const numbers = [base, line.marginPct ?? '', decimalAmount(line.amountMinor, currency)].join(
      ',',
    )
    return `${csvLine(cells).trimEnd()},${numbers},${csvLine([currency.toUpperCase(), line.reason])}`
  })
  return csvLine(header) + lines.join('')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

const style = `body{font:14px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.35rem .5rem;border-bottom:1px solid #ccc}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}tfoot td{font-weight:700;border-bottom:0}
@media print{body{margin:0;max-width:none}}`

// The page has neither addresses nor tax, so it must not pass for the document that has both.
const purpose =
  'Lists what the payout consists of. Amounts include VAT where it applies. The document for accounting is the PDF or XML with the same number.'

/** A page without scripts, to be printed. Before the payout is paid it says that it is a draft. */
export function statementHtml(statement: Statement): string {
  const title =
    statement.number === null
      ? 'Self-billing statement (draft)'
      : `Self-billing statement ${statement.number}`
  return page(title, statement, [
    ['Paid', payment(statement)],
    ['Reference', statement.reference ?? '–'],
  ])
}

/** The document that cancels a statement: every amount of it with the other sign. */
export function cancellationHtml(statement: Statement): string {
  return page(
    `Cancellation ${statement.cancellationNumber} of self-billing statement ${statement.number}`,
    reversed(statement),
    [['Canceled', statement.canceledAt?.slice(0, 10) ?? '–']],
  )
}

/** The lines of the cancellation, as `statementCsv` writes them. */
export function cancellationCsv(statement: Statement): string {
  return statementCsv(reversed(statement))
}

function reversed(statement: Statement): Statement {
  return {
    ...statement,
    amountMinor: -statement.amountMinor,
    lines: statement.lines.map((line) => ({
      ...line,
      baseMinor: line.baseMinor === null ? null : -line.baseMinor,
      amountMinor: -line.amountMinor,
    })),
  }
}

function payment({ status, paidAt, canceledAt, cancellationNumber }: Statement): string {
  if (paidAt) return paidAt.slice(0, 10)
  if (status === 'failed') return 'no, the transfer failed'
  if (status !== 'canceled') return 'not yet'
  const by = cancellationNumber === null ? '' : ` by ${cancellationNumber}`
  return `no, canceled on ${canceledAt?.slice(0, 10)}${by}`
}

function page(title: string, statement: Statement, more: readonly [string, string][]): string {
  const { partner, currency } = statement
  const amount = (minor: number) => `${decimalAmount(minor, currency)} ${currency.toUpperCase()}`
  const facts = [
    [
      'Partner',
      [partner.company ?? partner.name, partner.vatNumber, partner.country]
        .filter((part) => part !== null)
        .join(', '),
    ],
    [
      'Period',
      `${statement.periodFrom?.slice(0, 10) ?? 'from the beginning'} to ${statement.periodTo.slice(0, 10)}`,
    ],
    ...more,
  ].map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value ?? '')}</dd>`)
  const rows = statement.lines.map(
    (
      line,
    ) => `<tr><td>${line.createdAt.slice(0, 10)}</td><td>${escaped(typeNames[line.type] ?? line.type)}</td>
<td>${escaped(line.tenantName ?? '')}</td><td>${escaped(line.invoiceNumber ?? line.reason ?? '')}</td>
<td class="n">${line.baseMinor === null ? '' : amount(line.baseMinor)}</td><td class="n">${line.marginPct === null ? '' : `${line.marginPct} %`}</td>
<td class="n">${amount(line.amountMinor)}</td></tr>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title><style>${style}</style></head>
<body><h1>${escaped(title)}</h1><p>${purpose}</p><dl>${facts.join('')}</dl>
<table><thead><tr><th>Date</th><th>Entry</th><th>Customer</th><th>Invoice or reason</th><th class="n">Base</th><th class="n">Margin</th><th class="n">Amount</th></tr></thead>
<tbody>${rows.join('\n')}</tbody>
<tfoot><tr><td colspan="6">Total</td><td class="n">${amount(statement.amountMinor)}</td></tr></tfoot></table></body></html>
`
}
