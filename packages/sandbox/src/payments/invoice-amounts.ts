import type { Invoice, LineTax } from './records.ts'

interface Taxed {
  readonly lines: readonly { readonly amount: number; readonly taxes: readonly LineTax[] }[]
}

/** Before tax where it is exclusive, with it where it is inclusive. */
export function subtotalOf({ lines }: Taxed): number {
  return lines.reduce((sum, line) => sum + line.amount, 0)
}

/** All tax, whether it was added or is part of the amounts. */
export function taxOf({ lines }: Taxed): number {
  return sumOfTaxes(lines, () => true)
}

export function totalOf(taxed: Taxed): number {
  return subtotalOf(taxed) + sumOfTaxes(taxed.lines, ({ inclusive }) => !inclusive)
}

export function totalExcludingTaxOf(taxed: Taxed): number {
  return totalOf(taxed) - taxOf(taxed)
}

/** One entry per rate, behaviour and reason, in the order of the lines. */
export function totalTaxesOf({ lines }: Taxed): LineTax[] {
  const totals = new Map<string, LineTax>()
  for (const tax of lines.flatMap(({ taxes }) => taxes)) {
    const key = `${tax.rate} ${tax.inclusive} ${tax.reason}`
    const before = totals.get(key)
    totals.set(key, {
      ...tax,
      amount: tax.amount + (before?.amount ?? 0),
      taxableAmount: tax.taxableAmount + (before?.taxableAmount ?? 0),
    })
  }
  return [...totals.values()]
}

function sumOfTaxes(lines: Taxed['lines'], counts: (tax: LineTax) => boolean): number {
  return lines
    .flatMap(({ taxes }) => taxes)
    .filter(counts)
    .reduce((sum, tax) => sum + tax.amount, 0)
}

export function remaining(invoice: Invoice): number {
  if (invoice.status === 'draft' || invoice.status === 'void')
    return invoice.status === 'draft' ? invoice.amountDue : 0
  return Math.max(0, invoice.amountDue - invoice.amountPaid)
}
