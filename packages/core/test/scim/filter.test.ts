import { describe, expect, it } from 'vitest'
import { attributeName, filterLimits, parseScimFilter } from '../../src/scim/filter.ts'
import { rejection } from './rejection.ts'

const tooLarge = [expect.stringMatching(/^filter: .* 50 conditions\.$/)]
const malformed = [expect.stringMatching(/^filter: .* RFC 7644/)]

describe('a filter', () => {
  it('is read as its conditions', () => {
    expect(parseScimFilter('userName eq "mira" and not (active eq false)')).toEqual({
      op: 'and',
      filters: [
        { op: 'eq', attrPath: 'userName', compValue: 'mira' },
        { op: 'not', filter: { op: 'eq', attrPath: 'active', compValue: false } },
      ],
    })
  })

  const present = (attrPath: string) => ({ op: 'pr', attrPath })
  const [a, b, c] = [present('a'), present('b'), present('c')]

  it.each([
    [
      'and before or',
      'a pr or b pr and c pr',
      { op: 'or', filters: [a, { op: 'and', filters: [b, c] }] },
    ],
    [
      'not before and',
      'not (a pr) and b pr',
      { op: 'and', filters: [{ op: 'not', filter: a }, b] },
    ],
    [
      'what is in parentheses first',
      '(a pr or b pr) and c pr',
      { op: 'and', filters: [{ op: 'or', filters: [a, b] }, c] },
    ],
    [
      'operators in any case',
      'a Co "X" AND b PR',
      { op: 'and', filters: [{ op: 'co', attrPath: 'a', compValue: 'X' }, b] },
    ],
    [
      'conditions of one value together',
      'a[b pr or c eq "1"]',
      {
        op: '[]',
        attrPath: 'a',
        valFilter: { op: 'or', filters: [b, { op: 'eq', attrPath: 'c', compValue: '1' }] },
      },
    ],
  ])('has %s', (_, text, filter) => {
    expect(parseScimFilter(text)).toEqual(filter)
  })

  it.each(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'])('compares by %s', (op) => {
    expect(parseScimFilter(`a ${op} "x"`)).toEqual({ op, attrPath: 'a', compValue: 'x' })
  })

  it.each([
    ['null', null],
    ['-15e-1', -1.5],
    ['""', ''],
    [String.raw`"say \"and\" or \\"`, 'say "and" or \\'],
    [String.raw`"CORP\\ada\u00e4"`, 'CORP\\ada\u00e4'],
  ])('compares with the JSON %s', (json, compValue) => {
    expect(parseScimFilter(`a eq ${json}`)).toEqual({ op: 'eq', attrPath: 'a', compValue })
  })

  it.each([
    'userName eq',
    'userName',
    'eq "a"',
    '(userName pr',
    'userName eq mira',
    'a pr b pr',
    String.raw`a eq "CORP\ada"`,
    '',
  ])('is rejected when it is malformed: %j', (text) => {
    expect(rejection(() => parseScimFilter(text))).toEqual(malformed)
  })

  it.each(['\n', '\r', '\t', '\u0000', '\u007f', String.raw`\u0000`])(
    'has no control character: %j',
    (control) => {
      expect(rejection(() => parseScimFilter(`userName eq "a${control}b"`))).toEqual(malformed)
    },
  )

  it('is rejected at the path that the caller names', () => {
    const [issue] = rejection(() => parseScimFilter('userName eq', 'operations.0.path')) ?? []
    expect(issue).toMatch(/^operations\.0\.path: /)
  })

  it('has 2,000 characters at most', () => {
    const fits = `userName eq "${'a'.repeat(filterLimits.characters - 14)}"`
    expect(fits).toHaveLength(filterLimits.characters)
    expect(parseScimFilter(fits)).toMatchObject({ op: 'eq' })
    expect(rejection(() => parseScimFilter(`${fits} `))).toEqual(tooLarge)
  })

  const conditions = (count: number, by: string) =>
    Array.from({ length: count }, () => 'a pr').join(` ${by} `)

  it.each([
    ['with and', (count: number) => conditions(count, 'and')],
    ['with or', (count: number) => conditions(count, 'or')],
    ['in a negation', (count: number) => `not (${conditions(count, 'or')})`],
    ['of one attribute', (count: number) => `emails[${conditions(count, 'and')}]`],
    ['in groups', (count: number) => `(${conditions(count - 1, 'and')}) or b pr`],
  ])('has 50 conditions at most: %s', (_, filter) => {
    expect(rejection(() => parseScimFilter(filter(50)))).toBeUndefined()
    expect(rejection(() => parseScimFilter(filter(51)))).toEqual(tooLarge)
  })
})

describe('the name of an attribute', () => {
  it.each([
    ['userName', 'username'],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName', 'username'],
    ['URN:ietf:params:scim:schemas:core:2.0:GROUP:members.value', 'members.value'],
    [
      'x.urn:ietf:params:scim:schemas:core:2.0:user:a',
      'x.urn:ietf:params:scim:schemas:core:2.0:user:a',
    ],
    [
      'urn:ietf:params:scim:schemas:core:2.0:Device:a',
      'urn:ietf:params:scim:schemas:core:2.0:device:a',
    ],
  ])('of %s is %s', (path, name) => {
    expect(attributeName(path)).toBe(name)
  })
})
