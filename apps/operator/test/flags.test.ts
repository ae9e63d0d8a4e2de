import { CreateFlag, type FlagSettings, type FlagView, UpdateFlag } from '@atrium/core/flags/flags'
import { describe, expect, it } from 'vitest'
import {
  changesFlag,
  emptyFlag,
  type FlagForm,
  fieldOf,
  newGuard,
  toCreateFlag,
  toFlagForm,
  toUpdateFlag,
  validateFlag,
} from '../src/flags/flag-form.ts'
import {
  changeLines,
  flagMeta,
  isOverdue,
  lossSentence,
  rollbackSentence,
} from '../src/flags/labels.ts'
import { flagsQuery, historyQuery, readFlagSearch, readFlagsSearch } from '../src/flags/search.ts'

const settings: FlagSettings = {
  description: null,
  owner: 'Billing',
  state: 'rollout',
  percentage: 10,
  allowTenants: ['acme'],
  denyTenants: [],
  allowPartners: [],
  allowPlans: [],
  prerequisites: [{ key: 'base_flag', value: true }],
  enabledFrom: '2026-11-21T10:11:12.000Z',
  enabledUntil: null,
  staleAfter: null,
  killedAt: null,
  guards: [],
  rollback: null,
}
const flag: FlagView = {
  ...settings,
  id: '0196f1d2-aaaa-7bbb-8ccc-000000000001',
  key: 'new_page',
  salt: null,
  note: 'Made.',
  version: 3,
  requiredBy: [],
  lastAskedAt: null,
  createdAt: '2026-11-21T10:00:00.000Z',
  updatedAt: '2026-11-21T10:00:00.000Z',
  updatedBy: null,
}

describe('the form of a flag', () => {
  it('sends what was changed and nothing else, with the version that was read', () => {
    const form = { ...toFlagForm(flag), percentage: 25, note: 'More.' }
    expect(UpdateFlag.parse(toUpdateFlag(flag, form))).toEqual({
      key: 'new_page',
      version: 3,
      percentage: 25,
      note: 'More.',
    })
  })

  it('takes a note alone for no change, and does not touch a time whose seconds it cannot show', () => {
    expect(changesFlag(flag, { ...toFlagForm(flag), note: 'Nothing.' })).toBe(false)
    expect(changesFlag(flag, { ...toFlagForm(flag), enabledFrom: '' })).toBe(true)
  })

  it('joins the flags that must be on and those that must be off', () => {
    const form = { ...toFlagForm(flag), needsOff: ['other_flag'], note: 'Needs.' }
    expect(toUpdateFlag(flag, form).prerequisites).toEqual([
      { key: 'base_flag', value: true },
      { key: 'other_flag', value: false },
    ])
    expect(fieldOf('prerequisites.0.key', form)).toBe('needsOn')
    expect(fieldOf('prerequisites.1.key', form)).toBe('needsOff')
    expect(fieldOf('allowTenants.4', form)).toBe('allowTenants')
  })

  it('says what is wrong on its own fields', () => {
    const check = validateFlag(CreateFlag, toCreateFlag)
    expect(check({ ...emptyFlag, key: 'New', percentage: '', needsOff: ['x'] })).toEqual({
      key: expect.any(String),
      percentage: 'This must be between 0 and 100.',
      needsOff: expect.any(String),
    })
  })

  it('sends a new flag as the API takes it, and leaves the owner to the server when there is none', () => {
    expect(CreateFlag.parse(toCreateFlag({ ...emptyFlag, key: ' new_page ' }))).not.toHaveProperty(
      'owner',
    )
    expect(
      CreateFlag.parse(
        toCreateFlag({ ...emptyFlag, key: 'new_page', owner: 'Billing', state: 'on' }),
      ),
    ).toMatchObject({
      key: 'new_page',
      owner: 'Billing',
      state: 'on',
      percentage: 0,
    })
  })
})

const rule = { signal: 'server_errors', windowMinutes: 30, threshold: 5, minimum: 50 } as const
const rollback = {
  signal: 'server_errors',
  windowMinutes: 30,
  threshold: 5,
  eventsOn: 80,
  rateOn: 12.5,
  eventsOff: 900,
  rateOff: 0.4,
} as const

