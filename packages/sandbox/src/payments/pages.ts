import { Hono } from 'hono'
import { html, type Markup, page } from '../page.ts'
import { act, type PaymentAction } from './actions.ts'
import type { Delivery } from './delivery.ts'
import { answered, elementsPages } from './elements.ts'
import { StripeFault } from './faults.ts'
import { day, money } from './forms.ts'
import { remaining, totalOf } from './invoice-amounts.ts'
import { invoicePages } from './invoice-pages.ts'
import { portalPages } from './portal-pages.ts'
import type { EventRecord, Invoice, Subscription } from './records.ts'
import type { PaymentsWorld } from './world.ts'

export interface PageParts {
  /** The world with all that is due carried out. */
  readonly current: () => PaymentsWorld
  readonly setNow: (moment: Date) => void
  readonly webhooks: Delivery
}

const shown = 25
const daySeconds = 86_400

/**
 * The pages for people: the overview with its buttons at `/`, the card form, invoices and the
 * billing portal. They work without script.
 */
export function paymentPages(parts: PageParts): Hono {
  const app = new Hono()
  app.get('/', () => answered(overview(parts.current(), undefined)))
  app.post('/buttons', async (c) => {
    const form = await c.req.formData()
    try {
      await press(parts, form)
    } catch (error) {
      if (error instanceof StripeFault)
        return answered(overview(parts.current(), error.message), 400)
      throw error
    }
    return c.redirect('/', 303)
  })
  app.route('/', elementsPages(parts.current))
  app.route('/', invoicePages(parts.current))
  app.route('/', portalPages(parts.current))
  return app
}

async function press({ current, setNow, webhooks }: PageParts, form: FormData): Promise<void> {
  const text = (name: string) => String(form.get(name) ?? '')
  const world = current()
  const days = Number(text('advance'))
  if (days > 0) return setNow(new Date((world.now() + days * daySeconds) * 1000))
  if (text('resend') !== '') {
    await webhooks.deliver([text('resend')])
    return
  }
  const action = actionOf(text('do'), text('id'))
  if (action) act(world, action)
  world.changed()
}

function actionOf(name: string, id: string): PaymentAction | undefined {
  switch (name) {
    case 'pay':
      return { action: 'pay', invoice: id }
    case 'charge':
      return { action: 'try_to_charge', invoice: id }
    case 'refund':
      return { action: 'refund', invoice: id }
    case 'dispute':
      return { action: 'dispute', invoice: id }
    case 'void':
      return { action: 'void_invoice', invoice: id }
    case 'won':
    case 'lost':
      return { action: 'close_dispute', dispute: id, outcome: name }
    case 'verify':
      return { action: 'verify_tax_id', taxId: id, status: 'verified' }
    default:
      return undefined
  }
}

function overview(world: PaymentsWorld, problem: string | undefined) {
  const { store } = world
  const customers = store.customers.all().filter((one) => !one.deleted)
  const openDisputes = store.disputes
    .all()
    .filter((one) => one.status !== 'won' && one.status !== 'lost')
  const pendingTaxIds = store.taxIds.all().filter((one) => one.status === 'pending')
  return page({
    title: 'Payments',
    wide: true,
    body: html`<h1>Payments</h1><p class="soft">Stands in for Stripe. Its clock: ${day(world.now())} · <a href="/">Refresh</a></p>
${problem !== undefined && html`<p class="alert" role="alert">${problem}</p>`}
<section class="card" aria-labelledby="clock"><h2 id="clock">Let time pass</h2><p>Trials end, periods begin, invoices are charged and tried again.</p>
<form class="row" method="post" action="/buttons">${[1, 3, 7, 31, 366].map((days) => html`<button class="plain" name="advance" value="${days}">${days} ${days === 1 ? 'day' : 'days'}</button>`)}</form></section>
${section(
  'customers',
  'Customers',
  ['Name', 'Email', 'Card', 'Id'],
  customers.map(
    (one) =>
      html`<tr><th scope="row">${one.name ?? '–'}</th><td>${one.email ?? '–'}</td><td>${cardOf(world, one.defaultPaymentMethod)}</td><td class="whole"><code>${one.id}</code></td></tr>`,
  ),
)}
${section(
  'subscriptions',
  'Subscriptions',
  ['Customer', 'What', 'Status', 'Period ends'],
  newest(store.subscriptions.all()).map((one) => subscriptionRow(world, one)),
)}
${section(
  'invoices',
  'Invoices',
  ['Number', 'Customer', 'Total', 'Status', 'Actions'],
  newest(store.invoices.all()).map((one) => invoiceRow(world, one)),
)}
${section(
  'disputes',
  'Open disputes',
  ['Amount', 'Invoice', 'Actions'],
  openDisputes.map(
    (one) =>
      html`<tr><th scope="row">${money(one.amount, one.currency)}</th><td>${store.invoices.find(one.invoice)?.number ?? one.invoice}</td><td>${buttons(
        one.id,
        [
          ['won', 'Won'],
          ['lost', 'Lost'],
        ],
      )}</td></tr>`,
  ),
)}
${section(
  'tax',
  'VAT numbers to be checked',
  ['Number', 'Actions'],
  pendingTaxIds.map(
    (one) =>
      html`<tr><th scope="row">${one.value}</th><td>${buttons(one.id, [['verify', 'It is valid']])}</td></tr>`,
  ),
)}
${section('events', 'Events', ['At', 'Type', 'Sent', 'Actions'], newest(store.events.all()).map(eventRow))}`,
  })
}

