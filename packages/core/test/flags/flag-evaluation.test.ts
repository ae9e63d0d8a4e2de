import { createHash } from 'node:crypto'
import {
  createFlagEvaluation,
  explainFlag,
  type FlagRule,
  type FlagTarget,
  flagBucket,
} from '@atrium/core/flags/flag-evaluation'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { type ErrorText, errorText } from '../../src/platform/error-text.ts'
import { writeText } from '../../src/platform/errors.ts'

const hash = (text: string) => createHash('sha256').update(text, 'utf8').digest().readUInt32BE(0)
const now = Date.parse('2026-11-21T12:00:00Z')
const acme: FlagTarget = { slug: 'acme', plan: 'business', partnerSlug: 'north' }

function rule(fields: Partial<FlagRule> = {}): FlagRule {
  return {
    key: 'new_billing_engine',
    version: 1,
    state: 'rollout',
    killed: false,
    percentage: 0,
    salt: null,
    allowTenants: new Set(),
    denyTenants: new Set(),
    allowPartners: new Set(),
    allowPlans: new Set(),
    prerequisites: [],
    enabledFrom: null,
    enabledUntil: null,
    ...fields,
  }
}

function evaluate(
  rules: readonly FlagRule[],
  key = rules[0]?.key ?? '',
  target: FlagTarget | undefined = acme,
) {
  return createFlagEvaluation({
    rules: new Map(rules.map((one) => [one.key, one])),
    target,
    now,
    hash,
  })(key)
}

describe('the place in a rollout', () => {
  it.each([
    ['new_billing_engine', 'acme', 1110],
    ['new_billing_engine', 'globex', 2513],
    ['new_billing_engine', 'initech', 1669],
    ['new_billing_engine', 'umbrella', 2288],
    ['profile_signing', 'acme', 3620],
    ['profile_signing', 'globex', 2754],
  ])('of %s for %s is bucket %i', (key, slug, bucket) => {
    expect(flagBucket({ key, salt: null }, slug, hash)).toBe(bucket)
  })

  it('follows the salt instead of the key where there is one', () => {
    expect(flagBucket({ key: 'other', salt: 'new_billing_engine' }, 'acme', hash)).toBe(1110)
  })

  it('is on below the threshold and off at it', () => {
    expect(evaluate([rule({ percentage: 11.1 })]).value).toBe(false)
    expect(evaluate([rule({ percentage: 11.11 })])).toEqual({ value: true, reason: 'SPLIT' })
    expect(evaluate([rule({ percentage: 0 })])).toEqual({ value: false, reason: 'SPLIT' })
    expect(evaluate([rule({ percentage: 100 })]).value).toBe(true)
  })

  const hundredths = fc.integer({ min: 0, max: 10_000 }).map((points) => points / 100)
  test.prop([
    fc.string(),
    hundredths,
    hundredths,
    fc.constantFrom('new_billing_engine', 'profile_signing'),
  ])('turns no tenant off when the percentage is raised', (slug, one, other, key) => {
    const target = { ...acme, slug }
    const [lower, higher] = [Math.min(one, other), Math.max(one, other)]
    if (evaluate([rule({ key, percentage: lower })], key, target).value) {
      expect(evaluate([rule({ key, percentage: higher })], key, target).value).toBe(true)
    }
  })

  it('takes in the share that it promises, independently for two flags', () => {
    let [first, both] = [0, 0]
    for (let n = 0; n < 20_000; n++) {
      const here = flagBucket({ key: 'one', salt: null }, `tenant-${n}`, hash) < 5_000
      first += Number(here)
      both += Number(here && flagBucket({ key: 'two', salt: null }, `tenant-${n}`, hash) < 5_000)
    }
    expect(first / 20_000).toBeCloseTo(0.5, 1)
    expect(both / 20_000).toBeCloseTo(0.25, 1)
  })
})

