import { Hono } from 'hono'
import { html, page } from '../page.ts'
import { payWithCard } from './actions.ts'
import { collect } from './collection.ts'
import { answered } from './elements.ts'
import { StripeFault } from './faults.ts'
import { cardForm, day, money, readCard } from './forms.ts'
import { remaining, taxOf, totalExcludingTaxOf, totalOf } from './invoice-amounts.ts'
import { pdfOf } from './pdf.ts'
import type { Invoice } from './records.ts'
import type { PaymentsWorld } from './world.ts'

/** The hosted page of an invoice, where it can be paid, and its document. */
export function invoicePages(current: () => PaymentsWorld): Hono {
  const app = new Hono()
  app.get('/invoices/:id', (c) => {
    const invoice = current().store.invoices.find(c.req.param('id'))
    return invoice ? answered(invoicePage(invoice, undefined)) : answered(missingPage(), 404)
  })
  app.post('/invoices/:id', async (c) => {
    const world = current()
    const invoice = world.store.invoices.find(c.req.param('id'))
    if (!invoice) return answered(missingPage(), 404)
    const form = await c.req.formData()
    const problem = pay(world, invoice, form)
    world.changed()
    return problem === undefined
      ? c.redirect(`/invoices/${invoice.id}`, 303)
      : answered(invoicePage(invoice, problem), 402)
  })
  app.get('/invoices/:id/pdf', (c) => {
    const world = current()
    const invoice = world.store.invoices.find(c.req.param('id'))
    if (!invoice) return answered(missingPage(), 404)
    const name = `${invoice.number ?? invoice.id}.pdf`
    return new Response(pdfOf(linesOf(world, invoice)), {
      headers: {
        'content-type': 'application/pdf',
        'content-disposition': `attachment; filename="${name}"`,
      },
    })
  })
  return app
}

function pay(world: PaymentsWorld, invoice: Invoice, form: FormData): string | undefined {
  const entry = readCard(form, world.now())
  if ('problem' in entry) return entry.problem
  try {
    if (entry.number === '') collect(world, invoice, { confirmed: true })
    else payWithCard(world, invoice.id, entry.number)
  } catch (error) {
    if (error instanceof StripeFault) return error.message
    throw error
  }
  return invoice.status === 'paid' ? undefined : 'The card was declined.'
}

function invoicePage(invoice: Invoice, problem: string | undefined) {
  const { currency } = invoice
  const rows = invoice.lines.map(
    (line) =>
      html`<tr><th scope="row">${line.description}</th><td>${day(line.start)} to ${day(line.end)}</td><td>${money(line.amount, currency)}</td></tr>`,
  )
  return page({
    title: `Invoice ${invoice.number ?? 'draft'}`,
    wide: true,
    body: html`<h1>Invoice ${invoice.number ?? 'draft'}</h1><p class="soft">${invoice.status}, ${money(totalOf(invoice), currency)}</p>
${problem !== undefined && html`<p class="alert" role="alert">${problem}</p>`}
<div class="card"><div class="scroll" tabindex="0" role="region" aria-label="Lines"><table><thead><tr><th scope="col">What</th><th scope="col">Period</th><th scope="col">Amount</th></tr></thead><tbody>${rows}</tbody></table></div>
<p>Tax ${money(taxOf(invoice), currency)}, total ${money(totalOf(invoice), currency)}, still to pay ${money(remaining(invoice), currency)}.</p>
<p><a href="/invoices/${invoice.id}/pdf">Download as PDF</a></p></div>
${invoice.status === 'open' && html`<div class="card"><h2>Pay</h2><form method="post"><input type="hidden" name="number" value=""><button>Pay with the card on file</button></form>${cardForm(`/invoices/${invoice.id}`, {}, 'Pay with this card')}</div>`}`,
  })
}

function linesOf(world: PaymentsWorld, invoice: Invoice): string[] {
  const { currency } = invoice
  return [
    `Invoice ${invoice.number ?? 'draft'}`,
    `Date ${day(invoice.finalizedAt)}`,
    `To ${world.store.customers.find(invoice.customer)?.name ?? ''}`,
    '',
    ...invoice.lines.map((line) => `${line.description}: ${money(line.amount, currency)}`),
    '',
    `Net ${money(totalExcludingTaxOf(invoice), currency)}`,
    `Tax ${money(taxOf(invoice), currency)}`,
    `Total ${money(totalOf(invoice), currency)}`,
    '',
    'Made by the sandbox. Not a real invoice.',
  ]
}

function missingPage() {
  return page({
    title: 'No such invoice',
    body: html`<h1>No such invoice</h1><p>The sandbox was put back to its seed meanwhile.</p>`,
  })
}
