import { agreeToSelfBilling } from './arrivals.ts'
import { currencies } from './catalog.ts'
import type { Partner, Simulation } from './simulation.ts'

/** A partner's margin, status, contract, ledger or consent changes. */
export async function actOnPartner(simulation: Simulation): Promise<void> {
  const { random } = simulation
  const partner = random.one(simulation.partners)
  if (!partner) return
  const kind = random.whole(100)
  if (kind < 30) await changeMargin(simulation, partner)
  else if (kind < 50) await changeStatus(simulation, partner)
  else if (kind < 53) await terminate(simulation, partner)
  else if (kind < 75) await adjustLedger(simulation, partner)
  else await agreeToSelfBilling(simulation, partner)
}

/** Holds from the first day of the next month on. */
async function changeMargin(simulation: Simulation, { slug }: Partner): Promise<void> {
  const { random, service } = simulation
  const marginPct = random.one([0, 5, 12.5, 17.35, 33.33, 50, 100]) ?? 20
  const { ok } = await simulation.call(
    'margin',
    service.operators[0],
    'PATCH',
    `/partners/${slug}`,
    {
      marginPct,
      reason: 'As agreed',
    },
  )
  if (!ok) return
  const at = service.now()
  const from = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1))
  simulation.decide({
    what: 'margin',
    partner: slug,
    basisPoints: Math.round(marginPct * 100),
    from: from.toISOString().slice(0, 10),
  })
}

async function changeStatus(simulation: Simulation, { slug }: Partner): Promise<void> {
  const [operator] = simulation.service.operators
  await simulation.call('partner status', operator, 'PATCH', `/partners/${slug}`, {
    status: simulation.random.chance(0.3) ? 'suspended' : 'active',
    reason: 'As agreed',
  })
}

async function terminate(simulation: Simulation, { slug }: Partner): Promise<void> {
  const [operator] = simulation.service.operators
  const path = `/partners/${slug}`
  const body = { reason: 'The contract ended' }
  const { ok } = await simulation.call('terminate a partner', operator, 'DELETE', path, body)
  if (ok) simulation.decide({ what: 'terminated', partner: slug })
}

async function adjustLedger(simulation: Simulation, { slug }: Partner): Promise<void> {
  const { random } = simulation
  const [operator] = simulation.service.operators
  const currency = random.one(currencies) ?? 'eur'
  const sign = random.chance(0.5) ? 1 : -1
  await simulation.call('adjust', operator, 'POST', '/billing/ledger-adjustments', {
    partnerSlug: slug,
    currency,
    amountMinor: sign * (1 + random.whole(currency === 'jpy' ? 900 : 40_000)),
    reason: 'A correction as agreed',
  })
}
