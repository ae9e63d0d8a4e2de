import { describe, expect, it } from 'vitest'
import { patchScimUser, readPatch, readPath } from '../../src/scim/patch.ts'
import type { ScimUserAttributes } from '../../src/scim/user.ts'
import { rejection } from './rejection.ts'

const paths = (faults: string[] | undefined) => faults?.map((fault) => fault.split(':')[0])

describe('the operations of a PATCH', () => {
  it('are read in their order, with names and kinds written in any case', () => {
    const read = readPatch({
      schemas: [],
      OPERATIONS: [
        { op: 'Replace', path: 'active', value: false },
        { op: 'add', value: { displayName: 'Mira' } },
        { op: 'ADD', path: null, value: {} },
        { op: 'remove', path: 'externalId' },
      ],
    })
    expect(read).toMatchObject([
      { op: 'replace', path: { attribute: 'active' }, value: false, at: 'operations.0' },
      { op: 'add', path: null, value: { displayName: 'Mira' }, at: 'operations.1' },
      { op: 'add', path: null, value: {}, at: 'operations.2' },
      { op: 'remove', path: { attribute: 'externalid' }, at: 'operations.3' },
    ])
  })

  it.each([
    [[], 'operations'],
    [[{ op: 'move', path: 'a' }], 'operations.0.op'],
    [[{ op: 7, path: 'a' }], 'operations.0.op'],
    [[{ op: 'add', path: 7 }], 'operations.0.path'],
    [[{ op: 'add', path: 'a b' }], 'operations.0.path'],
    [[{ op: 'add', path: 'a' }, { op: 'remove' }], 'operations.1'],
    [[{ op: 'remove', path: '' }], 'operations.0'],
    ['none', 'operations'],
  ])('are rejected as %j', (Operations, path) => {
    expect(paths(rejection(() => readPatch({ Operations })))).toEqual([path])
  })

  it.each([null, 'text', 7, [], {}])('are not in the body %j', (body) => {
    expect(paths(rejection(() => readPatch(body)))).toEqual(['operations'])
  })

  it('are 1,000 at most', () => {
    const operations = (count: number) => ({
      Operations: Array.from({ length: count }, () => ({ op: 'add', value: {} })),
    })
    expect(readPatch(operations(1_000))).toHaveLength(1_000)
    expect(paths(rejection(() => readPatch(operations(1_001))))).toEqual(['operations'])
  })
})

describe('a path', () => {
  const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:user:department'
  const core = 'urn:ietf:params:scim:schemas:core:2.0:User'

  it.each([
    ['userName', 'username', undefined],
    ['name.familyName', 'name', 'familyname'],
    [`${core}:Name.givenName`, 'name', 'givenname'],
    ['members.$ref', 'members', '$ref'],
    ['$ref', '$ref', undefined],
    ['a.b.c', 'a', 'b.c'],
    [enterprise, enterprise, undefined],
  ])('without a filter selects everything: %s', (text, attribute, part) => {
    const path = readPath(text, 'at')
    expect(path).toMatchObject({ attribute, part, filtered: false })
    expect(path.selects({})).toBe(true)
  })

  it.each([
    ['phoneNumbers[type eq "work"].value', 'phonenumbers', 'value'],
    [`${core}:phoneNumbers[TYPE eq "WORK"]`, 'phonenumbers', undefined],
    ['urn:a:2.0:b[type eq "work"].c', 'urn:a:2.0:b', 'c'],
  ])('with a filter selects by it: %s', (text, attribute, part) => {
    const path = readPath(text, 'at')
    expect(path).toMatchObject({ attribute, part, filtered: true })
    expect(path.selects({ type: 'Work' })).toBe(true)
    expect(path.selects({ type: 'home' })).toBe(false)
  })

  it('selects nothing by an object in the place of a text', () => {
    const { selects } = readPath('emails[type sw "w" or type lt "w"]', 'at')
    expect(selects({ type: { toString: 1 } })).toBe(false)
  })

  it('may have brackets and line ends in the texts of its filter', () => {
    expect(readPath('a[b eq "[x]"]', 'at').selects({ b: '[x]' })).toBe(true)
    expect(paths(rejection(() => readPath('a[b eq "x\ny"]', 'at')))).toEqual(['at'])
  })

  it.each([
    '',
    '1a',
    'a b',
    ' a',
    'a.1b',
    'a.',
    'a..b',
    'urn:a b',
    `${core}:`,
    'a[b eq "x"',
    'a]',
    '[b eq "x"]',
    'a.c[b eq "x"]',
    'x]a[b pr]',
    'a[b eq "x"]c',
    'a[b eq "x"].',
    'a[b pr].c[d pr]',
    'a[b eq "x"].1c',
    'a[b eq]',
    'a[]',
    ']a[b eq "x"]',
  ])('is not %j', (text) => {
    expect(paths(rejection(() => readPath(text, 'operations.2.path')))).toEqual([
      'operations.2.path',
    ])
  })
})

