import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  resourceTypes,
  schemaDefinitions,
  serviceProviderConfig,
} from '../../src/scim/discovery.ts'
import { listOf, scimList, scimSchemas } from '../../src/scim/schemas.ts'
import { readSearch } from '../../src/scim/search.ts'
import { rejection } from './rejection.ts'

describe('a search', () => {
  const read = (resource: Record<string, unknown>) => readSearch({ slug: 'acme', resource })
  const first = { slug: 'acme', startIndex: 1, count: 100 }

  it('is what a list is by its parameters, with names written in any case', () => {
    expect(
      read({
        FILTER: 'userName pr',
        attributes: ['userName', 'active'],
        excludedAttributes: ['name', 'emails'],
        STARTINDEX: 3,
        Count: 20,
      }),
    ).toEqual({
      slug: 'acme',
      filter: 'userName pr',
      attributes: 'userName,active',
      excludedAttributes: 'name,emails',
      startIndex: 3,
      count: 20,
    })
  })

  it.each([
    {},
    { filter: '', attributes: [], excludedAttributes: [] },
    { filter: null, attributes: null, excludedAttributes: null, startIndex: null, count: null },
  ])('is the first page of everything with %j', (body) => {
    expect(read(body)).toStrictEqual(first)
  })

  it.each([
    [{ count: 0 }, { count: 0 }],
    [{ count: -1 }, { count: 0 }],
    [{ count: 200 }, { count: 200 }],
    [{ count: 201 }, { count: 200 }],
    [{ startIndex: 0 }, { startIndex: 1 }],
    [{ startIndex: 1_000 }, { startIndex: 1_000 }],
  ])('with %j has %j', (body, page) => {
    expect(read(body)).toEqual({ ...first, ...page })
  })

  it.each([
    [{ count: 'many' }, 'count'],
    [{ attributes: 'userName' }, 'attributes'],
    [{ filter: 7 }, 'filter'],
  ])('is rejected with %j', (body, path) => {
    expect(rejection(() => read(body))).toEqual([expect.stringMatching(`^${path}: `)])
  })
})

it('is a page of a list, the only one unless more is said', () => {
  const schemas = [scimSchemas.listResponse]
  const only = {
    schemas,
    totalResults: 2,
    startIndex: 1,
    itemsPerPage: 2,
    Resources: ['a', 'b'],
  }
  expect(listOf(['a', 'b'])).toEqual(only)
  expect(scimList(z.string()).parse(only)).toEqual(only)
  expect(listOf(['c'], 7, 3)).toEqual({
    schemas,
    totalResults: 7,
    startIndex: 3,
    itemsPerPage: 1,
    Resources: ['c'],
  })
})

describe('discovery', () => {
  const base = 'https://api.example/scim/v2'

  it('says what the service can do', () => {
    expect(serviceProviderConfig(base)).toMatchObject({
      schemas: [scimSchemas.serviceProviderConfig],
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
      authenticationSchemes: [{ type: 'oauthbearertoken', primary: true }],
      meta: { location: `${base}/ServiceProviderConfig` },
    })
  })

  it('has a schema for each type of resource, each at its own address', () => {
    const schemas = schemaDefinitions(base)
    const types = resourceTypes(base)
    expect(types).toMatchObject([
      { id: 'User', endpoint: '/Users', meta: { location: `${base}/ResourceTypes/User` } },
      { id: 'Group', endpoint: '/Groups', meta: { location: `${base}/ResourceTypes/Group` } },
    ])
    expect(types.map(({ schema }) => schema)).toEqual(schemas.map(({ id }) => id))
    for (const { id, schemas: of, meta } of schemas) {
      expect(of).toEqual([scimSchemas.schema])
      expect(meta).toEqual({ resourceType: 'Schema', location: `${base}/Schemas/${id}` })
    }
    for (const { schemas: of } of types) expect(of).toEqual([scimSchemas.resourceType])
  })

  it('names the attributes that a client needs and those that it cannot write', () => {
    const attributes = schemaDefinitions(base).flatMap(({ name, attributes: of }) =>
      of.map((attribute) => ({ ...attribute, name: `${name}.${attribute.name}` })),
    )
    const namesOf = (found: typeof attributes) => found.map(({ name }) => name)
    expect(namesOf(attributes.filter(({ required }) => required))).toEqual([
      'User.userName',
      'User.displayName',
      'User.active',
      'Group.displayName',
    ])
    expect(namesOf(attributes.filter(({ mutability }) => mutability === 'readOnly'))).toEqual([
      'User.emails',
      'User.groups',
    ])
    expect(namesOf(attributes.filter(({ multiValued }) => multiValued))).toEqual([
      'User.emails',
      'User.phoneNumbers',
      'User.groups',
      'Group.members',
    ])
  })
})
