import { Hono } from 'hono'
import { html, type Markup, page } from '../page.ts'
import { payWithCard } from './actions.ts'
import { findCard, passesLuhn, type TestCard } from './cards.ts'
import { collect, methodFor } from './collection.ts'
import { StripeFault } from './faults.ts'
import { type CardEntry, cardForm, money, readCard } from './forms.ts'
import { attachCard, confirmSetup } from './people.ts'
import type { Invoice, SetupIntent } from './records.ts'
import type { PaymentsWorld } from './world.ts'

/** What a client secret stands for: a card to be kept, or an invoice to be paid. */
type Subject =
  | { readonly kind: 'setup'; readonly intent: SetupIntent }
  | { readonly kind: 'payment'; readonly invoice: Invoice }

type Result = 'succeeded' | 'confirm' | { readonly problem: string }

/**
 * Stands in for Stripe's own card entry in the browser: a page of its own that confirms a setup or
 * payment intent and goes back to `return_url` with what Stripe.js adds to it. It works without
 * script.
 */
export function elementsPages(current: () => PaymentsWorld): Hono {
  const app = new Hono()

  app.get('/elements', (c) => {
    const world = current()
    const subject = subjectOf(world, c.req.query('client_secret') ?? '')
    const back = returnAddress(c.req.query('return_url') ?? '')
    if (!subject || !back) return answered(missingPage(), 404)
    if (isDone(subject)) return c.redirect(goBack(subject, back, 'succeeded'), 303)
    const number = cardToConfirm(world, subject)
    return answered(
      number === undefined
        ? formPage(subject, back, undefined)
        : confirmPage(subject, back, number),
    )
  })

  app.post('/elements', async (c) => {
    const world = current()
    const form = await c.req.formData()
    const subject = subjectOf(world, String(form.get('client_secret') ?? ''))
    const back = returnAddress(String(form.get('return_url') ?? ''))
    if (!subject || !back) return answered(missingPage(), 404)
    if (isDone(subject)) return c.redirect(goBack(subject, back, 'succeeded'), 303)
    if (form.get('confirmation') === 'refused')
      return c.redirect(goBack(subject, back, 'failed'), 303)
    const entry = readCard(form, world.now())
    if ('problem' in entry) return answered(formPage(subject, back, entry.problem), 400)
    const result = enter(world, subject, entry, form.get('confirmation') === 'given')
    world.changed()
    if (result === 'succeeded') return c.redirect(goBack(subject, back, 'succeeded'), 303)
    if (result === 'confirm') return answered(confirmPage(subject, back, entry.number))
    return answered(formPage(subject, back, result.problem), 402)
  })
  return app
}

function enter(
  world: PaymentsWorld,
  subject: Subject,
  entry: CardEntry,
  confirmed: boolean,
): Result {
  const card = findCard(entry.number)
  if (!card) return { problem: unknownCard(entry.number) }
  try {
    return subject.kind === 'setup'
      ? setUp(world, subject.intent, card, entry, confirmed)
      : pay(world, subject.invoice, card, entry, confirmed)
  } catch (error) {
    if (error instanceof StripeFault) return { problem: sentenceOf(error) }
    throw error
  }
}

function setUp(
  world: PaymentsWorld,
  intent: SetupIntent,
  card: TestCard,
  { expiry }: CardEntry,
  confirmed: boolean,
): Result {
  const outcome = confirmSetup(world, intent, card, expiry, confirmed)
  if (outcome === 'requires_action') return 'confirm'
  return outcome === 'succeeded' ? 'succeeded' : { problem: declineSentence(outcome.declined) }
}

function pay(
  world: PaymentsWorld,
  invoice: Invoice,
  card: TestCard,
  { expiry }: CardEntry,
  confirmed: boolean,
): Result {
  if (card.charge === 'confirm' && !confirmed) return 'confirm'
  if (card.charge === 'ok' && !confirmed && expiry === undefined) {
    payWithCard(world, invoice.id, card.number)
    return 'succeeded'
  }
  const customer = world.store.customers.get(invoice.customer)
  const method = attachCard(world, customer, card, expiry)
  const attempt = collect(world, invoice, { method, confirmed: true })
  if (attempt.outcome !== 'paid') return { problem: declineSentence(attempt.code) }
  customer.defaultPaymentMethod ??= method.id
  return 'succeeded'
}

