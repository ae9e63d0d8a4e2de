import { CreateFlag, isBareKill, isKill, UpdateFlag } from '@atrium/core/flags/flags'
import { describe, expect, it } from 'vitest'
import { zodIssuePaths } from '../zod-issues.ts'

const pathsOf = (schema: typeof CreateFlag | typeof UpdateFlag, input: unknown) =>
  zodIssuePaths(schema, input)

describe('a new flag', () => {
  it.each(['a', 'A_flag', '1flag', 'with-dash', `a${'b'.repeat(63)}`, 'evaluate', 'new', ''])(
    'may not be called %j',
    (key) => {
      expect(pathsOf(CreateFlag, { key })).toContain('key')
    },
  )

  it.each([-0.01, 100.01, 12.345, Number.NaN, '25'])(
    'is not rolled out to %j percent',
    (percentage) => {
      expect(pathsOf(CreateFlag, { key: 'new_flag', percentage })).toEqual(['percentage'])
    },
  )

  it.each([0, 0.01, 33.33, 99.99, 100])('is rolled out to %j percent', (percentage) => {
    expect(CreateFlag.parse({ key: 'new_flag', percentage }).percentage).toBe(percentage)
  })

  it('keeps lists without doubles and moments in UTC', () => {
    const input = {
      key: 'new_flag',
      allowTenants: ['acme', 'ACME', 'globex'],
      enabledFrom: '2026-12-01T00:00:00+01:00',
    }
    expect(CreateFlag.parse(input)).toMatchObject({
      allowTenants: ['acme', 'globex'],
      enabledFrom: '2026-11-30T23:00:00.000Z',
    })
  })

  it('names what is wrong where it is wrong', () => {
    expect(
      pathsOf(CreateFlag, {
        key: 'new_flag',
        allowTenants: ['acme', 'not a slug'],
        allowPlans: ['gold'],
        prerequisites: Array.from({ length: 6 }, (_, index) => ({
          key: `flag_${index}`,
          value: true,
        })),
        staleAfter: '31.01.2027',
        kind: 'boolean',
      }),
    ).toEqual(['allowTenants.1', 'allowPlans.0', 'prerequisites', 'staleAfter', ''])
    const requiring = (...keys: string[]) => ({
      key: 'new_flag',
      prerequisites: keys.map((key, index) => ({ key, value: index === 0 })),
    })
    expect(pathsOf(CreateFlag, requiring('one', 'one'))).toEqual(['prerequisites'])
    expect(pathsOf(CreateFlag, requiring('one', 'two'))).toEqual([])
  })
})

describe('a change', () => {
  it('needs a note, a version and something to change; neither key nor salt is changed', () => {
    expect(pathsOf(UpdateFlag, { key: 'f', version: 1, state: 'on' })).toEqual(['note'])
    expect(pathsOf(UpdateFlag, { key: 'f', state: 'on', note: 'Go.' })).toEqual(['version'])
    expect(pathsOf(UpdateFlag, { key: 'f', version: 1, note: 'Go.' })).toEqual([''])
    expect(pathsOf(UpdateFlag, { key: 'f', version: 1, note: 'Go.', owner: undefined })).toEqual([
      '',
    ])
    expect(pathsOf(UpdateFlag, { key: 'f', version: 1, note: 'Go.', salt: 'x' })).toContain('')
  })

  it('that kills needs no version unless it changes more', () => {
    expect(pathsOf(UpdateFlag, { key: 'f', state: 'off', note: 'kill-switch' })).toEqual([])
    expect(
      pathsOf(UpdateFlag, { key: 'f', state: 'off', note: 'kill-switch', percentage: 1 }),
    ).toEqual(['version'])
  })

  it('kills with that state and that note alone', () => {
    expect(isKill({ state: 'off', note: 'kill-switch' })).toBe(true)
    expect(isKill({ state: 'off', note: 'Kill-switch' })).toBe(false)
    expect(isKill({ state: 'on', note: 'kill-switch' })).toBe(false)
    expect(isKill({ note: 'kill-switch' })).toBe(false)
    expect(isBareKill({ state: 'off', note: 'kill-switch' })).toBe(true)
    const kill = { state: 'off', note: 'kill-switch', percentage: undefined } as const
    expect(isBareKill(kill)).toBe(true)
  })
})
