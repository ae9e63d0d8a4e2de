import { it } from 'vitest'
import type { HttpClientOptions } from '../src/http-client.ts'
import { stalwart } from '../src/mail/stalwart.ts'
import { type JmapResult, type MailSandbox, openMailSandbox } from './mail-sandbox.ts'

/**
 * A mail server that the contract is held against: the stand-in, or the Stalwart that
 * `STALWART_URL` and `STALWART_API_KEY` name.
 */
export interface MailTestServer extends MailSandbox {
  /** Takes everything away but the service account, its domain and its key. */
  reset(): Promise<void>
  close(): Promise<void>
}

/** Where the real server is, when there is one. */
export const stalwartUrl = process.env.STALWART_URL?.replace(/\/+$/, '')
const apiKey = process.env.STALWART_API_KEY

/** True when the contract is held against a server that is not ours to bend. */
export const againstStalwart = stalwartUrl !== undefined && apiKey !== undefined

/**
 * For what only the stand-in can be brought to do, such as breaking a connection at a given moment.
 */
export const onStandIn: typeof it = againstStalwart ? (it.skip as typeof it) : it

export async function startMailTestServer(
  options: Parameters<typeof openMailSandbox>[0] = {},
): Promise<MailTestServer> {
  if (stalwartUrl !== undefined && apiKey !== undefined)
    return await openStalwart(stalwartUrl, apiKey)
  const testServer = await openMailSandbox(options)
  return {
    ...testServer,
    reset: async () => testServer.sandbox.reset(),
    close: () => testServer.sandbox.close(),
  }
}

const using = ['core', 'principals', 'principals:availability', 'calendars', 'mail'].map(
  (name) => `urn:ietf:params:jmap:${name}`,
)

async function openStalwart(baseUrl: string, key: string): Promise<MailTestServer> {
  const call: MailTestServer['call'] = async (name, args) => {
    const response = await fetch(`${baseUrl}/jmap`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        using: [...using, 'urn:stalwart:jmap'],
        methodCalls: [[name, args, '0']],
      }),
    })
    const answer = (await response.json()) as { methodResponses?: [string, JmapResult, string][] }
    const [answered, result] = answer.methodResponses?.[0] ?? []
    if (answered !== name || !result)
      throw new Error(`${name} was answered with ${JSON.stringify(answer)}`)
    return result
  }
  const all = async (object: string, properties: string[]) => {
    const { ids } = await call(`x:${object}/query`, {})
    const list: JmapResult['list'] = []
    for (let from = 0; from < ids.length; from += 500)
      list.push(
        ...(await call(`x:${object}/get`, { ids: ids.slice(from, from + 500), properties })).list,
      )
    return list
  }
  const destroy = async (object: string, ids: string[]) => {
    for (let from = 0; from < ids.length; from += 500)
      await call(`x:${object}/set`, { destroy: ids.slice(from, from + 500) })
  }
  const reset = async () => {
    const domains = await all('Domain', ['name'])
    const foreign = domains.filter(({ name }) => !/\.(test|local)$/.test(String(name)))
    if (foreign.length > 0)
      throw new Error(
        'the tests empty the server: they run only where all domains end in .test or .local',
      )
    const accounts = await all('Account', ['name', '@type'])
    const platform = accounts.find(({ name }) => name === 'platform')
    if (!platform)
      throw new Error('the server has no account named platform, which the key belongs to')
    const { list } = await call('x:ApiKey/get', {
      accountId: platform.id,
      ids: null,
      properties: ['description'],
    })
    // An account may have five keys.
    const narrow = list.filter(({ description }) => description === 'narrow').map(({ id }) => id)
    if (narrow.length > 0) await call('x:ApiKey/set', { accountId: platform.id, destroy: narrow })
    await destroy(
      'MailingList',
      (await all('MailingList', ['name'])).map(({ id }) => id),
    )
    await destroy(
      'Account',
      accounts.filter((one) => one !== platform && one.name !== 'admin').map(({ id }) => id),
    )
    for (const { id, name } of domains) {
      if (name === 'atrium.test') continue
      await call('x:Domain/set', { update: { [id]: { dkimManagement: { '@type': 'Manual' } } } })
      const { ids } = await call('x:DkimSignature/query', { filter: { domainId: id } })
      await destroy('DkimSignature', ids)
      await destroy('Domain', [id])
    }
  }
  return {
    get sandbox(): never {
      throw new Error('this server is no stand-in')
    },
    client: (other = key, more: Partial<HttpClientOptions> = {}) =>
      stalwart({
        baseUrl,
        apiKey: other,
        deadlineMs: 20_000,
        operationDeadlineMs: 60_000,
        ...more,
      }),
    call,
    async signIn(address, password) {
      const authorization = `Basic ${Buffer.from(`${address}:${password}`).toString('base64')}`
      const response = await fetch(`${baseUrl}/api/account`, { headers: { authorization } })
      await response.body?.cancel()
      return response.status
    },
    calls: () => [],
    reset,
    close: reset,
  }
}
