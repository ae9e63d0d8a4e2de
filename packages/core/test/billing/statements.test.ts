import {
  decimalAmount,
  type Statement,
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
  ...{
    currency: 'eur',
    periodFrom: null,
    periodTo: '2026-02-01T00:00:00.000Z',
    paidAt: '2026-02-05T08:00:00.000Z',
    reference: 'SEPA 1',
  },
  amountMinor: 1_167,
  lines: [
    {
      ...{
        createdAt: '2026-01-03T00:00:00.000Z',
        type: 'accrual',
        tenantName: '=Acme',
        invoiceNumber: 'A-1',
        reason: null,
      },
      ...{ baseMinor: 10_000, marginPct: 17.5, amountMinor: 1_750 },
    },
    {
      ...{
        createdAt: '2026-01-09T00:00:00.000Z',
        type: 'clawback',
        tenantName: '=Acme',
        invoiceNumber: 'A-1',
        reason: null,
      },
      ...{ baseMinor: null, marginPct: null, amountMinor: -583 },
    },
  ],
}

it('writes amounts as plain decimals of the currency', () => {
  expect([
    decimalAmount(-583, 'eur'),
    decimalAmount(5, 'eur'),
    decimalAmount(1234, 'jpy'),
    decimalAmount(-1, 'kwd'),
  ]).toEqual([...['-5.83', '0.05', '1234', '-0.001']])
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
