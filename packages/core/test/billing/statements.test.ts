import {
  cancellationCsv,
  cancellationHtml,
  decimalAmount,
  type Statement,
  type StatementLine,
  statementCsv,
  statementHtml,
  statementNumber,
} from '@atrium/core/billing/statements'
import { expect, it } from 'vitest'

const statement: Statement = {
  number: 'SB-NORTH-0003',
  partner: {
    slug: 'north',
    name: 'North',
    company: 'North & Söhne <GmbH>',
    vatNumber: 'DE136695976',
    country: 'DE',
  },
  currency: 'eur',
  periodFrom: null,
  periodTo: '2026-02-01T00:00:00.000Z',
  paidAt: '2026-02-05T08:00:00.000Z',
  reference: 'SEPA 1',
  status: 'paid',
  canceledAt: null,
  cancellationNumber: null,
  amountMinor: 1_167,
  lines: [
    {
      createdAt: '2026-01-03T00:00:00.000Z',
      type: 'accrual',
      tenantName: '=Acme',
      invoiceNumber: 'A-1',
      reason: null,
      baseMinor: 10_000,
      marginPct: 17.5,
      amountMinor: 1_750,
    },
    {
      createdAt: '2026-01-09T00:00:00.000Z',
      type: 'clawback',
      tenantName: '=Acme',
      invoiceNumber: 'A-1',
      reason: null,
      baseMinor: null,
      marginPct: null,
      amountMinor: -583,
    },
  ],
}

it('writes amounts as plain decimals of the currency', () => {
  expect([
    decimalAmount(-583, 'eur'),
    decimalAmount(5, 'eur'),
    decimalAmount(1234, 'jpy'),
    decimalAmount(-1, 'kwd'),
    decimalAmount(0, 'eur'),
    decimalAmount(-5, 'jpy'),
  ]).toEqual(['-5.83', '0.05', '1234', '-0.001', '0.00', '-5'])
})

it('numbers the statements of a partner in a row', () => {
  expect([statementNumber('north', 0), statementNumber('north', 41)]).toEqual([
    'SB-NORTH-0001',
    'SB-NORTH-0042',
  ])
})

it('is a sheet with numbers that can be summed and texts that are no formulas', () => {
  expect(statementCsv(statement).split('\r\n')).toEqual([
    'date,type,customer,invoice,base,margin_pct,amount,currency,reason',
    "2026-01-03,Share,'=Acme,A-1,100.00,17.5,17.50,EUR,",
    "2026-01-09,Claw-back,'=Acme,A-1,,,-5.83,EUR,",
    '',
  ])
})

it('is a page that shows names as they are', () => {
  const html = statementHtml(statement)
  expect(html).toContain('North &amp; Söhne &lt;GmbH&gt;, DE136695976, DE')
  expect(html).toContain('Self-billing statement SB-NORTH-0003')
  expect(html).toContain('11.67 EUR')
  expect(statementHtml({ ...statement, number: null })).toContain('(draft)')
})

it('is canceled by a document with every amount of it and the other sign', () => {
  const canceled: Statement = {
    ...statement,
    status: 'canceled',
    paidAt: null,
    reference: null,
    canceledAt: '2026-02-09T08:00:00.000Z',
    cancellationNumber: 'SB-NORTH-0004',
  }
  const html = cancellationHtml(canceled)
  expect(html).toContain('Cancellation SB-NORTH-0004 of self-billing statement SB-NORTH-0003')
  expect(html).toContain('<dt>Canceled</dt><dd>2026-02-09</dd>')
  expect(html).toContain('-11.67 EUR')
  expect(cancellationCsv(canceled).split('\r\n').slice(1, -1)).toEqual([
    "2026-01-03,Share,'=Acme,A-1,-100.00,17.5,-17.50,EUR,",
    "2026-01-09,Claw-back,'=Acme,A-1,,,5.83,EUR,",
  ])
})

it.each([
  [{ status: 'draft' }, 'not yet'],
  [{ status: 'failed' }, 'no, the transfer failed'],
  [{ status: 'canceled', canceledAt: '2026-02-09T08:00:00.000Z' }, 'no, canceled on 2026-02-09'],
  [
    {
      status: 'canceled',
      canceledAt: '2026-02-09T08:00:00.000Z',
      cancellationNumber: 'SB-NORTH-0004',
    },
    'no, canceled on 2026-02-09 by SB-NORTH-0004',
  ],
] as const)('that is not paid says so: %o', (fields, text) => {
  const html = statementHtml({ ...statement, paidAt: null, ...fields })
  expect(html).toContain(`<dt>Paid</dt><dd>${text}</dd>`)
})

it('names each kind of entry, and an adjustment by its reason', () => {
  const [first] = statement.lines
  const lineOf = (type: string) => ({
    ...(first as StatementLine),
    type,
    tenantName: null,
    invoiceNumber: null,
    reason: 'Thanks, "Ann"',
    baseMinor: 0,
    marginPct: 0,
    amountMinor: 0,
  })
  const types = ['clawback_reversal', 'dispute_hold', 'dispute_release', 'adjustment', 'later_kind']
  const lines = types.map(lineOf)
  expect(
    statementCsv({ ...statement, lines })
      .split('\r\n')
      .slice(1, -1),
  ).toEqual(
    ['Claw-back reversed', 'Held for a dispute', 'Dispute won', 'Adjustment', 'later_kind'].map(
      (name) => `2026-01-03,${name},,,0.00,0,0.00,EUR,"Thanks, ""Ann"""`,
    ),
  )
  const html = statementHtml({ ...statement, lines })
  expect(html).toContain('<td>Dispute won</td>')
  expect(html).toContain('<td>later_kind</td>')
  expect(html).toContain('<td></td><td>Thanks, &quot;Ann&quot;</td>')
  expect(html).toContain('<td class="n">0.00 EUR</td><td class="n">0 %</td>')
})

it('is a page with one row per line and the facts of the payout', () => {
  const html = statementHtml(statement)
  expect(html.match(/<dd>[^<]*<\/dd>/g)).toEqual([
    '<dd>North &amp; Söhne &lt;GmbH&gt;, DE136695976, DE</dd>',
    '<dd>from the beginning to 2026-02-01</dd>',
    '<dd>2026-02-05</dd>',
    '<dd>SEPA 1</dd>',
  ])
  const rows = html.slice(html.indexOf('<tbody>'), html.indexOf('</tbody>')).split('<tr>').slice(1)
  expect(
    rows.map((row) => [...row.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, cell]) => cell)),
  ).toEqual([
    ['2026-01-03', 'Share', '=Acme', 'A-1', '100.00 EUR', '17.5 %', '17.50 EUR'],
    ['2026-01-09', 'Claw-back', '=Acme', 'A-1', '', '', '-5.83 EUR'],
  ])

  const draft = statementHtml({
    ...statement,
    number: null,
    partner: { slug: 'north', name: "North's", company: null, vatNumber: null, country: null },
    periodFrom: '2026-01-01T00:00:00.000Z',
    paidAt: null,
    reference: null,
    lines: [],
  })
  expect(draft.match(/<dd>[^<]*<\/dd>/g)).toEqual([
    '<dd>North&#39;s</dd>',
    '<dd>2026-01-01 to 2026-02-01</dd>',
    '<dd>not yet</dd>',
    '<dd>–</dd>',
  ])
})