function subjectOf(world: PaymentsWorld, secret: string): Subject | undefined {
  if (secret === '') return undefined
  const intent = world.store.setupIntents.all().find((one) => one.secret === secret)
  if (intent) return { kind: 'setup', intent }
  const invoice = world.store.invoices.all().find((one) => one.payment?.secret === secret)
  return invoice && { kind: 'payment', invoice }
}

function isDone(subject: Subject): boolean {
  return subject.kind === 'setup'
    ? subject.intent.status === 'succeeded'
    : subject.invoice.status === 'paid'
}

/** The card that was charged and whose holder has to confirm it, as Stripe.js goes on with it. */
function cardToConfirm(world: PaymentsWorld, subject: Subject): string | undefined {
  if (subject.kind === 'setup' || subject.invoice.payment?.status !== 'requires_action')
    return undefined
  return methodFor(world, subject.invoice)?.number
}

function returnAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url : undefined
}

/**
 * With the parameters that Stripe.js adds, so that the page that comes next needs not know where it
 * came from.
 */
function goBack(subject: Subject, back: URL, status: 'succeeded' | 'failed'): string {
  const url = new URL(back)
  const [name, id, secret] =
    subject.kind === 'setup'
      ? ['setup_intent', subject.intent.id, subject.intent.secret]
      : ['payment_intent', subject.invoice.payment?.id ?? '', subject.invoice.payment?.secret ?? '']
  url.searchParams.set(name, id)
  url.searchParams.set(`${name}_client_secret`, secret)
  url.searchParams.set('redirect_status', status)
  return url.href
}

function secretOf(subject: Subject): string {
  return subject.kind === 'setup' ? subject.intent.secret : (subject.invoice.payment?.secret ?? '')
}

function purposeOf(subject: Subject): Markup {
  if (subject.kind === 'setup')
    return html`<p>The card is kept and charged for later invoices. Nothing is charged now.</p>`
  const { invoice } = subject
  return html`<p>Invoice ${invoice.number ?? ''}: <b>${money(invoice.amountDue, invoice.currency)}</b> is charged now.</p>`
}

function formPage(subject: Subject, back: URL, problem: string | undefined) {
  return page({
    title: 'Card details',
    formTargets: [back.origin],
    body: html`<h1>Card details</h1><p class="soft">The sandbox's own card form. No real card works here, and nothing leaves this machine.</p>
${problem !== undefined && html`<p class="alert" role="alert">${problem}</p>`}
<div class="card">${purposeOf(subject)}${cardForm(
      '/elements',
      { client_secret: secretOf(subject), return_url: back.href },
      subject.kind === 'setup' ? 'Save the card' : 'Pay',
    )}</div><p><a href="${back.href}">Back without a card</a></p>`,
  })
}

function confirmPage(subject: Subject, back: URL, number: string) {
  return page({
    title: 'Confirm with your bank',
    formTargets: [back.origin],
    body: html`<h1>Confirm with your bank</h1><div class="card"><p>This stands in for the page on which the bank of the card asks its holder (3-D Secure).</p>
<form class="row" method="post" action="/elements"><input type="hidden" name="client_secret" value="${secretOf(subject)}"><input type="hidden" name="return_url" value="${back.href}"><input type="hidden" name="number" value="${number}">
<button name="confirmation" value="given">Confirm</button><button class="plain" name="confirmation" value="refused">Refuse</button></form></div>`,
  })
}

function missingPage() {
  return page({
    title: 'Nothing to enter a card for',
    body: html`<h1>Nothing to enter a card for</h1><p>The link is incomplete, or the sandbox was put back to its seed meanwhile. Start again in the portal.</p>`,
  })
}

function unknownCard(number: string): string {
  return passesLuhn(number)
    ? 'This is no test card. Take one of those below.'
    : 'The card number is wrong.'
}

function sentenceOf(fault: StripeFault): string {
  return fault.body.decline_code === undefined
    ? fault.message
    : declineSentence(fault.body.decline_code)
}

function declineSentence(code: string): string {
  if (code === 'insufficient_funds') return 'The card was declined: not enough money.'
  if (code === 'expired_card') return 'The card was declined: it has expired.'
  return 'The card was declined.'
}

export function answered({ body, headers }: ReturnType<typeof page>, status = 200): Response {
  return new Response(body, { status, headers })
}
