import { describe, expect, it } from 'vitest'
import { stalwart } from '../src/mail/stalwart.ts'
import { json, type Received, scriptedServer } from './scripted-server.ts'

const quick = { apiKey: 'API_key', backoffMs: { initial: 1, max: 2 } }

type Patch = { name?: string; domainId?: string } & Record<
  `aliases/${string}`,
  Partial<Alias> | boolean | null
>
interface Arguments {
  update?: { d?: Patch }
  position?: number
  limit?: number
  ids?: string[]
}
type Calls = [name: string, args: Arguments, callId: string][]
const callsOf = ({ body }: Received) => (body as { methodCalls: Calls }).methodCalls
const names = (received: Received) => callsOf(received).map(([name]) => name)

interface Alias {
  name: string
  domainId: string
  enabled: boolean
}

/**
 * A mail server of one account, `d`, whose alias list follows the rules of its own: entries by
 * place, given again when stored.
 */
async function aliasServer(
  initial: string[],
  between: (aliases: Alias[], change: number) => Alias[] = (aliases) => aliases,
) {
  let aliases: Alias[] = initial.map((name) => ({ name, domainId: 'c', enabled: true }))
  let changes = 0
  let name = 'anna'
  const account = () => ({ id: 'd', '@type': 'User', name, domainId: 'c', aliases: { ...aliases } })
  const patch = ({ name: newName = name, domainId: _, ...update }: Patch) => {
    changes += 1
    aliases = between(aliases, changes)
    const list = new Map<number, Partial<Alias>>(aliases.map((alias, index) => [index, alias]))
    for (const [pointer, value] of Object.entries(update)) {
      const index = Number(pointer.split('/')[1])
      if (value === null && !list.delete(index))
        return { notUpdated: { d: { type: 'invalidPatch', properties: [pointer] } } }
      if (typeof value === 'boolean') list.set(index, { ...list.get(index), enabled: value })
      else if (value !== null) list.set(index, { ...list.get(index), ...value })
    }
    const entries = [...list].sort(([one], [other]) => one - other).map(([, alias]) => alias)
    const whole = entries.flatMap(({ name: local, domainId, enabled = true }) =>
      local && domainId ? [{ name: local, domainId, enabled }] : [],
    )
    if (whole.length < entries.length) return { notUpdated: { d: { type: 'validationFailed' } } }
    aliases = whole
    name = newName
    return { updated: { d: null } }
  }
  const server = await scriptedServer((received, response) => {
    const methodResponses = callsOf(received).map(([name, args, callId]) => {
      if (name !== 'x:Account/set') return [name, { list: [account()], notFound: [] }, callId]
      return [name, patch(args.update?.d ?? {}), callId]
    })
    json(response, 200, { methodResponses, sessionState: 's' })
  })
  return {
    mail: stalwart({ ...quick, baseUrl: server.url }),
    received: server.received,
    names: () => aliases.map(({ name }) => name),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const sales = { accountId: 'd', localPart: 'sales', domainId: 'c' }
const without = (name: string) => (aliases: Alias[], change: number) =>
  change === 1 ? aliases.filter((alias) => alias.name !== name) : aliases

describe('aliases during concurrent changes', () => {
  it('are added where no entry can be, and read again in the same request', async () => {
    await using testServer = await aliasServer(['office'])
    await testServer.mail.addAlias(sales)
    expect(testServer.names()).toEqual(['office', 'sales'])
    expect(testServer.received.map(names)).toEqual([
      ['x:Account/get'],
      ['x:Account/set', 'x:Account/get'],
    ])
    expect(callsOf(testServer.received[1] as Received)[0]?.[1]).toEqual({
      update: { d: { 'aliases/4000000000': { name: 'sales', domainId: 'c', enabled: true } } },
    })
  })

  it('are not written over by an addition that came too late', async () => {
    const added = (aliases: Alias[], change: number) =>
      change === 1 ? [...aliases, { name: 'theirs', domainId: 'c', enabled: true }] : aliases
    await using testServer = await aliasServer(['office'], added)
    await testServer.mail.addAlias(sales)
    expect(testServer.names()).toEqual(['office', 'theirs', 'sales'])
  })

  it('are removed at a second look when the list is shorter than it was', async () => {
    await using testServer = await aliasServer(
      ['first', 'sales', 'behind', 'last'],
      without('first'),
    )
    await testServer.mail.removeAlias(sales)
    expect(testServer.names()).toEqual(['behind', 'last'])
    expect(testServer.received).toHaveLength(4)
  })

  it.each(['first sales behind', 'sales behind', 'sales'])(
    'lose no other one to two who remove the same (of %s)',
    async (all) => {
      const initial = all.split(' ')
      await using testServer = await aliasServer(initial, without('sales'))
      await testServer.mail.removeAlias(sales)
      expect(testServer.names()).toEqual(initial.filter((name) => name !== 'sales'))
    },
  )

  it('come back when the removal hit the one behind, and the right one goes', async () => {
    const swapped = (aliases: Alias[], change: number) =>
      change === 1
        ? [...aliases.slice(1), { name: 'theirs', domainId: 'c', enabled: true }]
        : aliases
    await using testServer = await aliasServer(['first', 'sales', 'behind', 'last'], swapped)
    await testServer.mail.removeAlias(sales)
    expect(testServer.names().sort()).toEqual(['behind', 'last', 'theirs'])
  })

  it('become an address only where they are', async () => {
    await using testServer = await aliasServer(['first', 'anna.berg', 'behind'], without('first'))
    await testServer.mail.renameAccount({
      id: 'd',
      to: { localPart: 'anna.berg', domainId: 'c' },
      keepOld: false,
    })
    expect(testServer.names()).toEqual(['behind'])
  })

  it('end in a failure when the list keeps changing', async () => {
    const restless = (aliases: Alias[], change: number) => [
      { name: `new${change}`, domainId: 'c', enabled: true },
      ...aliases,
    ]
    await using testServer = await aliasServer(['sales'], restless)
    await expect(testServer.mail.removeAlias(sales)).rejects.toMatchObject({
      kind: 'server',
      call: 'removeAlias',
    })
    expect(testServer.names()).toContain('sales')
  })

  it('end in a failure when an addition does not show', async () => {
    await using server = await scriptedServer((received, response) => {
      const methodResponses = callsOf(received).map(([name, , callId]) => [
        name,
        name === 'x:Account/set'
          ? { updated: { d: null } }
          : { list: [{ id: 'd', name: 'anna', domainId: 'c', aliases: {} }] },
        callId,
      ])
      json(response, 200, { methodResponses })
    })
    const mail = stalwart({ ...quick, baseUrl: server.url })
    await expect(mail.addAlias(sales)).rejects.toMatchObject({ kind: 'server' })
    const to = { localPart: 'anna.berg', domainId: 'c' }
    await expect(mail.renameAccount({ id: 'd', to, keepOld: true })).rejects.toMatchObject({
      kind: 'server',
    })
  })
})

describe('pages', () => {
  /** Answers queries by position and limit, as far as it cares. */
  async function pagedServer(
    count: number,
    rule: { largest?: number; ignoresPosition?: boolean } = {},
  ) {
    const ids = Array.from({ length: count }, (_, index) => `a${index}`)
    const server = await scriptedServer((received, response) => {
      const methodResponses = callsOf(received).map(([name, args, callId]) => {
        const { position = 0, limit = 0, ids: asked = [] } = args
        if (name === 'x:Domain/get')
          return [name, { list: [{ id: 'c', name: 'acme.test' }] }, callId]
        if (name === 'x:Account/get') {
          const list = asked.map((id) => ({
            id,
            aliases: { 0: { name: id, domainId: 'c', enabled: true } },
          }))
          return asked.length > 500
            ? ['error', { type: 'requestTooLarge' }, callId]
            : [name, { list }, callId]
        }
        const most = Math.min(limit, rule.largest ?? 5_000)
        const from = rule.ignoresPosition ? 0 : position
        return [
          name,
          { ids: ids.slice(from, from + most), position, ...(most < limit && { limit: most }) },
          callId,
        ]
      })
      json(response, 200, { methodResponses })
    })
    return server
  }
  const readAliases = (url: string) => stalwart({ ...quick, baseUrl: url }).aliasesOn(['c'])

  it.each([0, 1, 499, 500, 501, 5_000, 5_001])('of %i accounts are all read', async (count) => {
    await using server = await pagedServer(count)
    const aliases = await readAliases(server.url)
    expect(new Set(aliases.map(({ accountId }) => accountId)).size).toBe(count)
    expect(aliases).toHaveLength(count)
  })

  it('may be smaller than what was asked for', async () => {
    await using server = await pagedServer(250, { largest: 100 })
    expect(await readAliases(server.url)).toHaveLength(250)
  })

  it('end also when the server does not turn them', async () => {
    await using server = await pagedServer(6_000, { ignoresPosition: true })
    expect(await readAliases(server.url)).toHaveLength(5_000)
  })
})

describe('answers that promise too little', () => {
  it('do not count as success', async () => {
    await using server = await scriptedServer((received, response) => {
      const methodResponses = callsOf(received).map(([name, , callId]) => [
        name,
        { accountId: 'b' },
        callId,
      ])
      json(response, 200, { methodResponses })
    })
    const mail = stalwart({
      ...quick,
      baseUrl: server.url,
      circuit: { failures: 1_000, openMs: 1 },
    })
    const failing = [
      mail.createAccount({
        localPart: 'anna',
        domainId: 'c',
        displayName: 'Anna',
        password: 'Qm7-vTz4-Lk9s-Xp',
      }),
      mail.setDisplayName({ id: 'd', displayName: 'Anna' }),
      mail.thawAccount({ id: 'd' }),
      mail.removeAccount('d'),
      mail.removeDomain('c'),
      mail.setReportAddress({ domainId: 'c', address: null }),
      mail.createList({ localPart: 'team', domainId: 'c', name: 'Team', recipients: [] }),
      mail.updateList({ id: 'b', name: 'Team' }),
      mail.removeList('b'),
    ]
    for (const outcome of await Promise.allSettled(failing)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'invalid_answer' } })
    }
  })

  it('are found by comparing what came back with the address', async () => {
    await using server = await scriptedServer((received, response) => {
      if (received.target === '/jmap/session')
        return json(response, 200, { primaryAccounts: { 'urn:stalwart:jmap': 'b' } })
      const list = [{ id: 'q', '@type': 'User', name: 'somebody', aliases: {} }]
      const methodResponses = callsOf(received).map(([name, , callId]) => [
        name,
        { list, ids: ['q'] },
        callId,
      ])
      json(response, 200, { methodResponses })
    })
    const mail = stalwart({ ...quick, baseUrl: server.url })
    expect(await mail.findAccount('anna@acme.test')).toBeUndefined()
    expect(await mail.findAccount('ben@acme.test')).toBeUndefined()
    // Who we are does not change, so it is asked once.
    expect(server.asked().filter((asked) => asked === 'GET /jmap/session')).toHaveLength(1)
    expect(server.received[1]?.body).toMatchObject({
      using: expect.arrayContaining(['urn:ietf:params:jmap:principals']),
      methodCalls: [
        ['Principal/query', { accountId: 'b', filter: { email: 'anna@acme.test' } }, 'query'],
        expect.anything(),
      ],
    })
  })
})
