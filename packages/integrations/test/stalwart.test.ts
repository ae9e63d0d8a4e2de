import { describe, expect, it } from 'vitest'
import { stalwart } from '../src/mail/stalwart.ts'
import { json, type Received, scriptedServer } from './scripted-server.ts'

const quick = { apiKey: 'API_key', backoffMs: { initial: 1, max: 2 } }
const ours = { name: 'acme.example', description: 'tenant acme' }

interface Domain {
  id: string
  name: string
  description: string | null
}

/** The names of the methods that a request calls. */
const methods = ({ body }: Received) =>
  (body as { methodCalls: [string][] }).methodCalls.map(([name]) => name)
const isSet = (received: Received) => methods(received)[0] === 'x:Domain/set'

const found = (list: Domain[]) => ({
  methodResponses: [
    ['x:Domain/query', { ids: list.map(({ id }) => id), position: 0 }, 'query'],
    ['x:Domain/get', { list, notFound: [] }, 'get'],
  ],
  sessionState: 's',
})
const setResult = (args: object) => ({
  methodResponses: [['x:Domain/set', { accountId: 'b', ...args }, 'set']],
})
const methodError = (type: string, callId: string) => ({
  methodResponses: [['error', { type, description: 'secret text' }, callId]],
})
const created = setResult({ created: { object: { id: 'c' } } })
const notCreated = (error: object) => setResult({ notCreated: { object: error } })
const taken = notCreated({
  type: 'primaryKeyViolation',
  properties: ['name'],
  objectId: { object: 'Domain', id: 'z' },
})

/** Answers look-ups and creations from two lists, in turn; the last entry stays. */
function mailServer(lookUps: unknown[], sets: unknown[]) {
  return scriptedServer((received, response) => {
    const responses = isSet(received) ? sets : lookUps
    json(response, 200, responses.length > 1 ? responses.shift() : responses[0])
  })
}

