import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareIds, decodeId, encodeId, longId } from '../src/mail/ids.ts'
import {
  type Answered,
  basic,
  type MailServer,
  openMail,
  serviceKey,
  using,
} from './mail-server.ts'

async function createDomains(server: MailServer, ...names: string[]): Promise<void> {
  const entries = names.map((name) => [name, { name, dkimManagement: { '@type': 'Manual' } }])
  expect(
    (await server.call('x:Domain/set', { create: Object.fromEntries(entries) })).notCreated,
  ).toBeUndefined()
}

describe('ids', () => {
  it.each([
    [0, 'a'],
    [1, 'b'],
    [25, 'z'],
    [26, '7'],
    [31, '3'],
    [32, 'ba'],
    [0xffffffff, 'd333333'],
  ])('writes %d as %s', (number, text) => {
    expect(encodeId(number)).toBe(text)
    expect(decodeId(text)).toBe(BigInt(number))
  })

  it('reads back every 64-bit number, in order', () => {
    const numbers = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
    fc.assert(fc.property(numbers, (number) => decodeId(encodeId(number)) === number))
    fc.assert(
      fc.property(
        numbers,
        numbers,
        (one, other) =>
          Math.sign(compareIds(encodeId(one), encodeId(other))) ===
          Number(one > other) - Number(one < other),
      ),
    )
  })

  it.each(['', 'A', '4', 'a b', '33333333333333'])('refuses %j', (text) => {
    expect(decodeId(text)).toBeUndefined()
  })

  it('gives out long ids in order, also within a millisecond', () => {
    const first = longId(1_787_227_200_000, undefined)
    const second = longId(1_787_227_200_000, first)
    expect(compareIds(first, second)).toBeLessThan(0)
    expect(compareIds(second, longId(1_787_227_200_001, second))).toBeLessThan(0)
  })

  it('counts accounts, domains and lists apart and never reuses a number', async () => {
    await using server = await openMail()
    await createDomains(server, 'one.test')
    await server.call('x:Domain/set', { destroy: ['c'] })
    await createDomains(server, 'two.test')
    expect((await server.call('x:Domain/query', {})).ids).toEqual(['d', 'b'])
    expect(
      (await server.call('x:MailingList/set', { create: { l: { name: 'l', domainId: 'd' } } }))
        .created.l.id,
    ).toBe('b')
  })
})

