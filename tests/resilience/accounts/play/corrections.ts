import type { Simulation } from './simulation.ts'

interface CorrectableInvoice {
  readonly id: string
  readonly amountRemainingMinor: number
  readonly amountPaidMinor: number
  readonly currency: string
}

const corrections = '/billing/invoice-corrections'

/** An operator corrects an invoice; large corrections wait for the other one. */
export async function correctInvoice(simulation: Simulation): Promise<void> {
  const { random, service } = simulation
  const [operator] = service.operators
  if (random.chance(0.3)) return decideOnCorrection(simulation)
  const { body } = await service.call(operator, 'GET', '/billing/invoices?limit=50')
  const invoice = random.one(body.items as CorrectableInvoice[])
  if (!invoice) return
  const owed = invoice.amountRemainingMinor
  const kind =
    owed > 0 ? (random.one(['credit', 'transfer', 'write_off', 'void']) ?? 'void') : 'credit'
  const most = owed > 0 ? owed : invoice.amountPaidMinor
  const step = invoice.currency === 'kwd' ? 10 : 1
  const part = Math.max(step, Math.floor(random.whole(most + 1) / step) * step)
  const paidOn = service.now().toISOString().slice(0, 10)
  const path = `/billing/invoices/${invoice.id}/corrections`
  await simulation.call(`correct an invoice, ${kind}`, operator, 'POST', path, {
    requestId: random.uuid(),
    kind,
    reason: 'As agreed with the customer',
    ...(kind === 'credit' ? { amountMinor: part } : {}),
    ...(kind === 'credit' && owed === 0
      ? { destination: random.one(['card', 'balance', 'outside']) }
      : {}),
    ...(kind === 'transfer' ? { amountMinor: owed, reference: 'TRANSFER', paidOn } : {}),
  })
}

/** The other operator approves or rejects what waits. */
async function decideOnCorrection(simulation: Simulation): Promise<void> {
  const { random, service } = simulation
  const [, other] = service.operators
  const { body } = await service.call(other, 'GET', `${corrections}?state=pending`)
  const id = body.items?.[0]?.id
  const decision = random.chance(0.8) ? 'approve' : 'reject'
  const path = `${corrections}/${id}/${decision}`
  if (id) await simulation.call(`${decision} a correction`, other, 'POST', path, {})
}
