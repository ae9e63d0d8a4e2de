import {
  bandOf,
  gatherHealth,
  type HealthInput,
  healthSignals,
  healthWeights,
  type PaymentFacts,
  tenantHealth as score,
  writeHealthFactors,
} from '@atrium/core/health-scores/health'
import {
  awaitsProvisioning,
  isProvisioned,
  provisioningSteps,
  statusAfterResume,
  stepStates,
  tenantStatuses,
} from '@atrium/core/tenants/tenants'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'

const tenantHealth = (input: HealthInput, at: Date) => score(input, gatherHealth(input, at), at)

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
  tenantHealth({ ...healthy, ...input }, now).factors.find((factor) => factor.signal === signal)
    ?.value

describe('the health of a tenant', () => {
  it('has no score while fewer than three signals are known', () => {
    expect(tenantHealth(healthy, now)).toMatchObject({ score: null, band: 'unknown' })
    expect(tenantHealth({ ...healthy, createdAt: before(24) }, now)).toMatchObject({
      score: null,
      band: 'new',
    })
  })
  it.each(['suspended', 'deleted'] as const)('is not asked of a tenant that is %s', (status) => {
    expect(tenantHealth({ ...healthy, status }, now)).toMatchObject({
      score: null,
      band: 'inactive',
    })
  })
  it('weighs provisioning by its state and for how long', () => {
    expect(points({}, 'provisioning')).toBe(1)
    const failed = { identity: 'ok', mail: 'error', files: 'ok' } as const
    expect(
      points({ provisioningStatus: failed, provisioningChangedAt: before(23) }, 'provisioning'),
    ).toBe(0.5)
    expect(
      points({ provisioningStatus: failed, provisioningChangedAt: before(24) }, 'provisioning'),
    ).toBe(0.5)
    expect(
      points({ provisioningStatus: failed, provisioningChangedAt: before(25) }, 'provisioning'),
    ).toBe(0)
    const waiting = { identity: 'pending', mail: 'ok', files: 'ok' } as const
    expect(
      points({ provisioningStatus: waiting, provisioningChangedAt: before(0.5) }, 'provisioning'),
    ).toBe(1)
    expect(
      points({ provisioningStatus: waiting, provisioningChangedAt: before(1) }, 'provisioning'),
    ).toBe(1)
    expect(
      points({ provisioningStatus: waiting, provisioningChangedAt: before(2) }, 'provisioning'),
    ).toBe(0.5)
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
  test.prop([
    fc.record({ identity: state, mail: state, files: state }),
    fc.nat(50),
    fc.nat(50),
    fc.constantFrom(...tenantStatuses),
  ])(
    'is always whole: factors with hints, a score of 0 to 100 or none',
    (provisioningStatus, seats, memberCount, status) => {
      const health = tenantHealth(
        { ...healthy, provisioningStatus, seats, memberCount, status },
        now,
      )
      if (health.score !== null) expect(health.score >= 0 && health.score <= 100).toBe(true)
      for (const { value, hint } of health.factors) {
        expect([0, 0.5, 1]).toContain(value)
        expect(hint).toMatch(/\.$/)
      }
    },
  )

  const paying: PaymentFacts = {
    status: 'active',
    pastDueSince: null,
    cancelAtPeriodEnd: false,
    currentPeriodEnd: before(-24 * 10),
    lastFailureAt: null,
    cardGoodUntil: before(-24 * 300),
  }
  const whole: Partial<HealthInput> = {
    payment: paying,
    activity: { members: 8, recent: 8 },
    mailTrust: 'passed',
    security: { members: 8, enrolled: 8, adminsWithout: 0, unknown: 0 },
  }
  it('is a hundred where all is well, and every signal counts', () => {
    const health = tenantHealth({ ...healthy, ...whole }, now)
    expect(health).toMatchObject({ score: 100, band: 'healthy' })
    expect(health.factors.map(({ signal }) => signal)).toEqual([...healthSignals])
    expect(Object.values(healthWeights).reduce((sum, weight) => sum + weight, 0)).toBe(100)
  })
  it.each([
    [{}, 1],
    [{ status: 'past_due', pastDueSince: before(24 * 3) }, 0.5],
    [{ status: 'past_due', pastDueSince: before(24 * 10) }, 0.5],
    [{ status: 'past_due', pastDueSince: before(24 * 14) }, 0],
    [{ status: 'unpaid' }, 0],
    [{ cardGoodUntil: before(-24) }, 0.5],
    [{ cardGoodUntil: paying.currentPeriodEnd }, 1],
    [{ cardGoodUntil: before(1), currentPeriodEnd: null }, 0.5],
    [{ cardGoodUntil: now, currentPeriodEnd: null }, 1],
    [{ lastFailureAt: before(24 * 20) }, 0.5],
    [{ lastFailureAt: before(24 * 60) }, 1],
    [{ status: 'trialing' }, undefined],
    [{ status: 'unknown' }, undefined],
  ] as const)('counts payment %o as %s', (facts, value) => {
    expect(points({ payment: { ...paying, ...facts } }, 'payment')).toBe(value)
  })
  it.each([
    [10, 6, 1],
    [10, 5, 0.5],
    [10, 3, 0.5],
    [10, 2, 0],
    [0, 0, undefined],
  ])('of %i members with %i active counts %s', (members, recent, value) => {
    expect(points({ activity: { members, recent } }, 'activity')).toBe(value)
  })
  it.each([
    [{ enrolled: 8 }, 1],
    [{ enrolled: 5 }, 0.5],
    [{ enrolled: 4 }, 0],
    [{ enrolled: 9, adminsWithout: 1 }, 0],
    [{ enrolled: 9, unknown: 1 }, undefined],
    [{ members: 0, enrolled: 0 }, undefined],
  ])('counts second factors %o of ten members as %s', (facts, value) => {
    expect(
      points({ security: { members: 10, adminsWithout: 0, unknown: 0, ...facts } }, 'security'),
    ).toBe(value)
  })
  it('is never good while a subscription is unpaid or about to end', () => {
    expect(
      tenantHealth({ ...healthy, ...whole, payment: { ...paying, status: 'unpaid' } }, now),
    ).toMatchObject({
      score: 25,
      band: 'at_risk',
    })
    expect(
      tenantHealth({ ...healthy, ...whole, payment: { ...paying, cancelAtPeriodEnd: true } }, now),
    ).toMatchObject({ score: 49 })
  })
  it('of a young tenant is shown but not scored', () => {
    expect(tenantHealth({ ...healthy, ...whole, createdAt: before(24 * 29) }, now)).toMatchObject({
      score: 100,
      band: 'new',
    })
    expect(tenantHealth({ ...healthy, ...whole, createdAt: before(24 * 30) }, now)).toMatchObject({
      band: 'healthy',
    })
  })
  it('leaves out of the sum what is not known', () => {
    expect(tenantHealth({ ...healthy, memberCount: 3, mailTrust: 'warned' }, now)).toMatchObject({
      score: Math.round((100 * 20) / 45),
      band: 'at_risk',
    })
    const missing = { payment: null, activity: null, mailTrust: null, security: null }
    expect(tenantHealth({ ...healthy, ...missing }, now)).toEqual(tenantHealth(healthy, now))
  })
  it.each([
    [100, 'healthy'],
    [75, 'healthy'],
    [74, 'watch'],
    [50, 'watch'],
    [49, 'at_risk'],
    [0, 'at_risk'],
  ])('with the score %i is in the band %s', (points, band) => {
    expect(bandOf(points)).toBe(band)
  })
})

describe('the hint of a factor', () => {
  const stored = { signal: 'payment', value: 1, points: 30, hint: 'As it was stored.' }
  const hintsOf = (reason: string | undefined) =>
    writeHealthFactors([{ ...stored, reason }], 'de').map(({ hint }) => hint)

  it('is in the language of the reader, and the rest as it was stored', () => {
    const { factors } = tenantHealth(healthy, now)
    const written = writeHealthFactors(factors, 'de')
    expect(written.map(({ signal, value, points }) => ({ signal, value, points }))).toEqual(
      factors.map(({ signal, value, points }) => ({ signal, value, points })),
    )
    for (const [index, { hint }] of written.entries()) expect(hint).not.toBe(factors[index]?.hint)
    expect(written.every((factor) => !('reason' in factor))).toBe(true)
  })

  it.each([undefined, 'payment.unheardOf'])(
    'is the stored one where its sentence is not known: %s',
    (reason) => {
      expect(hintsOf(reason)).toEqual([stored.hint])
    },
  )
})

describe('the status after a resume', () => {
  const state = fc.constantFrom(...stepStates)
  test.prop([fc.record({ identity: state, mail: state, files: state })])(
    'is active exactly when no step is left',
    (steps) => {
      const left = provisioningSteps.some(
        (step) => steps[step] === 'pending' || steps[step] === 'error',
      )
      expect(isProvisioned(steps)).toBe(!left)
      expect(statusAfterResume(steps)).toBe(left ? 'pending' : 'active')
    },
  )
})

describe('awaiting provisioning', () => {
  const done = { identity: 'ok', mail: 'skipped', files: 'ok' } as const
  it('goes on until the status has caught up with the steps', () => {
    expect(awaitsProvisioning({ status: 'pending', provisioningStatus: done })).toBe(true)
    expect(awaitsProvisioning({ status: 'active', provisioningStatus: done })).toBe(false)
  })
  it('goes on for an active tenant with an open step, and ends with deletion', () => {
    const failed = { ...done, files: 'error' } as const
    expect(awaitsProvisioning({ status: 'active', provisioningStatus: failed })).toBe(true)
    expect(awaitsProvisioning({ status: 'deleted', provisioningStatus: failed })).toBe(false)
  })
})