describe('ensureDomain', () => {
  it('looks by name, creates with our description, on the configured address', async () => {
    await using server = await mailServer([found([])], [created])
    expect(
      await stalwart({ ...quick, baseUrl: server.url }).ensureDomain({
        ...ours,
        name: 'ACME.example',
      }),
    ).toEqual({
      id: 'c',
      created: true,
    })
    expect(server.asked()).toEqual(['POST /jmap', 'POST /jmap'])
    expect(server.received[0]?.body).toEqual({
      using: ['urn:ietf:params:jmap:core', 'urn:stalwart:jmap'],
      methodCalls: [
        ['x:Domain/query', { filter: { name: 'acme.example' } }, 'query'],
        [
          'x:Domain/get',
          {
            '#ids': { resultOf: 'query', name: 'x:Domain/query', path: '/ids' },
            properties: ['name', 'description'],
          },
          'get',
        ],
      ],
    })
    expect(server.received[1]?.body).toMatchObject({
      methodCalls: [['x:Domain/set', { create: { object: ours } }, 'set']],
    })
    expect(server.received[0]?.headers).toMatchObject({
      authorization: 'Bearer API_key',
      'content-type': 'application/json',
    })
  })

  it.each(['tenant acme', '', null])(
    'adopts a domain whose description is %j',
    async (description) => {
      await using server = await mailServer(
        [found([{ id: 'c', name: 'acme.example', description }])],
        [],
      )
      expect(await stalwart({ ...quick, baseUrl: server.url }).ensureDomain(ours)).toEqual({
        id: 'c',
        created: false,
      })
      expect(server.received).toHaveLength(1)
    },
  )

  it('leaves another owner’s domain alone', async () => {
    await using server = await mailServer(
      [found([{ id: 'c', name: 'acme.example', description: 'tenant globex' }])],
      [],
    )
    const failing = stalwart({ ...quick, baseUrl: server.url }).ensureDomain(ours)
    await expect(failing).rejects.toMatchObject({ kind: 'conflict', call: 'ensureDomain' })
    await expect(failing).rejects.not.toThrow(/globex/)
  })

  it('adopts its own domain when another run was faster', async () => {
    await using server = await mailServer(
      [found([]), found([{ id: 'z', name: 'acme.example', description: 'tenant acme' }])],
      [taken],
    )
    expect(await stalwart({ ...quick, baseUrl: server.url }).ensureDomain(ours)).toEqual({
      id: 'z',
      created: false,
    })
  })

  it('reports a name that is an alias of another domain as a conflict', async () => {
    await using server = await mailServer([found([])], [taken])
    await expect(
      stalwart({ ...quick, baseUrl: server.url }).ensureDomain(ours),
    ).rejects.toMatchObject({ kind: 'conflict' })
  })

  it('looks again after serverUnavailable, and finds what was stored all the same', async () => {
    await using server = await mailServer(
      [found([]), found([{ id: 'c', name: 'acme.example', description: 'tenant acme' }])],
      [methodError('serverUnavailable', 'set')],
    )
    expect(await stalwart({ ...quick, baseUrl: server.url }).ensureDomain(ours)).toEqual({
      id: 'c',
      created: true,
    })
    expect(server.received.map(isSet)).toEqual([false, true, false])
  })

  it('looks before every further creation', async () => {
    await using server = await mailServer(
      [found([])],
      [methodError('serverUnavailable', 'set'), methodError('serverUnavailable', 'set'), created],
    )
    expect(await stalwart({ ...quick, baseUrl: server.url }).ensureDomain(ours)).toEqual({
      id: 'c',
      created: true,
    })
    expect(server.received.map(isSet)).toEqual([false, true, false, true, false, true])
  })

  it('finds the domain when the connection broke after it was stored', async () => {
    const stored: Domain[] = []
    await using server = await scriptedServer((received, response) => {
      if (!isSet(received)) return json(response, 200, found(stored))
      stored.push({ id: 'c', name: 'acme.example', description: 'tenant acme' })
      response.destroy()
    })
    expect(await stalwart({ ...quick, baseUrl: server.url }).ensureDomain(ours)).toEqual({
      id: 'c',
      created: true,
    })
    expect(stored).toHaveLength(1)
  })

  it.each([
    ['invalidPatch', 'refused'],
    ['validationFailed', 'refused'],
    ['invalidProperties', 'refused'],
    ['overQuota', 'refused'],
    ['forbidden', 'unauthorized'],
  ] as const)('reports the set error %s as %s, once', async (type, kind) => {
    await using server = await mailServer(
      [found([])],
      [notCreated({ type, description: 'quotes what was sent', properties: ['name'] })],
    )
    const failing = stalwart({ ...quick, baseUrl: server.url }).ensureDomain(ours)
    await expect(failing).rejects.toMatchObject({ kind })
    await expect(failing).rejects.toThrow(type)
    expect(server.received).toHaveLength(2)
  })

  it('does not take silence about the object for success', async () => {
    await using server = await mailServer([found([])], [setResult({})])
    await expect(
      stalwart({ ...quick, baseUrl: server.url }).ensureDomain(ours),
    ).rejects.toMatchObject({ kind: 'invalid_answer' })
  })
})

describe('failures of a request', () => {
  it.each([
    ['forbidden', 'unauthorized', 1],
    ['unknownMethod', 'refused', 1],
    ['serverUnavailable', 'server', 3],
  ] as const)('reports the method error %s as %s after %i tries', async (type, kind, tries) => {
    await using server = await mailServer([methodError(type, 'query')], [])
    const failing = stalwart({ ...quick, baseUrl: server.url }).findDomain('acme.example')
    await expect(failing).rejects.toMatchObject({ kind })
    await expect(failing).rejects.not.toThrow(/secret text/)
    expect(server.received).toHaveLength(tries)
  })

  it.each([
    ['urn:ietf:params:jmap:error:limit', 'rate_limited', 3],
    ['urn:ietf:params:jmap:error:notRequest', 'refused', 1],
    ['urn:ietf:params:jmap:error:notJSON', 'refused', 1],
  ] as const)(
    'reports the request error %s as %s and never quotes it',
    async (type, kind, tries) => {
      const detail = 'Failed to parse JMAP request: {"create":{"secret":"hunter2"}}'
      await using server = await scriptedServer((_, response) =>
        json(
          response,
          400,
          { type, status: 400, detail },
          { 'content-type': 'application/problem+json' },
        ),
      )
      const failing = stalwart({ ...quick, baseUrl: server.url }).findDomain('acme.example')
      await expect(failing).rejects.toMatchObject({ kind, status: 400 })
      await expect(failing).rejects.not.toThrow(/hunter2|parse/)
      expect(server.received).toHaveLength(tries)
    },
  )

  it('keeps at most four requests in flight', async () => {
    let inFlight = 0
    let most = 0
    await using server = await scriptedServer((_, response) => {
      inFlight += 1
      most = Math.max(most, inFlight)
      setTimeout(() => {
        inFlight -= 1
        json(response, 200, found([]))
      }, 5)
    })
    const mail = stalwart({ ...quick, baseUrl: server.url })
    await Promise.all(Array.from({ length: 12 }, () => mail.findDomain('acme.example')))
    expect(most).toBe(4)
  })
})

