import { cycles, plans } from './catalog.ts'
import { decideOnOrder, orderAsPartner } from './partner-orders.ts'
import type { Customer, Simulation } from './simulation.ts'

const badCards = ['pm_card_chargeCustomerFail', 'pm_card_authenticationRequired'] as const
const goodCards = ['pm_card_visa', 'pm_card_mastercard', 'pm_card_visa_debit'] as const

const subscriptionOf = ({ slug }: Customer) => `/tenants/${slug}/subscription`

/**
 * An owner starts, changes, cancels or keeps a subscription, enters a card or pays; or the partner
 * orders something.
 */
export async function actAsCustomer(simulation: Simulation, customer: Customer): Promise<void> {
  const { random } = simulation
  const partner = simulation.partnerOf(customer)
  if (partner && random.chance(0.06)) return orderAsPartner(simulation, customer, partner)
  if (partner && random.chance(0.06)) return decideOnOrder(simulation, customer)
  if (!simulation.running.has(customer.id) && random.chance(0.7))
    return subscribe(simulation, customer)
  const kind = random.whole(100)
  if (kind < 8) await subscribe(simulation, customer)
  else if (kind < 62) await changeTerms(simulation, customer)
  else if (kind < 74) await enterCard(simulation, customer)
  else if (kind < 80) await cancelOrKeep(simulation, customer, 'cancel')
  else if (kind < 86) await cancelOrKeep(simulation, customer, 'keep')
  else if (kind < 90) await discardPending(simulation, customer)
  else if (kind < 98) await payOpenInvoice(simulation, customer)
  else await removeCard(simulation, customer)
}

async function enterCard(simulation: Simulation, customer: Customer): Promise<void> {
  const { random } = simulation
  const path = `/tenants/${customer.slug}/billing`
  const intent = await simulation.call(
    'begin a card',
    customer.owner,
    'POST',
    `${path}/setup-intent`,
    {},
  )
  if (!intent.ok) return
  const card = random.one(random.chance(0.8) ? goodCards : badCards) ?? 'pm_card_visa'
  const [setupIntent = ''] = String(intent.body.clientSecret).split('_secret_')
  const confirmed = simulation.atProcessor({ action: 'confirm_setup', setupIntent, card })
  if (!confirmed) return
  await simulation.call('set the card', customer.owner, 'PUT', `${path}/payment-method`, {
    paymentMethodId: String(confirmed.payment_method),
  })
}

async function removeCard(simulation: Simulation, { slug, owner }: Customer): Promise<void> {
  const path = `/tenants/${slug}/billing/payment-method`
  await simulation.call('remove the card', owner, 'DELETE', path)
}

async function subscribe(simulation: Simulation, customer: Customer): Promise<void> {
  const { random } = simulation
  if (random.chance(0.85)) await enterCard(simulation, customer)
  const path = subscriptionOf(customer)
  const terms = {
    plan: random.one(plans),
    cycle: random.chance(0.75) ? 'month' : 'year',
    currency: customer.currency,
    seats: 1 + random.whole(20),
  }
  const { owner } = customer
  const preview = `${path}/start-preview`
  const quote = await simulation.call('preview a start', owner, 'POST', preview, terms)
  const { ok, body } = await simulation.call('subscribe', owner, 'POST', path, terms)
  if (ok && quote.ok && body.subscription.createdAt) {
    const { totalMinor, amountDueMinor } = quote.body
    simulation.decide({ what: 'quoted start', tenant: customer.slug, totalMinor, amountDueMinor })
  }
  simulation.agree(customer, { ok, view: body.subscription ?? null })
}

async function changeTerms(simulation: Simulation, customer: Customer): Promise<void> {
  const { random } = simulation
  const fields = {
    ...(random.chance(0.7) ? { seats: 1 + random.whole(20) } : {}),
    ...(random.chance(0.4) ? { plan: random.one(plans) } : {}),
    ...(random.chance(0.15) ? { cycle: random.one(cycles) } : {}),
  }
  if (Object.keys(fields).length === 0) return
  const path = subscriptionOf(customer)
  const { owner } = customer
  const preview = await simulation.call('preview', owner, 'POST', `${path}/preview`, fields)
  if (!preview.ok || random.chance(0.1)) return
  const change = { ...fields, quote: preview.body.quote }
  const { ok, body } = await simulation.call('change', owner, 'POST', `${path}/change`, change)
  if (body.outcome === 'awaiting_payment')
    simulation.decide({ what: 'terms', tenant: customer.slug, terms: null, waits: null })
  else simulation.agree(customer, { ok, view: body.subscription ?? null })
  if (!ok) return
  simulation.count(`change: ${body.outcome}`)
  const { effect, exact, totalMinor } = preview.body
  simulation.decide({ what: 'quoted', tenant: customer.slug, effect, exact, totalMinor })
}

async function cancelOrKeep(
  simulation: Simulation,
  customer: Customer,
  what: 'cancel' | 'keep',
): Promise<void> {
  const path = `${subscriptionOf(customer)}/${what}`
  const { ok, body } = await simulation.call(what, customer.owner, 'POST', path, {})
  simulation.agree(customer, { ok, view: ok ? body : null })
}

/** A change that waits for the end of the period is taken back. */
async function discardPending(simulation: Simulation, customer: Customer): Promise<void> {
  const path = subscriptionOf(customer)
  const { ok } = await simulation.call('discard', customer.owner, 'DELETE', `${path}/pending`)
  const after = ok ? await simulation.service.call(customer.owner, 'GET', path) : undefined
  simulation.agree(customer, { ok, view: after?.body ?? null })
}

async function payOpenInvoice(simulation: Simulation, { slug, owner }: Customer): Promise<void> {
  const path = `/tenants/${slug}/invoices`
  const { ok, body } = await simulation.call('list invoices', owner, 'GET', path)
  const owed =
    ok &&
    body.items.find(
      (invoice: { amountRemainingMinor: number; status: string }) =>
        invoice.amountRemainingMinor > 0 &&
        ['open', 'overdue', 'uncollectible'].includes(invoice.status),
    )
  if (owed) await simulation.call('pay', owner, 'POST', `${path}/${owed.id}/pay`, {})
}