describe('references', () => {
  it('hand results on from call to call', async () => {
    await using server = await openMail()
    await createDomains(server, 'acme.test')
    const [, got, names] = await server.jmap(
      ['x:Domain/query', { filter: { name: 'acme.test' } }, '0'],
      [
        'x:Domain/get',
        { '#ids': { resultOf: '0', name: 'x:Domain/query', path: '/ids' }, properties: ['name'] },
        '1',
      ],
      [
        'Core/echo',
        { '#names': { resultOf: '1', name: 'x:Domain/get', path: '/list/*/name' } },
        '2',
      ],
    )
    expect(got).toEqual([
      'x:Domain/get',
      { accountId: 'b', list: [{ id: 'c', name: 'acme.test' }], notFound: [] },
      '1',
    ])
    expect(names[1]).toEqual({ names: ['acme.test'] })
  })

  it.each([
    { resultOf: '9', name: 'Core/echo', path: '/a' },
    { resultOf: '0', name: 'x:Domain/get', path: '/a' },
    { resultOf: '0', name: 'Core/echo', path: '/b' },
    { resultOf: '0', name: 'Core/echo', path: '/a/x' },
  ])('fail the call for %j', async (reference) => {
    await using server = await openMail()
    const [, failed] = await server.jmap(
      ['Core/echo', { a: [1] }, '0'],
      ['x:Domain/get', { '#ids': reference }, '1'],
    )
    expect(failed).toMatchObject(['error', { type: 'invalidResultReference' }, '1'])
  })

  it('reject an argument that is given twice', async () => {
    await using server = await openMail()
    const reference = { resultOf: '0', name: 'Core/echo', path: '/a' }
    const [, failed] = await server.jmap(
      ['Core/echo', { a: [] }, '0'],
      ['x:Domain/get', { ids: [], '#ids': reference }, '1'],
    )
    expect(failed[1]).toMatchObject({ type: 'invalidArguments' })
  })

  it('name what an earlier call of the request created', async () => {
    await using server = await openMail()
    const [, account, read] = await server.jmap(
      ['x:Domain/set', { create: { d: { name: 'acme.test' } } }, '0'],
      [
        'x:Account/set',
        {
          create: {
            m: {
              '@type': 'User',
              name: 'anna',
              domainId: '#d',
              aliases: { '0': { name: 'x', domainId: '#d' } },
            },
          },
        },
        '1',
      ],
      ['x:Account/get', { ids: ['#m'], properties: ['domainId', 'aliases'] }, '2'],
    )
    expect(account[1].created.m.id).toBe('c')
    expect(read[1].list).toMatchObject([{ domainId: 'c', aliases: { '0': { domainId: 'c' } } }])
    const [updated, destroyed] = await server.jmap(
      [
        'x:MailingList/set',
        { create: { l: { name: 'l', domainId: 'c' } }, update: { '#l': { description: 'x' } } },
        '0',
      ],
      ['x:MailingList/set', { destroy: ['#l'] }, '1'],
    )
    expect(updated[1].updated).toEqual({ b: null })
    expect(destroyed[1].destroyed).toEqual(['b'])
  })

  it('fail the call when nothing has that name, and the object when its create failed', async () => {
    await using server = await openMail()
    const account = { '@type': 'User', name: 'anna', domainId: '#d' }
    expect(await server.call('x:Account/set', { create: { m: account } })).toEqual({
      type: 'invalidResultReference',
      description: 'Id reference "d" not found.',
    })
    const { notCreated } = await server.call('x:Account/set', {
      create: {
        m: { '@type': 'User', name: 'anna', domainId: 'b', memberGroupIds: { '#g': true } },
        g: { '@type': 'Group', name: 'g', domainId: 'zz' },
      },
    })
    expect(notCreated.g).toMatchObject({ type: 'invalidForeignKey' })
    expect(notCreated.m).toBeDefined()
  })

  it('return the created ids to a client that sent some', async () => {
    await using server = await openMail()
    const response = await server.fetch('/jmap', {
      method: 'POST',
      headers: { authorization: serviceKey, 'content-type': 'application/json' },
      body: JSON.stringify({
        using,
        createdIds: { old: 'b' },
        methodCalls: [
          ['x:MailingList/set', { create: { l: { name: 'l', domainId: '#old' } } }, '0'],
        ],
      }),
    })
    expect(await response.json()).toMatchObject({ createdIds: { old: 'b', l: 'b' } })
  })
})

describe('method errors', () => {
  it.each([
    ['x:Domain/changes', {}, { type: 'unknownMethod', description: 'x:Domain/changes' }],
    [
      'ContactCard/get',
      { accountId: 'b' },
      { type: 'unknownMethod', description: 'ContactCard/get' },
    ],
    [
      'Quota/get',
      {},
      { type: 'invalidArguments', description: 'The "accountId" property is required.' },
    ],
    ['Quota/get', { accountId: 'not an id!' }, { type: 'accountNotFound' }],
    ['Quota/get', { accountId: 'zz' }, { type: 'serverUnavailable' }],
    ['x:Domain/get', { accountId: null, ids: [] }, { type: 'invalidArguments' }],
    ['x:Domain/get', { ids: 'b' }, { type: 'invalidArguments' }],
    ['x:Domain/get', { ids: Array(501).fill('b') }, { type: 'requestTooLarge' }],
    ['x:Domain/set', { destroy: Array(501).fill('b') }, { type: 'requestTooLarge' }],
    ['x:Domain/set', { create: [] }, { type: 'invalidArguments' }],
    ['x:Domain/set', [], { type: 'invalidArguments' }],
    [
      'x:Domain/query',
      { filter: { description: 'x' } },
      {
        type: 'unsupportedFilter',
        description: 'Filter on property description is not supported or invalid',
      },
    ],
    ['x:Domain/query', { filter: { name: 5 } }, { type: 'unsupportedFilter' }],
    [
      'x:Domain/query',
      { filter: { operator: 'OR', conditions: [] } },
      { type: 'unsupportedFilter', description: 'Only AND is supported in filters' },
    ],
    ['x:MailingList/query', { filter: { name: 'x' } }, { type: 'unsupportedFilter' }],
    ['x:MailingList/query', { filter: { domainId: 'b' } }, { type: 'unsupportedFilter' }],
    ['x:DkimSignature/query', { filter: { text: 'x' } }, { type: 'unsupportedFilter' }],
    ['x:Account/query', { filter: { emailAddress: 'x' } }, { type: 'unsupportedFilter' }],
    [
      'x:Domain/query',
      { sort: [{ property: 'description' }] },
      { type: 'unsupportedSort', description: 'Property description is not supported for sorting' },
    ],
    ['x:Domain/query', { anchor: 'zz' }, { type: 'anchorNotFound' }],
    ['x:Domain/query', { limit: -1 }, { type: 'invalidArguments' }],
  ])('%s %j', async (name, args, error) => {
    await using server = await openMail()
    const [response] = await server.jmap([name, args, 'c1'])
    expect(response).toMatchObject(['error', error, 'c1'])
  })

  it('ask for the capability, except for management', async () => {
    await using server = await openMail()
    const send = async (name: string) => {
      const body = JSON.stringify({ using: [], methodCalls: [[name, { accountId: 'b' }, '0']] })
      const response = (await (
        await server.fetch('/jmap', {
          method: 'POST',
          headers: { authorization: serviceKey, 'content-type': 'application/json' },
          body,
        })
      ).json()) as { methodResponses: [Answered] }
      return response.methodResponses[0]
    }
    expect((await send('x:Domain/query'))[0]).toBe('x:Domain/query')
    expect((await send('Quota/get'))[1]).toEqual({
      type: 'unknownMethod',
      description:
        'Method Quota/get requires capability urn:ietf:params:jmap:quota which is not present in the "using" property.',
    })
  })

  it('do not stop the calls after them', async () => {
    await using server = await openMail()
    const responses = await server.jmap(['nothing', {}, '0'], ['Core/echo', { a: 1 }, '1'])
    expect(responses.map(([name]) => name)).toEqual(['error', 'Core/echo'])
  })
})

