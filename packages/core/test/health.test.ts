import { type HealthInput, tenantHealth } from '@atrium/core/health'
import { isProvisioned, provisioningSteps, statusAfterResume, stepStates, tenantStatuses } from '@atrium/core/tenants'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'

const now = new Date('2026-03-01T00:00:00Z')
const before = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
const healthy: HealthInput = {
  status: 'active',
  createdAt: before(24 * 90),
  provisioningStatus: { identity: 'ok', mail: 'skipped', files: 'ok' },
  provisioningChangedAt: before(24 * 90),
  seats: 10,
  memberCount: 8,
}
const points = (input: Partial<HealthInput>, signal: string) =>
  tenantHealth({ ...healthy, ...input }, now).factors.find((factor) => factor.signal === signal)?.value

describe('the health of a tenant', () => {
  it('has no score while fewer than three signals are known', () => {
    expect(tenantHealth(healthy, now)).toMatchObject({ score: null, band: 'unknown' })
    expect(tenantHealth({ ...healthy, createdAt: before(24) }, now)).toMatchObject({ score: null, band: 'new' })
  })
  it.each(['suspended', 'deleted'] as const)('is not asked of a tenant that is %s', (status) => {
    expect(tenantHealth({ ...healthy, status }, now)).toMatchObject({ score: null, band: 'inactive' })
  })
  it('weighs provisioning by what stands and for how long', () => {
    expect(points({}, 'provisioning')).toBe(1)
    const failed = { identity: 'ok', mail: 'error', files: 'ok' } as const
    expect(points({ provisioningStatus: failed, provisioningChangedAt: before(23) }, 'provisioning')).toBe(0.5)
    expect(points({ provisioningStatus: failed, provisioningChangedAt: before(25) }, 'provisioning')).toBe(0)
    const waiting = { identity: 'pending', mail: 'ok', files: 'ok' } as const
    expect(points({ provisioningStatus: waiting, provisioningChangedAt: before(0.5) }, 'provisioning')).toBe(1)
    expect(points({ provisioningStatus: waiting, provisioningChangedAt: before(2) }, 'provisioning')).toBe(0.5)
  })
  it.each([
    [10, 7, 1],
    [10, 10, 1],
    [10, 6, 0.5],
    [10, 4, 0.5],
    [10, 3, 0],
    [10, 11, 0.5],
    [0, 3, undefined],
  ])('of %i seats with %i members counts %s', (seats, memberCount, value) => {
    expect(points({ seats, memberCount }, 'seatUse')).toBe(value)
  })
  const state = fc.constantFrom(...stepStates)
  test.prop([fc.record({ identity: state, mail: state, files: state }), fc.nat(50), fc.nat(50), fc.constantFrom(...tenantStatuses)])(
    'is always whole: factors with hints, a score of 0 to 100 or none',
    (provisioningStatus, seats, memberCount, status) => {
      const health = tenantHealth({ ...healthy, provisioningStatus, seats, memberCount, status }, now)
      if (health.score !== null) expect(health.score >= 0 && health.score <= 100).toBe(true)
      for (const { value, hint } of health.factors) {
        expect([0, 0.5, 1]).toContain(value)
        expect(hint).toMatch(/\.$/)
      }
    },
  )
})

describe('the status after a resume', () => {
  const state = fc.constantFrom(...stepStates)
  test.prop([fc.record({ identity: state, mail: state, files: state })])('is active exactly when no step is left', (steps) => {
    const left = provisioningSteps.some((step) => steps[step] === 'pending' || steps[step] === 'error')
    expect(isProvisioned(steps)).toBe(!left)
    expect(statusAfterResume(steps)).toBe(left ? 'pending' : 'active')
  })
})