function newest<T>(rows: readonly T[]): T[] {
  return rows.slice(-shown).reverse()
}

function section(
  id: string,
  title: string,
  columns: readonly string[],
  rows: readonly Markup[],
): Markup {
  const table = html`<div class="scroll" tabindex="0" role="region" aria-label="${title}: table"><table><thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`
  return html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${rows.length > 0 ? table : html`<p class="soft">None yet.</p>`}</section>`
}

function buttons(id: string, actions: readonly (readonly [string, string])[]): Markup {
  if (actions.length === 0) return html`–`
  return html`<form class="row" method="post" action="/buttons"><input type="hidden" name="id" value="${id}">${actions.map(([name, label]) => html`<button class="plain" name="do" value="${name}">${label}</button>`)}</form>`
}

function cardOf(world: PaymentsWorld, id: string | null): string {
  const method = id === null ? undefined : world.store.paymentMethods.find(id)
  return method ? `•••• ${method.number.slice(-4)}` : 'none'
}

function subscriptionRow(world: PaymentsWorld, one: Subscription): Markup {
  const product = world.store.products.find(world.store.prices.find(one.price)?.product ?? '')
  return html`<tr><th scope="row">${world.store.customers.find(one.customer)?.name ?? one.customer}</th><td>${one.quantity} × ${product?.name ?? one.price}</td><td>${one.status}${one.cancelAtPeriodEnd && ', ends with the period'}${one.pendingUpdate !== null && ', a change waits for its payment'}</td><td class="whole">${day(one.periodEnd)}</td></tr>`
}

function invoiceRow(world: PaymentsWorld, one: Invoice): Markup {
  const open = one.status === 'open'
  const charged = one.status === 'paid' && one.payment?.status === 'succeeded'
  const actions = open
    ? ([
        ['charge', 'Try the card'],
        ['pay', 'Pay'],
        ['void', 'Void'],
      ] as const)
    : charged
      ? ([
          ['refund', 'Refund'],
          ['dispute', 'Dispute'],
        ] as const)
      : []
  return html`<tr><th scope="row"><a href="/invoices/${one.id}">${one.number ?? 'draft'}</a></th><td>${world.store.customers.find(one.customer)?.name ?? one.customer}</td><td>${money(totalOf(one), one.currency)}</td><td>${one.status}${open && `, ${money(remaining(one), one.currency)} to pay, tried ${one.attemptCount}×`}</td><td>${buttons(one.id, actions)}</td></tr>`
}

function eventRow(one: EventRecord): Markup {
  const sent = one.deliveries
    .map(({ status }) => (status === 0 ? 'no answer' : String(status)))
    .join(', ')
  return html`<tr><td class="whole">${day(one.created)}</td><th scope="row" class="whole"><code>${one.type}</code></th><td>${sent || 'not yet'}</td><td><form method="post" action="/buttons"><button class="plain" name="resend" value="${one.id}" aria-label="Send again: ${one.type}">Send again</button></form></td></tr>`
}