describe('queries', () => {
  it('come newest first, and cut the page before they turn it round', async () => {
    await using server = await openMail()
    await createDomains(server, 'c.test', 'a.test', 'b.test')
    const query = async (args: unknown) => (await server.call('x:Domain/query', args)).ids
    expect(await query({})).toEqual(['e', 'd', 'c', 'b'])
    expect(await query({ limit: 2 })).toEqual(['c', 'b'])
    expect(await query({ limit: 2, position: 1 })).toEqual(['d', 'c'])
    expect(await query({ limit: 2, calculateTotal: true })).toEqual(['e', 'd'])
    expect(await query({ sort: [{ property: 'name' }] })).toEqual(['d', 'b', 'e', 'c'])
    expect(await query({ sort: [{ property: 'name', isAscending: false }], limit: 2 })).toEqual([
      'c',
      'e',
    ])
    expect(
      await query({ anchor: 'd', anchorOffset: 1, sort: [{ property: 'id', isAscending: true }] }),
    ).toEqual(['e'])
    expect(await server.call('x:Domain/query', { calculateTotal: true })).toEqual({
      accountId: 'b',
      queryState: 'n',
      canCalculateChanges: true,
      position: 0,
      ids: ['e', 'd', 'c', 'b'],
      total: 4,
    })
  })

  it('filter by equality, by order and by whole words', async () => {
    await using server = await openMail()
    await createDomains(server, 'acme.test', 'globex.test')
    await server.call('x:Domain/set', {
      update: { c: { description: 'Acme Corporation', 'aliases/acme.org': true } },
    })
    const query = async (filter: unknown) => (await server.call('x:Domain/query', { filter })).ids
    expect(await query({ name: 'acme.test' })).toEqual(['c'])
    expect(await query({ name: 'ACME.test' })).toEqual([])
    expect(await query({ aliases: 'acme.org' })).toEqual(['c'])
    expect(await query({ nameIsGreaterThan: 'acme.test' })).toEqual(['d', 'b'])
    expect(await query({ nameIsLessThanOrEqual: 'acme.test' })).toEqual(['c'])
    expect(await query({ text: 'corporation' })).toEqual(['c'])
    expect(await query({ text: 'corp' })).toEqual([])
    expect(
      await query({ operator: 'AND', conditions: [{ name: 'acme.test' }, { text: 'acme' }] }),
    ).toEqual(['c'])
  })
})

