import { cycles, plans } from './catalog.ts'
import type { Customer, Partner, Simulation } from './simulation.ts'

/** The customer's partner orders or changes something, which the owner may have to approve. */
export async function orderAsPartner(
  simulation: Simulation,
  customer: Customer,
  partner: Partner,
): Promise<void> {
  const { random } = simulation
  const path = `/tenants/${customer.slug}/subscription`
  const running = simulation.running.has(customer.id)
  const terms = { plan: random.one(plans), seats: 1 + random.whole(20) }
  const start = { ...terms, cycle: random.one(cycles), currency: customer.currency }
  if (!running) {
    const ordered = await simulation.call('order', partner.owner, 'POST', path, start)
    return keepOrder(simulation, customer, ordered)
  }
  const preview = await simulation.call('preview', partner.owner, 'POST', `${path}/preview`, terms)
  if (!preview.ok) return
  const change = { ...terms, quote: preview.body.quote }
  const what = 'change as partner'
  const changed = await simulation.call(what, partner.owner, 'POST', `${path}/change`, change)
  keepOrder(simulation, customer, changed)
}

/** What waits for the owner has changed nothing. */
function keepOrder(
  simulation: Simulation,
  customer: Customer,
  { ok, body }: { ok: boolean; body: OrderResult },
): void {
  const tenant = customer.slug
  if (ok && body.approvalId) simulation.decide({ what: 'asked', tenant })
  else if (body.outcome === 'awaiting_payment')
    simulation.decide({ what: 'terms', tenant, terms: null, waits: null })
  else simulation.agree(customer, { ok, view: body.subscription ?? null })
}

interface OrderResult {
  readonly approvalId?: string | null
  readonly outcome?: string
  readonly subscription?: Parameters<Simulation['agree']>[1]['view']
}

interface Approval {
  readonly id: string
  readonly kind: 'start' | 'change'
  readonly version: number
  readonly before: { plan: string; cycle: string; seats: number } | null
  readonly after: { plan: string; cycle: string; seats: number }
}

/** The owner approves or declines what the partner asked for; what nobody decides expires. */
export async function decideOnOrder(simulation: Simulation, customer: Customer): Promise<void> {
  const { random, service } = simulation
  const { owner } = customer
  const path = `/tenants/${customer.slug}`
  const { body } = await service.call(owner, 'GET', `${path}/approvals?status=pending`)
  const approval: Approval | undefined = body.items?.[0]
  if (!approval) return
  const decided = `${path}/approvals/${approval.id}`
  if (random.chance(0.3)) {
    await simulation.call('decline an order', owner, 'POST', `${decided}/decline`, {})
    return
  }
  const quote = approval.kind === 'change' ? await quoteOf(simulation, customer, approval) : {}
  const approved = { version: approval.version, ...quote }
  const done = await simulation.call(
    'approve an order',
    owner,
    'POST',
    `${decided}/approve`,
    approved,
  )
  keepOrder(simulation, customer, done)
}

/** Of a preview of what the order changes. */
async function quoteOf(
  simulation: Simulation,
  { slug, owner }: Customer,
  { before, after }: Approval,
): Promise<{ quote?: string }> {
  const change = {
    ...(after.plan !== before?.plan && { plan: after.plan }),
    ...(after.cycle !== before?.cycle && { cycle: after.cycle }),
    ...(after.seats !== before?.seats && { seats: after.seats }),
  }
  const path = `/tenants/${slug}/subscription/preview`
  const { ok, body } = await simulation.call('preview', owner, 'POST', path, change)
  return ok ? { quote: body.quote } : {}
}