describe('the order of evaluation', () => {
  const everything = {
    state: 'on',
    percentage: 100,
    allowTenants: new Set(['acme']),
    denyTenants: new Set(['acme']),
    allowPlans: new Set(['business'] as const),
  } as const

  it('knows no unknown flag', () => {
    expect(evaluate([], 'nothing')).toEqual({
      value: false,
      reason: 'ERROR',
      errorCode: 'FLAG_NOT_FOUND',
    })
  })

  it('lets off win over everything', () => {
    expect(evaluate([rule({ ...everything, denyTenants: new Set(), state: 'off' })])).toEqual({
      value: false,
      reason: 'DISABLED',
    })
    expect(evaluate([rule({ ...everything, denyTenants: new Set(), killed: true })])).toEqual({
      value: false,
      reason: 'DISABLED',
    })
  })

  it('counts the first moment of a time in and the last one out', () => {
    const on = (enabledFrom: number | null, enabledUntil: number | null) =>
      evaluate([rule({ state: 'on', enabledFrom, enabledUntil })])
    expect(on(now, now + 1)).toEqual({ value: true, reason: 'STATIC' })
    expect(on(now + 1, null)).toEqual({ value: false, reason: 'DISABLED' })
    expect(on(null, now)).toEqual({ value: false, reason: 'DISABLED' })
  })

  it('wants each prerequisite at its value for the same tenant', () => {
    const needs = (value: boolean) =>
      rule({ key: 'second', state: 'on', prerequisites: [{ key: 'new_billing_engine', value }] })
    const base = rule({ percentage: 20 })
    expect(evaluate([needs(true), base])).toEqual({ value: true, reason: 'STATIC' })
    const globex = { ...acme, slug: 'globex' }
    expect(evaluate([needs(true), base], 'second', globex)).toEqual({
      value: false,
      reason: 'TARGETING_MATCH',
      prerequisite: 'new_billing_engine',
    })
    expect(evaluate([needs(false), base], 'second', globex).value).toBe(true)
  })

  it('does not meet a prerequisite that is gone, whichever value was wanted', () => {
    for (const value of [true, false]) {
      expect(
        evaluate([rule({ key: 'second', state: 'on', prerequisites: [{ key: 'gone', value }] })])
          .value,
      ).toBe(false)
    }
  })

  it('ends where prerequisites go in a circle', () => {
    const [one, two] = ['one', 'two'].map((key, index) =>
      rule({
        key,
        state: 'on',
        prerequisites: [{ key: index === 0 ? 'two' : 'one', value: true }],
      }),
    )
    if (!one || !two) throw new Error('two rules')
    expect(evaluate([one, two]).value).toBe(false)
    expect(evaluate([one, two], 'two').value).toBe(false)
  })

  it('denies before it allows, and allows before it counts', () => {
    expect(evaluate([rule(everything)])).toEqual({ value: false, reason: 'TARGETING_MATCH' })
    expect(
      evaluate([rule({ ...everything, denyTenants: new Set(), state: 'rollout', percentage: 0 })]),
    ).toEqual({
      value: true,
      reason: 'TARGETING_MATCH',
    })
  })

  it.each([
    { allowTenants: new Set(['acme']) },
    { allowPartners: new Set(['north']) },
    { allowPlans: new Set(['business'] as const) },
  ])('allows by tenant, partner and plan: %o', (fields) => {
    expect(evaluate([rule(fields)])).toEqual({ value: true, reason: 'TARGETING_MATCH' })
    expect(
      evaluate([rule(fields)], undefined, { slug: 'initech', plan: 'free', partnerSlug: null })
        .value,
    ).toBe(false)
  })

  it('cannot roll out without a tenant, and is on for everyone when it is on', () => {
    const nobody = (fields: Partial<FlagRule>) =>
      createFlagEvaluation({
        rules: new Map([['f', rule({ key: 'f', ...fields })]]),
        target: undefined,
        now,
        hash,
      })('f')
    expect(nobody({ percentage: 100 })).toEqual({
      value: false,
      reason: 'ERROR',
      errorCode: 'TARGETING_KEY_MISSING',
    })
    expect(nobody({ state: 'on' })).toEqual({ value: true, reason: 'STATIC' })
  })
})