describe('findDomain', () => {
  it('compares the name again', async () => {
    await using server = await mailServer(
      [found([{ id: 'q', name: 'other.example', description: null }])],
      [],
    )
    expect(
      await stalwart({ ...quick, baseUrl: server.url }).findDomain('acme.example'),
    ).toBeUndefined()
  })

  it('returns id and description', async () => {
    await using server = await mailServer(
      [found([{ id: 'c', name: 'acme.example', description: 'tenant acme' }])],
      [],
    )
    expect(await stalwart({ ...quick, baseUrl: server.url }).findDomain('Acme.Example')).toEqual({
      id: 'c',
      description: 'tenant acme',
    })
  })
})

describe('check', () => {
  const verbs = ['Get', 'Query', 'Create', 'Update', 'Destroy']
  const permissions = [
    'authenticate',
    ...['Domain', 'Account', 'MailingList'].flatMap((type) =>
      verbs.map((verb) => `sys${type}${verb}`),
    ),
    ...['Get', 'Query', 'Destroy'].map((verb) => `sysDkimSignature${verb}`),
    'emailSend',
    'emailReceive',
  ]

  it('returns the permissions of the key', async () => {
    await using server = await scriptedServer((_, response) =>
      json(response, 200, { permissions, edition: 'oss', locale: 'en_US' }),
    )
    expect(await stalwart({ ...quick, baseUrl: server.url }).check()).toEqual({ permissions })
    expect(server.asked()).toEqual(['GET /api/account'])
  })

  /**
   * As Stalwart 0.16.18 answered in bootstrap mode: it knows no keys, and has no address of its
   * own.
   */
  const settingUp: Parameters<typeof scriptedServer>[0] = ({ target }, response) =>
    target === '/.well-known/oauth-authorization-server'
      ? json(response, 200, { issuer: '', token_endpoint: '/auth/token' })
      : json(response, 401, {
          type: 'about:blank',
          status: 401,
          title: 'Unauthorized',
          detail: 'You have to authenticate first.',
        })

  it('says that a new server is in bootstrap mode', async () => {
    await using server = await scriptedServer(settingUp)
    await expect(stalwart({ ...quick, baseUrl: server.url }).check()).rejects.toMatchObject({
      kind: 'unauthorized',
      status: 401,
      message: expect.stringContaining('it is in bootstrap mode'),
    })
    // An administrator's own sign-in gets in there, and may do nothing else.
    server.script = (_, response) =>
      json(response, 200, { permissions: ['sysBootstrapGet', 'sysBootstrapUpdate'] })
    await expect(stalwart({ ...quick, baseUrl: server.url }).check()).rejects.toThrow(
      'it is in bootstrap mode',
    )
  })

  it.each([
    ['a server with an address', 200, { issuer: 'https://mail.acme.example' }],
    ['no metadata', 404, { status: 404 }],
    ['metadata of another form', 200, []],
  ])('says nothing of that of %s which rejects the key', async (_, status, metadata) => {
    await using server = await scriptedServer(({ target }, response) =>
      target === '/api/account' ? json(response, 401, {}) : json(response, status, metadata),
    )
    const failure = stalwart({ ...quick, baseUrl: server.url }).check()
    await expect(failure).rejects.toMatchObject({ kind: 'unauthorized', status: 401 })
    await expect(failure).rejects.not.toThrow('bootstrap')
  })

  it.each(permissions.slice(1))('says that the key lacks %s', async (lacking) => {
    const held = permissions.filter((permission) => permission !== lacking)
    await using server = await scriptedServer((_, response) =>
      json(response, 200, { permissions: held }),
    )
    await expect(stalwart({ ...quick, baseUrl: server.url }).check()).rejects.toMatchObject({
      kind: 'unauthorized',
      message: expect.stringMatching(new RegExp(`the key lacks ${lacking}\\. \\[mail\\.check: `)),
    })
  })
})

