import { describe, expect, it } from 'vitest'
import { displayNameOf, readScimUser, singleValue } from '../../src/scim/user.ts'
import { rejection } from './rejection.ts'

const nothing = {
  externalId: null,
  displayName: null,
  firstName: null,
  lastName: null,
  phone: null,
  active: undefined,
}

describe('a user that a client sends', () => {
  const read = (attributes: object) => readScimUser({ userName: 'mira', ...attributes })
  const faults = (attributes: object) => rejection(() => read(attributes))

  it('needs nothing but its name', () => {
    expect(readScimUser({ userName: ' mira@acme.example ' })).toEqual({
      ...nothing,
      userName: 'mira@acme.example',
    })
  })

  it('is read with its attributes written in any case', () => {
    expect(
      readScimUser({
        USERNAME: 'mira',
        externalid: 'x1',
        DisplayName: 'Mira Malik',
        Name: { GIVENNAME: 'Mira', familyname: 'Malik' },
        ACTIVE: true,
        phonenumbers: [{ VALUE: '+49 30 1234', Type: 'work', PRIMARY: true }],
      }),
    ).toEqual({
      userName: 'mira',
      externalId: 'x1',
      displayName: 'Mira Malik',
      firstName: 'Mira',
      lastName: 'Malik',
      phone: '+49 30 1234',
      active: true,
    })
  })

  it('may have attributes that users do not have here', () => {
    expect(read({ emails: 7, password: 'x', nickName: {} })).toEqual({
      ...nothing,
      userName: 'mira',
    })
  })

  it('has no value where the client sends null or a blank text', () => {
    const blank = { externalId: ' ', displayName: '', name: { givenName: '', familyName: '\t' } }
    const none = { externalId: null, displayName: null, name: null, active: null }
    for (const attributes of [
      { ...blank, phoneNumbers: [{ value: ' ' }] },
      { ...none, phoneNumbers: null },
    ])
      expect(read(attributes)).toEqual({ ...nothing, userName: 'mira' })
  })

  it('is shown with the whole name where it has no name to show', () => {
    const name = { formatted: 'Mira Malik', givenName: 'M' }
    expect(read({ name }).displayName).toBe('Mira Malik')
    expect(read({ name, displayName: 'Mira' }).displayName).toBe('Mira')
  })

  it.each([
    [true, true],
    ['True', true],
    ['true', true],
    [false, false],
    ['False', false],
  ])('with %j for active is active: %s', (value, active) => {
    expect(read({ active: value }).active).toBe(active)
  })

  it.each(['yes', '', 1, []])('is rejected with %j for active', (active) => {
    expect(faults({ active })).toEqual([expect.stringMatching(/^active: /)])
  })

  const home = { value: '+49 30 1111', type: 'home' }
  const primary = { value: '+49 30 2222', type: 'mobile', primary: true }
  const work = { value: 'tel:+49 30 3333', type: 'work' }
  it.each([
    [[home, primary, work], '+49 30 3333'],
    [[home, primary], '+49 30 2222'],
    [[home, { ...primary, primary: false }], '+49 30 1111'],
    [[home, { ...work, value: '' }], '+49 30 1111'],
    [
      [
        { ...home, type: { toString: 1 } },
        { ...work, type: 'Work' },
      ],
      '+49 30 3333',
    ],
    [[{ value: 'TEL:+49301111' }], '+49301111'],
    [[], null],
  ])('keeps one telephone number: of %j it is %s', (phoneNumbers, phone) => {
    expect(read({ phoneNumbers }).phone).toBe(phone)
  })

  it.each([
    [{ userName: '' }, 'userName'],
    [{ userName: 'x'.repeat(255) }, 'userName'],
    [{ externalId: 7 }, 'externalId'],
    [{ name: 'Mira' }, 'name'],
    [{ name: ['Mira'] }, 'name'],
    [{ name: { givenName: 'x'.repeat(101) } }, 'name.givenName'],
    [{ phoneNumbers: [home, { value: 'none' }] }, 'phoneNumbers.1.value'],
    [{ phoneNumbers: [{ value: '1 tel:234' }] }, 'phoneNumbers.0.value'],
    [{ phoneNumbers: [{ value: 49301111 }] }, 'phoneNumbers.0.value'],
    [{ phoneNumbers: [null] }, 'phoneNumbers.0'],
    [{ phoneNumbers: [{ value: 7 }] }, 'phoneNumbers.0.value'],
    [{ phoneNumbers: Array.from({ length: 101 }, () => home) }, 'phoneNumbers'],
  ])('is rejected with %j', (attributes, path) => {
    expect(faults(attributes)?.map((fault) => fault.split(':')[0])).toEqual([path])
  })

  it.each([null, 'mira', ['mira']])('is no %j', (body) => {
    expect(rejection(() => readScimUser(body))).toHaveLength(1)
  })
})

describe('the name of a user', () => {
  const named = { ...nothing, userName: 'mira@acme.example' }

  it.each([
    [{ displayName: 'Mira', firstName: 'M', lastName: 'Malik' }, 'Mira'],
    [{ firstName: 'Mira', lastName: 'Malik' }, 'Mira Malik'],
    [{ firstName: 'Mira' }, 'Mira'],
    [{ lastName: 'Malik' }, 'Malik'],
    [{}, 'mira'],
    [{ userName: 'mira' }, 'mira'],
  ])('with %j is %s', (attributes, name) => {
    expect(displayNameOf({ ...named, ...attributes })).toBe(name)
  })
})

describe('a single value', () => {
  it('is taken out of a list of one reference', () => {
    expect(singleValue([{ $ref: null, value: 'a' }])).toBe('a')
  })

  it.each([
    'a',
    null,
    { value: 'a' },
    [],
    ['a'],
    [null],
    [{ name: 'a' }],
    [{ value: 'a' }, { value: 'b' }],
  ])('is %j as it is', (value) => {
    expect(singleValue(value)).toEqual(value)
  })
})
