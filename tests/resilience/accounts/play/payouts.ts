import { currencies } from './catalog.ts'
import type { Simulation } from './simulation.ts'

const moves = ['approve', 'send', 'pay', 'hold', 'reopen', 'fail', 'void'] as const
/** What an operator does with a payout in this state, more often than not. */
const usualMoves: Readonly<Record<string, readonly string[]>> = {
  draft: ['approve', 'approve', 'approve', 'hold', 'void'],
  held: ['reopen', 'reopen', 'void'],
  approved: ['pay', 'pay', 'send', 'void'],
  in_transit: ['pay', 'pay', 'fail'],
  failed: ['reopen', 'void'],
  paid: ['fail'],
}

/** A partner asks for its money, or an operator moves a payout on. */
export async function actOnPayout(simulation: Simulation): Promise<void> {
  const { random, service } = simulation
  const [first, second] = service.operators
  const partner = random.one(simulation.partners)
  if (!partner) return
  if (random.chance(0.15)) {
    const path = `/partners/${partner.slug}/payouts`
    const currency = random.one(currencies)
    await simulation.call('request a payout', partner.owner, 'POST', path, { currency })
    return
  }
  const path = `/billing/payouts?partnerSlug=${partner.slug}&limit=20`
  const { body } = await service.call(first, 'GET', path)
  const all = (body.items as { id: string; status: string }[]).filter(
    ({ status }) => status !== 'canceled' && (status !== 'paid' || random.chance(0.1)),
  )
  const payout = random.one(all)
  if (!payout) return
  const usual = usualMoves[payout.status] ?? []
  const move = random.one(random.chance(0.85) ? usual : moves) ?? 'approve'
  const person = random.chance(0.5) ? first : second
  const moved = `/billing/payouts/${payout.id}/${move}`
  await simulation.call(`payout ${move}`, person, 'POST', moved, {
    ...(move === 'pay' ? { reference: 'TRANSFER' } : {}),
    ...(['hold', 'fail', 'void'].includes(move) ? { reason: 'As the bank said' } : {}),
  })
}
