import type { ProvisioningStatus, TenantHealth, TenantStatus } from './tenants.ts'
import { provisioningSteps } from './tenants.ts'

const monthMs = 30 * 24 * 3600 * 1000
const hourMs = 3600 * 1000

/** What the score is computed from. A signal that is not known is left out of the sum and of its weight. */
export interface HealthInput {
  status: TenantStatus
  createdAt: Date
  provisioningStatus: ProvisioningStatus
  /** Since when the steps stand as they are. */
  provisioningChangedAt: Date
  seats: number
  memberCount: number
}

interface Signal {
  signal: string
  weight: number
  /** 1 good, 0.5 fair, 0 poor. */
  value: number
  hint: string
}

/**
 * Health of a tenant: weighted share of the signals that are known, 0 to 100; fewer than three known gives no score
 * (docs/contract.md, tenants). Payment, activity, mail trust and security join when their domains record them.
 */
export function tenantHealth(input: HealthInput, now: Date): TenantHealth {
  const signals = [provisioningSignal(input, now), seatSignal(input)].filter((signal) => signal !== undefined)
  const factors = signals.map(({ signal, weight, value, hint }) => ({ signal, value, points: weight * value, hint }))
  if (input.status === 'suspended' || input.status === 'deleted') return { score: null, band: 'inactive', factors }
  if (signals.length < 3) {
    const young = now.getTime() - input.createdAt.getTime() < monthMs
    return { score: null, band: young ? 'new' : 'unknown', factors }
  }
  const weight = signals.reduce((sum, signal) => sum + signal.weight, 0)
  const score = Math.round((100 * factors.reduce((sum, factor) => sum + factor.points, 0)) / weight)
  return { score, band: score >= 75 ? 'healthy' : score >= 50 ? 'watch' : 'at_risk', factors }
}

function provisioningSignal(input: HealthInput, now: Date): Signal {
  const age = now.getTime() - input.provisioningChangedAt.getTime()
  const states = provisioningSteps.map((step) => input.provisioningStatus[step])
  const base = { signal: 'provisioning', weight: 15 }
  if (states.includes('error')) {
    return age > 24 * hourMs
      ? { ...base, value: 0, hint: 'A provisioning step has failed for more than a day. Reconcile the tenant.' }
      : { ...base, value: 0.5, hint: 'A provisioning step failed. It is retried; reconcile to try at once.' }
  }
  if (states.includes('pending')) {
    return age > hourMs
      ? { ...base, value: 0.5, hint: 'Provisioning has been waiting for more than an hour. Reconcile the tenant.' }
      : { ...base, value: 1, hint: 'Provisioning is under way.' }
  }
  return { ...base, value: 1, hint: 'Every provisioning step is done.' }
}

function seatSignal({ seats, memberCount }: HealthInput): Signal | undefined {
  if (seats === 0) return undefined
  const use = memberCount / seats
  const base = { signal: 'seatUse', weight: 20 }
  if (use > 1) return { ...base, value: 0.5, hint: 'There are more members than seats.' }
  if (use >= 0.7) return { ...base, value: 1, hint: 'Most seats are in use.' }
  if (use >= 0.4) return { ...base, value: 0.5, hint: 'Fewer than 70 % of the seats are in use.' }
  return { ...base, value: 0, hint: 'Fewer than 40 % of the seats are in use.' }
}
