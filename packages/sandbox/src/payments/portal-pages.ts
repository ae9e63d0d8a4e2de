import { Hono } from 'hono'
import { html, page } from '../page.ts'
import { tellSubscription } from './collection.ts'
import { answered } from './elements.ts'
import { day, money } from './forms.ts'
import { totalOf } from './invoice-amounts.ts'
import type { PortalSession, Subscription } from './records.ts'
import type { PaymentsWorld } from './world.ts'

/**
 * Stripe's billing portal in small: the customer's subscriptions and invoices, with cancelling and
 * taking that back.
 */
export function portalPages(current: () => PaymentsWorld): Hono {
  const app = new Hono()
  app.get('/portal/:session', (c) => {
    const world = current()
    const session = world.store.portalSessions.find(c.req.param('session'))
    return session ? answered(sessionPage(world, session)) : answered(missingPage(), 404)
  })
  app.post('/portal/:session', async (c) => {
    const world = current()
    const session = world.store.portalSessions.find(c.req.param('session'))
    const form = await c.req.formData()
    const subscription = world.store.subscriptions.find(String(form.get('subscription') ?? ''))
    if (!session || subscription?.customer !== session.customer) return answered(missingPage(), 404)
    const cancel = form.get('cancel') === 'yes'
    Object.assign(subscription, {
      cancelAtPeriodEnd: cancel,
      cancelAt: cancel ? subscription.periodEnd : null,
      canceledAt: cancel ? world.now() : null,
      cancelReason: cancel ? 'cancellation_requested' : null,
    })
    tellSubscription(world, 'customer.subscription.updated', subscription)
    world.changed()
    return c.redirect(`/portal/${session.id}`, 303)
  })
  return app
}

function sessionPage(world: PaymentsWorld, session: PortalSession) {
  const customer = world.store.customers.get(session.customer)
  const subscriptions = world.store.subscriptions
    .all()
    .filter((one) => one.customer === customer.id)
  const invoices = world.store.invoices
    .all()
    .filter((one) => one.customer === customer.id && one.status !== 'draft')
  return page({
    title: 'Billing portal',
    wide: true,
    body: html`<h1>Billing of ${customer.name ?? customer.id}</h1><p class="soft">Stands in for Stripe's billing portal.</p>
<section class="card"><h2>Subscriptions</h2>${subscriptions.length === 0 ? html`<p>None.</p>` : subscriptions.map((one) => subscriptionPart(world, session, one))}</section>
<section class="card"><h2>Invoices</h2>${invoices.length === 0 ? html`<p>None.</p>` : html`<ul>${invoices.reverse().map((one) => html`<li><a href="/invoices/${one.id}">${one.number ?? one.id}</a> ${money(totalOf(one), one.currency)}, ${one.status}</li>`)}</ul>`}</section>
${session.returnUrl !== null && html`<p><a href="${session.returnUrl}">Back to Atrium</a></p>`}`,
  })
}

function subscriptionPart(world: PaymentsWorld, session: PortalSession, one: Subscription) {
  const ended = one.status === 'canceled' || one.status === 'incomplete_expired'
  const product = world.store.products.find(world.store.prices.find(one.price)?.product ?? '')
  const end = one.cancelAtPeriodEnd ? `ends ${day(one.periodEnd)}` : `renews ${day(one.periodEnd)}`
  return html`<form class="row" method="post" action="/portal/${session.id}"><span>${one.quantity} × ${product?.name ?? one.price}, ${one.status}${ended ? '' : `, ${end}`}</span>
<input type="hidden" name="subscription" value="${one.id}">${!ended && html`<button class="plain" name="cancel" value="${one.cancelAtPeriodEnd ? 'no' : 'yes'}">${one.cancelAtPeriodEnd ? 'Keep it' : 'Cancel at the end of the period'}</button>`}</form>`
}

function missingPage() {
  return page({
    title: 'This link is used up',
    body: html`<h1>This link is used up</h1><p>Open the billing portal from Atrium again.</p>`,
  })
}