describe('the guard rules in a form', () => {
  it('are sent as the API takes them, and only when they were changed', () => {
    const guarded = { ...flag, guards: [rule] }
    const form = toFlagForm(guarded)
    expect(changesFlag(guarded, form)).toBe(false)
    const more = { ...form, guards: [...form.guards, newGuard(form.guards)], note: 'Two.' }
    expect(UpdateFlag.parse(toUpdateFlag(guarded, more))).toEqual({
      key: 'new_page',
      version: 3,
      note: 'Two.',
      guards: [rule, { ...rule, signal: 'webhook_failures' }],
    })
    expect(toUpdateFlag(guarded, { ...form, guards: [] }).guards).toEqual([])
  })

  it('say what is wrong at the input that it is about, or under the rules', () => {
    const check = (guards: FlagForm['guards']) =>
      validateFlag(CreateFlag, toCreateFlag)({ ...emptyFlag, key: 'new_page', guards })
    expect(check([{ id: 'a', ...rule, threshold: '', minimum: 0 }])).toEqual({
      'guards.0.threshold': 'This must be between 0 and 100.',
      'guards.0.minimum': 'Enter a whole number between 1 and 1,000,000.',
    })
    expect(
      check([
        { id: 'a', ...rule },
        { id: 'b', ...rule },
      ]),
    ).toEqual({ 'guards.1.signal': expect.stringMatching(/Another rule/) })
    expect(
      Object.keys(
        check(
          Array.from({ length: 6 }, (_, index) => ({
            id: `${index}`,
            ...rule,
            windowMinutes: index + 1,
          })),
        ),
      ),
    ).toEqual(['guards'])
    expect(fieldOf('guards.0', emptyFlag)).toBe('guards')
  })
})

describe('the words about a flag', () => {
  it('name a killed flag before its state', () => {
    const killed = { ...flag, state: 'off', killedAt: '2026-11-21T10:00:00.000Z' } as const
    expect(flagMeta(killed).label).toBe('Killed')
    expect(flagMeta({ ...killed, rollback }).label).toBe('Killed by a guard')
    expect(flagMeta(flag).label).toBe('Rollout, 10%')
  })

  it('say why a guard killed it', () => {
    expect(rollbackSentence(rollback)).toBe(
      'Server errors: 12.5% of 80 events with the flag, 0.4% without it. The limit was 5% within 30 minutes.',
    )
    expect(
      rollbackSentence({ ...rollback, rateOff: null, eventsOff: 0, windowMinutes: 1 }),
    ).toMatch(/no events without it.*within 1 minute\.$/)
    const after: FlagSettings = { ...settings, state: 'off', rollback }
    expect(changeLines({ before: settings, after })).toEqual([
      'State: Rollout → Off',
      `Guard exceeded: ${rollbackSentence(rollback)}`,
    ])
    expect(changeLines({ before: after, after: settings })).toEqual(['State: Off → Rollout'])
  })

  it('tell when the day is over on which it was expected to be gone', () => {
    expect(isOverdue('2026-11-21', new Date(2026, 10, 21, 23, 59))).toBe(false)
    expect(isOverdue('2026-11-21', new Date(2026, 10, 22, 0, 0))).toBe(true)
  })

  it('warn of tenants that lose it, and of nothing when none does', () => {
    expect(lossSentence(flag, 'rollout', 5)).toMatch(/From 10% to 5%/)
    expect(lossSentence(flag, 'off', 10)).toMatch(/Every tenant/)
    expect(lossSentence(flag, 'rollout', 10)).toBeUndefined()
    expect(lossSentence(flag, 'on', 0)).toBeUndefined()
    expect(lossSentence({ state: 'off', percentage: 50 }, 'rollout', 1)).toBeUndefined()
  })

  it('tell what a change did, field by field', () => {
    const after: FlagSettings = {
      ...settings,
      state: 'on',
      allowTenants: ['globex'],
      prerequisites: [],
      staleAfter: '2027-01-31',
    }
    expect(changeLines({ before: settings, after })).toEqual([
      'State: Rollout → On',
      'Allowed tenants: added globex; removed acme',
      'Prerequisites: removed base_flag on',
      expect.stringMatching(/^Remove by: none → .*2027/),
    ])
    expect(changeLines({ before: null, after })).toEqual([])
  })
})

describe('the addresses of flags', () => {
  it('drop what does not fit', () => {
    expect(readFlagsSearch({ q: 'billing', state: 'sideways', cursors: 'nonsense' })).toEqual({
      q: 'billing',
    })
    expect(readFlagSearch({ tab: 'nowhere', tenantSlug: 'acme' })).toEqual({ tenantSlug: 'acme' })
  })

  it('become the queries of their pages', () => {
    const cursor = '0196f1d2-aaaa-7bbb-8ccc-000000000001'
    expect(flagsQuery({ state: 'on', cursors: cursor })).toEqual({ state: 'on', cursor, limit: 25 })
    expect(historyQuery('new_page', {})).toEqual({ key: 'new_page', cursor: undefined, limit: 25 })
  })
})