describe('an explanation', () => {
  const question = (one: FlagRule) => ({
    rules: new Map([[one.key, one]]),
    target: acme,
    now,
    hash,
  })

  test.prop([
    fc.record({
      state: fc.constantFrom('off' as const, 'rollout' as const, 'on' as const),
      percentage: fc.integer({ min: 0, max: 100 }),
      denied: fc.boolean(),
      allowed: fc.boolean(),
      enabledFrom: fc.constantFrom(null, now - 1, now + 1),
      needsGone: fc.boolean(),
    }),
  ])(
    'says what the evaluation says, and exactly one step decides',
    ({ denied, allowed, needsGone, ...fields }) => {
      const one = rule({
        ...fields,
        denyTenants: new Set(denied ? ['acme'] : []),
        allowTenants: new Set(allowed ? ['acme'] : []),
        prerequisites: needsGone ? [{ key: 'gone', value: true }] : [],
      })
      const explained = explainFlag(question(one), one.key)
      expect(explained).toMatchObject(evaluate([one]))
      expect(explained?.steps.filter((step) => step.outcome === 'decided')).toHaveLength(1)
      expect(explained?.steps.every((step) => writeText(step.detail, 'en').length > 0)).toBe(true)
    },
  )

  it('gives bucket and threshold in words, and what was not reached', () => {
    const explained = explainFlag(question(rule({ percentage: 25 })), 'new_billing_engine')
    expect(explained?.steps.at(-1)).toEqual({
      step: 'split',
      outcome: 'decided',
      detail: errorText('flagBucket', { percentage: 25, threshold: '2500', bucket: '1110' }),
    })
    const off = explainFlag(question(rule({ state: 'off' })), 'new_billing_engine')
    expect(off?.steps.map((step) => step.outcome)).toEqual([
      'decided',
      ...Array(7).fill('not_reached'),
    ])
  })

  const before = now - 1
  const after = now + 1
  const at = (moment: number) => ({ time: new Date(moment).toISOString() })
  it.each<[string, Partial<FlagRule>, ErrorText]>([
    ['state', { killed: true }, errorText('flagKilled')],
    ['state', { state: 'on' }, errorText('flagState', { state: 'on' })],
    ['window', {}, errorText('flagWindowNone')],
    ['window', { enabledFrom: after }, errorText('flagWindowToCome', at(after))],
    ['window', { enabledFrom: now }, errorText('flagWindowOpen')],
    ['window', { enabledUntil: now }, errorText('flagWindowOver', at(now))],
    [
      'window',
      { enabledFrom: before, enabledUntil: after },
      errorText('flagWindowUntil', at(after)),
    ],
    [
      'window',
      { enabledFrom: before, enabledUntil: before },
      errorText('flagWindowOver', at(before)),
    ],
    ['prerequisites', {}, errorText('flagPrerequisitesNone')],
    ['denied', { denyTenants: new Set(['acme']) }, errorText('flagDenied', { tenant: 'acme' })],
    ['denied', {}, errorText('flagNotDenied', { tenant: 'acme' })],
    ['allowed', {}, errorText('flagNotAllowed')],
    [
      'allowed',
      { allowTenants: new Set(['acme']) },
      errorText('flagAllowedTenant', { tenant: 'acme' }),
    ],
    [
      'allowed',
      { allowPartners: new Set(['north']) },
      errorText('flagAllowedPartner', { partner: 'north' }),
    ],
    [
      'allowed',
      { allowPlans: new Set(['business']) },
      errorText('flagAllowedPlan', { plan: 'business' }),
    ],
    ['everywhere', { state: 'on' }, errorText('flagEverywhere')],
    ['everywhere', {}, errorText('flagNotEverywhere')],
    ['tenant', {}, errorText('flagRolloutTenant', { tenant: 'acme' })],
  ])('explains the step %s of a flag with %o', (step, fields, detail) => {
    const explained = explainFlag(question(rule(fields)), 'new_billing_engine')
    expect(explained?.steps.find((one) => one.step === step)?.detail).toEqual(detail)
  })

  it('explains each prerequisite, met or not, and one that is gone', () => {
    const needed = rule({
      prerequisites: [
        { key: 'on_here', value: false },
        { key: 'off_here', value: true },
        { key: 'gone', value: true },
      ],
    })
    const rules = [needed, rule({ key: 'on_here', state: 'on' }), rule({ key: 'off_here' })]
    const input = { ...question(needed), rules: new Map(rules.map((one) => [one.key, one])) }
    expect(explainFlag(input, needed.key)?.steps[2]?.detail).toEqual(
      errorText('flagPrerequisites', {
        flags: [
          errorText('flagPrerequisite', { flag: 'on_here', wanted: 'off', actual: 'on' }),
          errorText('flagPrerequisite', { flag: 'off_here', wanted: 'on', actual: 'off' }),
          errorText('flagPrerequisite', { flag: 'gone', wanted: 'on', actual: 'unknown' }),
        ],
      }),
    )
  })

  it('explains a flag without a tenant', () => {
    const { target: _, ...noTenant } = question(rule({ percentage: 25 }))
    const details = explainFlag(
      { ...noTenant, target: undefined },
      'new_billing_engine',
    )?.steps.map(({ step, detail }) => [step, detail])
    expect(Object.fromEntries(details ?? [])).toMatchObject({
      denied: errorText('flagNoTenant'),
      allowed: errorText('flagNoTenant'),
      tenant: errorText('flagRolloutNoTenant'),
      split: errorText('flagBuckets', { percentage: 25, threshold: '2500' }),
    })
  })
})
