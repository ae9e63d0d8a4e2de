import { describe, expect, it } from 'vitest'
import { patchScimGroup, readScimGroup } from '../../src/scim/group.ts'
import { readPatch } from '../../src/scim/patch.ts'
import { rejection } from './rejection.ts'

const paths = (faults: string[] | undefined) => faults?.map((fault) => fault.split(':')[0])

describe('a group that a client sends', () => {
  it('has each member once, by ids in lower case', () => {
    expect(
      readScimGroup({
        DISPLAYNAME: ' Sales ',
        externalId: 'x1',
        members: [{ value: 'A1' }, { Value: 'b2', display: 'B' }, { value: 'a1' }],
      }),
    ).toEqual({ displayName: 'Sales', externalId: 'x1', members: ['a1', 'b2'] })
  })

  it.each([{}, { externalId: '', members: null }, { externalId: null, members: [] }])(
    'has neither id nor members with %j',
    (attributes) => {
      expect(readScimGroup({ displayName: 'Sales', ...attributes })).toEqual({
        displayName: 'Sales',
        externalId: null,
        members: [],
      })
    },
  )

  it.each([
    [{ displayName: '' }, 'displayName'],
    [{ displayName: 'x'.repeat(101) }, 'displayName'],
    [{ members: ['a1'] }, 'members.0'],
    [{ members: [{ value: 'a1' }, {}] }, 'members.1.value'],
    [{ members: [{ value: 'x'.repeat(201) }] }, 'members.0.value'],
  ])('is rejected with %j', (attributes, path) => {
    const read = () => readScimGroup({ displayName: 'Sales', ...attributes })
    expect(paths(rejection(read))).toEqual([path])
  })
})

describe('a group after a PATCH', () => {
  const before = { displayName: 'Sales', externalId: 'x1', members: ['a1', 'b2', 'c3'] }
  const after = (...operations: object[]) =>
    patchScimGroup(before, readPatch({ Operations: operations }))
  const faults = (...operations: object[]) => paths(rejection(() => after(...operations)))
  const onMembers = (op: string, value?: unknown) => ({ op, path: 'members', value })
  const named = (...ids: string[]) => ids.map((value) => ({ value }))

  it.each([
    [onMembers('add', named('D4')), ['a1', 'b2', 'c3', 'd4']],
    [onMembers('add', named('A1')), ['a1', 'b2', 'c3']],
    [onMembers('add', { value: 'd4' }), ['a1', 'b2', 'c3', 'd4']],
    [onMembers('add', null), ['a1', 'b2', 'c3']],
    [onMembers('replace', named('d4')), ['d4']],
    [onMembers('replace', []), []],
    [onMembers('replace', null), []],
    [onMembers('remove', named('B2', 'd4')), ['a1', 'c3']],
    [onMembers('remove', { value: 'b2' }), ['a1', 'c3']],
    [onMembers('remove', ['B2', null, { value: { toString: 1 } }]), ['a1', 'c3']],
    [onMembers('remove'), []],
    [onMembers('remove', []), []],
    [{ op: 'remove', path: 'members[value eq "B2"]' }, ['a1', 'c3']],
    [{ op: 'remove', path: 'members[value eq "d4"]' }, ['a1', 'b2', 'c3']],
    [{ op: 'replace', path: 'members[value eq "b2"]', value: named('d4') }, ['a1', 'b2', 'c3']],
  ])('has with %j the members %j', (operation, members) => {
    expect(after(operation)).toEqual({ ...before, members })
  })

  it.each([
    [{ op: 'replace', path: 'displayName', value: [{ value: 'Sales EU' }] }, 'Sales EU', 'x1'],
    [{ op: 'replace', path: 'externalId', value: [{ value: 'x2' }] }, 'Sales', 'x2'],
    [{ op: 'replace', path: 'externalId', value: null }, 'Sales', null],
    [{ op: 'remove', path: 'externalId' }, 'Sales', null],
    [{ op: 'replace', value: { displayName: 'EU', externalid: 'x2' } }, 'EU', 'x2'],
    [{ op: 'replace', path: 'description', value: 'ours' }, 'Sales', 'x1'],
    [{ op: 'add', value: {} }, 'Sales', 'x1'],
  ])('is with %j named %s, with the id %s', (operation, displayName, externalId) => {
    expect(after(operation)).toEqual({ ...before, displayName, externalId })
  })

  it('is changed in the order of the operations', () => {
    const operations = [onMembers('remove'), onMembers('add', named('d4'))]
    expect(after(...operations).members).toEqual(['d4'])
    expect(after(...operations.toReversed()).members).toEqual([])
  })

  it.each([
    [[onMembers('remove'), { op: 'add' }], 'operations.1.value'],
    [[{ op: 'add', value: 'Sales' }], 'operations.0.value'],
    [[{ op: 'add', value: null }], 'operations.0.value'],
    [[{ op: 'add', value: named('d4') }], 'operations.0.value'],
    [[{ op: 'add', value: { 'a b': 1 } }], 'operations.0.value'],
    [[onMembers('add', ['d4'])], 'members.3'],
  ])('is rejected with %j', (operations, path) => {
    expect(faults(...operations)).toEqual([path])
  })

  it.each([
    { op: 'remove', path: 'displayName' },
    { op: 'replace', path: 'displayName', value: null },
  ])('keeps its name with %j', (operation) => {
    expect(() => after(operation)).toThrow(expect.objectContaining({ code: 'forbidden_field' }))
  })
})
