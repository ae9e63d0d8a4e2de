import { describe, expect, it } from 'vitest'
import { CorrectInvoice } from '../../src/billing/invoice-corrections.ts'
import { ListOperatorInvoices } from '../../src/billing/operator-invoices.ts'
import { StartPriceMigration } from '../../src/billing/price-migrations.ts'

describe('a day that an operator gives', () => {
  it.each([
    ['the first day of invoices', ListOperatorInvoices.shape.from],
    ['the last day of invoices', ListOperatorInvoices.shape.to],
    ['the day of a transfer', CorrectInvoice.shape.paidOn],
    ['the first day of a price migration', StartPriceMigration.shape.from],
  ])('is a day that PostgreSQL knows: %s', (_, day) => {
    expect(day.safeParse('0001-01-01').success).toBe(true)
    expect(day.safeParse('0000-01-01').success).toBe(false)
    expect(day.safeParse('2026-02-29').success).toBe(false)
  })
})