describe('a user after a PATCH', () => {
  const before: ScimUserAttributes = {
    userName: 'mira@acme.example',
    externalId: 'x1',
    displayName: 'Mira Malik',
    firstName: 'Mira',
    lastName: 'Malik',
    phone: '+49 30 1111',
    active: true,
  }
  const after = (...operations: object[]) =>
    patchScimUser(before, readPatch({ Operations: operations }))
  const faults = (...operations: object[]) => paths(rejection(() => after(...operations)))
  const replace = (path: string, value: unknown) => ({ op: 'replace', path, value })
  const remove = (path: string) => ({ op: 'remove', path })

  it.each([
    [replace('userName', 'malik'), { userName: 'malik' }],
    [replace('externalId', 'x2'), { externalId: 'x2' }],
    [replace('externalId', null), { externalId: null }],
    [remove('externalId'), { externalId: null }],
    [replace('displayName', [{ value: 'M. Malik' }]), { displayName: 'M. Malik' }],
    [remove('displayName'), { displayName: null }],
    [replace('active', 'False'), { active: false }],
    [remove('active'), { active: undefined }],
    [replace('name.givenName', 'Mirabel'), { firstName: 'Mirabel' }],
    [replace('name.familyName', [{ value: 'Ali' }]), { lastName: 'Ali' }],
    [replace('name.familyName', null), { lastName: null }],
    [remove('name.givenName'), { firstName: null }],
    [replace('name', { FamilyName: 'Ali' }), { lastName: 'Ali' }],
    [replace('name', null), { firstName: null, lastName: null }],
    [remove('name'), { firstName: null, lastName: null }],
    [replace('phoneNumbers.value', '+49 30 2222'), { phone: '+49 30 2222' }],
    [replace('phoneNumbers', { value: '+49 30 2222' }), { phone: '+49 30 2222' }],
    [replace('phoneNumbers', [{ value: '+49 30 2222' }]), { phone: '+49 30 2222' }],
    [
      { op: 'add', path: 'phoneNumbers[type eq "work"].value', value: '+49 30 2222' },
      { phone: '+49 30 2222' },
    ],
    [replace('phoneNumbers[primary eq true].value', '+49 30 2222'), { phone: '+49 30 2222' }],
    [remove('phoneNumbers'), { phone: null }],
    [replace('phoneNumbers', null), { phone: null }],
    [remove('phoneNumbers[type eq "work"]'), { phone: null }],
    [remove('phoneNumbers[value eq "+49 30 1111"].value'), { phone: null }],
  ])('has %j', (operation, changes) => {
    expect(after(operation)).toEqual({ ...before, ...changes })
  })

  it.each([
    replace('phoneNumbers[type eq "mobile"].value', '+49 30 2222'),
    replace('phoneNumbers.type', 'home'),
    remove('phoneNumbers[type eq "mobile"]'),
    remove('phoneNumbers.type'),
    replace('name.middleName', 'M'),
    replace('name.constructor', 'M'),
    replace('emails[type eq "work"].value', 'm@acme.example'),
    replace('urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', 'Sales'),
    replace('constructor', 'x'),
    { op: 'add', value: {} },
  ])('is as before with %j, which changes nothing that users have', (operation) => {
    expect(after(operation)).toEqual(before)
  })

  it('gets a number although it had none', () => {
    const operation = replace('phoneNumbers[type eq "work"].value', '+49 30 2222')
    const read = readPatch({ Operations: [operation] })
    expect(patchScimUser({ ...before, phone: null }, read).phone).toBe('+49 30 2222')
    expect(patchScimUser({ ...before, phone: null }, []).phone).toBeNull()
  })

  it('has what the value names where there is no path', () => {
    const value = { active: false, 'name.familyName': 'Ali', externalid: null, nickName: 'M' }
    expect(after({ op: 'replace', value })).toEqual({
      ...before,
      active: false,
      lastName: 'Ali',
      externalId: null,
    })
  })

  it('has what the last of several operations says', () => {
    const phone = '+49 30 2222'
    expect(
      after(
        remove('phoneNumbers'),
        replace('phoneNumbers[value pr].value', '+49 30 3333'),
        replace('phoneNumbers[type eq "work"].value', phone),
        replace('name', { givenName: 'M' }),
        remove('name.givenName'),
      ),
    ).toEqual({ ...before, phone, firstName: null })
    expect(after(replace('displayName', 'A'), remove('displayName'))).toMatchObject({
      displayName: null,
    })
    expect(after(remove('displayName'), replace('displayName', 'B'))).toMatchObject({
      displayName: 'B',
    })
  })

  it.each([
    [[replace('active', true), { op: 'add', value: 'text' }], 'operations.1.value'],
    [[{ op: 'add', value: null }], 'operations.0.value'],
    [[{ op: 'add', value: [{ active: true }] }], 'operations.0.value'],
    [[{ op: 'add' }], 'operations.0.value'],
    [[{ op: 'add', value: { 'a b': 1 } }], 'operations.0.value'],
    [[replace('active', 'perhaps')], 'active'],
    [[replace('name', 'Mira')], 'name'],
    [[replace('name.givenName', 7)], 'name.givenName'],
    [[replace('phoneNumbers.value', 'none')], 'phoneNumbers.0.value'],
  ])('is rejected with %j', (operations, path) => {
    expect(faults(...operations)).toEqual([path])
  })

  it.each([remove('userName'), { op: 'add', value: { userName: null } }])(
    'keeps its user name with %j',
    (operation) => {
      expect(() => after(operation)).toThrow(expect.objectContaining({ code: 'forbidden_field' }))
    },
  )
})
