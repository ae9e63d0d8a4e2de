import type { Invoice } from './records.ts'

export function subtotalOf(invoice: Pick<Invoice, 'lines'>): number {
  return invoice.lines.reduce((sum, line) => sum + line.amount, 0)
}

export function totalOf(invoice: Pick<Invoice, 'lines' | 'tax'>): number {
  return subtotalOf(invoice) + invoice.tax
}

export function remaining(invoice: Invoice): number {
  if (invoice.status === 'draft' || invoice.status === 'void')
    return invoice.status === 'draft' ? invoice.amountDue : 0
  return Math.max(0, invoice.amountDue - invoice.amountPaid)
}