describe('removeDomain', () => {
  const linked = (...objects: [string, string][]) => ({
    accountId: 'b',
    notDestroyed: {
      c: {
        type: 'objectIsLinked',
        objectId: { object: 'Domain', id: 'c' },
        linkedObjects: objects.map(([object, id]) => ({ object, id })),
      },
    },
  })

  /**
   * Returns the destroys of the domain in turn, the last one again and again, destroys every
   * signature, and lists those that are `left` behind once the domain is gone.
   */
  function removalServer(responses: object[], left: string[] = []) {
    return scriptedServer((received, response) => {
      const { methodCalls } = received.body as {
        methodCalls: [string, { destroy: string[] }, string][]
      }
      const methodResponses = methodCalls.map(([name, { destroy }, callId]) => {
        if (name === 'x:DkimSignature/query') return [name, { ids: left }, callId]
        if (name === 'x:DkimSignature/set') left = left.filter((id) => !destroy.includes(id))
        const answer = responses.length > 1 ? responses[0] : responses.at(-1)
        if (name === 'x:Domain/set' && responses.length > 1) responses.shift()
        return [name, name === 'x:Domain/set' ? answer : { destroyed: destroy }, callId]
      })
      json(response, 200, { methodResponses })
    })
  }
  const keysOfDomain = ['x:DkimSignature/query', { filter: { domainId: 'c' } }, 'left']
  const destroys = ({ body }: Received) =>
    (body as { methodCalls: [string, { destroy: string[] }][] }).methodCalls

  it('looks what holds the domain before it destroys a key, then destroys both in one request', async () => {
    await using server = await removalServer([
      linked(['DkimSignature', 'k1'], ['DkimSignature', 'k2']),
      { destroyed: ['c'] },
    ])
    await stalwart({ ...quick, baseUrl: server.url }).removeDomain('c')
    expect(server.received.map(destroys)).toEqual([
      [['x:Domain/set', { destroy: ['c'] }, 'domain'], keysOfDomain],
      [
        ['x:DkimSignature/set', { destroy: ['k1', 'k2'] }, 'keys'],
        ['x:Domain/set', { destroy: ['c'] }, 'domain'],
        keysOfDomain,
      ],
    ])
  })

  it('destroys a key that the server stored while the domain went', async () => {
    await using server = await removalServer(
      [{ destroyed: ['c'] }, { notDestroyed: { c: { type: 'notFound' } } }],
      ['k9'],
    )
    await stalwart({ ...quick, baseUrl: server.url }).removeDomain('c')
    expect(server.received.map(destroys)).toEqual([
      [['x:Domain/set', { destroy: ['c'] }, 'domain'], keysOfDomain],
      [
        ['x:DkimSignature/set', { destroy: ['k9'] }, 'keys'],
        ['x:Domain/set', { destroy: ['c'] }, 'domain'],
        keysOfDomain,
      ],
    ])
  })

  it('takes a key that was made in between with it', async () => {
    await using server = await removalServer([
      linked(['DkimSignature', 'k1']),
      linked(['DkimSignature', 'k2']),
      { destroyed: ['c'] },
    ])
    await stalwart({ ...quick, baseUrl: server.url }).removeDomain('c')
    expect(server.received).toHaveLength(3)
    expect(destroys(server.received[2] as Received)[0]?.[1]).toEqual({ destroy: ['k2'] })
  })

  it('gives up when keys keep coming', async () => {
    await using server = await removalServer([linked(['DkimSignature', 'k1'])])
    await expect(
      stalwart({ ...quick, baseUrl: server.url }).removeDomain('c'),
    ).rejects.toMatchObject({ kind: 'server' })
    expect(server.received).toHaveLength(4)
  })

  it.each(['Account', 'MailingList', 'SomethingNew'])(
    'is a conflict while an object of the type %s holds it',
    async (object) => {
      await using server = await removalServer([linked([object, 'x'], ['DkimSignature', 'k1'])])
      await expect(
        stalwart({ ...quick, baseUrl: server.url }).removeDomain('c'),
      ).rejects.toMatchObject({ kind: 'conflict' })
      expect(server.received).toHaveLength(1)
    },
  )
})