describe('sets', () => {
  it('take one object at a time: creates, updates, destroys', async () => {
    await using server = await openMail()
    await createDomains(server, 'acme.test', 'globex.test')
    const answer = await server.call('x:Domain/set', {
      create: {
        good: { name: 'new.test', dkimManagement: { '@type': 'Manual' } },
        bad: { name: 'acme.test' },
      },
      update: { c: { description: 'updated' }, d: { description: 'too late' }, zz: {} },
      destroy: ['d', 'yy'],
      ifInState: 'nonsense',
    })
    expect(answer).toEqual({
      accountId: 'b',
      created: { good: { id: 'e' } },
      updated: { c: null },
      destroyed: ['d'],
      notCreated: {
        bad: {
          type: 'primaryKeyViolation',
          properties: ['name'],
          objectId: { object: 'Domain', id: 'c' },
        },
      },
      notUpdated: { d: { type: 'willDestroy' }, zz: { type: 'notFound' } },
      notDestroyed: { yy: { type: 'notFound' } },
    })
    expect(await server.call('x:Domain/set', {})).toEqual({ accountId: 'b' })
  })

  it('act for the account of the caller when the account id is left out', async () => {
    await using server = await openMail()
    await server.call('x:Account/set', {
      create: {
        m: {
          '@type': 'User',
          name: 'anna',
          domainId: 'b',
          credentials: { '0': { '@type': 'Password', secret: 'Qm7-vTz4-Lk9s-Xp' } },
        },
      },
    })
    const anna = basic('anna', 'Qm7-vTz4-Lk9s-Xp')
    expect(
      (await server.callAs(anna, 'x:ApiKey/set', { create: { k: { description: 'own' } } }))
        .accountId,
    ).toBe('c')
    expect((await server.call('x:ApiKey/get', { accountId: 'c' })).list).toHaveLength(1)
  })
})

describe('any patch', () => {
  /** Keys with escapes fail the request as a whole. */
  const isPlain = (value: unknown) => !JSON.stringify(value).replace(/^"|"$/g, '').includes('\\')
  const segment = fc.oneof(
    fc.constantFrom(
      'aliases',
      'credentials',
      'permissions',
      'roles',
      'quotas',
      'memberGroupIds',
      'name',
      'domainId',
      'description',
      'secret',
      '@type',
    ),
    fc.constantFrom(
      'disabledPermissions',
      'authenticate',
      'maxDiskQuota',
      'encryptionAtRest',
      'timeZone',
      'locale',
      'dkimManagement',
      'algorithms',
      'privateKey',
    ),
    fc.constantFrom(
      '0',
      '1',
      '4000000000',
      '99999999999',
      '-1',
      '',
      '#m',
      '__proto__',
      'constructor',
      'toString',
      '~0',
      '~1',
      'ä',
    ),
    fc.string({ maxLength: 6 }).filter(isPlain),
  )
  const pointer = fc
    .array(segment, { minLength: 1, maxLength: 4 })
    .map((segments) => segments.join('/'))
  const leaf = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      -1,
      1.5,
      '',
      '****',
      'b',
      '#d',
      'x@y.test',
      'Qm7-vTz4-Lk9s-Xp',
      {},
      [],
    ),
    fc.record(
      {
        '@type': fc.constantFrom(
          'User',
          'Group',
          'Password',
          'ApiKey',
          'Merge',
          'Inherit',
          'Custom',
          'Automatic',
          'nothing',
        ),
      },
      { requiredKeys: [] },
    ),
    fc.jsonValue({ maxDepth: 3 }).filter(isPlain),
  )
  const patch = fc.dictionary(pointer, leaf, { maxKeys: 4 })
  const object = fc.constantFrom(
    'Account',
    'Domain',
    'DkimSignature',
    'MailingList',
    'ApiKey',
    'AppPassword',
  )

  it('gets 200, and leaves a working server', async () => {
    await using server = await openMail()
    await server.call('x:Account/set', {
      create: { m: { '@type': 'User', name: 'anna', domainId: 'b' } },
    })
    await server.call('x:MailingList/set', { create: { l: { name: 'l', domainId: 'b' } } })
    await fc.assert(
      fc.asyncProperty(object, patch, patch, async (name, created, updated) => {
        const args = {
          accountId: 'c',
          create: { d: created, e: { '@type': 'User', name: 'x', domainId: 'b', ...created } },
          update: { c: updated, b: name === 'MailingList' ? updated : {}, '#d': updated },
        }
        // The methods answer 200 whatever comes; `jmap` throws for any other status.
        const [response] = await server.jmap([`x:${name}/set`, args, '0'])
        expect([`x:${name}/set`, 'error']).toContain(response?.[0])
      }),
      { numRuns: 300 },
    )
    await createDomains(server, 'afterwards.test')
    for (const name of ['Account', 'Domain', 'DkimSignature', 'MailingList']) {
      expect((await server.call(`x:${name}/get`, { ids: null })).list).toBeDefined()
    }
    server.mail.load(JSON.parse(JSON.stringify(server.mail.save())))
    expect(
      (await server.call('x:Domain/query', { filter: { name: 'afterwards.test' } })).ids,
    ).toHaveLength(1)
  })
})
