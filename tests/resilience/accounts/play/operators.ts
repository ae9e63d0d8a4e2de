import { plans } from './catalog.ts'
import { correctInvoice } from './corrections.ts'
import { actOnPartner } from './partners.ts'
import type { Customer, Simulation } from './simulation.ts'

/** An operator corrects, ends, grants, deletes, or decides about a partner. */
export async function actAsOperator(simulation: Simulation): Promise<void> {
  const { random } = simulation
  if (random.chance(0.25)) return correctInvoice(simulation)
  const customer = random.one(simulation.customers)
  if (!customer) return
  const kind = random.whole(100)
  if (kind < 15) await changeSeats(simulation, customer)
  else if (kind < 22) await endSubscription(simulation, customer)
  else if (kind < 45) await giveToPartner(simulation, customer)
  else if (kind < 60) await grantPlan(simulation, customer)
  else if (kind < 63) await deleteTenant(simulation, customer)
  else await actOnPartner(simulation)
}

async function subscriptionIdOf(
  { service }: Simulation,
  { slug }: Customer,
): Promise<string | undefined> {
  const path = `/subscriptions?tenantSlug=${slug}`
  const { body } = await service.call(service.operators[0], 'GET', path)
  return body.items?.[0]?.id
}

async function changeSeats(simulation: Simulation, customer: Customer): Promise<void> {
  const id = await subscriptionIdOf(simulation, customer)
  if (!id) return
  const [operator] = simulation.service.operators
  const seats = 1 + simulation.random.whole(20)
  const path = `/subscriptions/${id}`
  const { ok, body } = await simulation.call('correct', operator, 'PATCH', path, { seats })
  simulation.agree(customer, { ok, view: ok ? body : null })
}

async function endSubscription(simulation: Simulation, customer: Customer): Promise<void> {
  const id = await subscriptionIdOf(simulation, customer)
  const [operator] = simulation.service.operators
  const when = simulation.random.chance(0.5) ? 'now' : 'period_end'
  if (id) await simulation.call('end', operator, 'DELETE', `/subscriptions/${id}?when=${when}`)
}

async function giveToPartner(simulation: Simulation, { slug }: Customer): Promise<void> {
  const { random } = simulation
  const [operator] = simulation.service.operators
  const partner = random.chance(0.75) ? random.one(simulation.partners) : undefined
  const { ok } = await simulation.call('give to a partner', operator, 'PATCH', `/tenants/${slug}`, {
    partnerId: partner?.id ?? null,
  })
  if (ok) simulation.decide({ what: 'partner', tenant: slug, partner: partner?.slug ?? null })
}

async function grantPlan(simulation: Simulation, { slug }: Customer): Promise<void> {
  const { random } = simulation
  const [operator] = simulation.service.operators
  const plan = random.one(['free', ...plans]) ?? 'free'
  const seats = plan === 'free' ? 5 : 1 + random.whole(30)
  const granted = { plan, seats }
  const { ok } = await simulation.call('grant', operator, 'PATCH', `/tenants/${slug}`, granted)
  if (ok) simulation.decide({ what: 'grant', tenant: slug, plan, seats })
}

async function deleteTenant(simulation: Simulation, { slug }: Customer): Promise<void> {
  const [operator] = simulation.service.operators
  const path = `/tenants/${slug}`
  const { ok } = await simulation.call('delete a tenant', operator, 'DELETE', path, {})
  if (ok) simulation.decide({ what: 'deleted', tenant: slug })
}
