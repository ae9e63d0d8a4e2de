import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type ApiProcess, send, startApi } from '@atrium/testing/api-process'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { insertWebhookEndpoint } from '@atrium/testing/webhook-endpoints'
import { afterAll, beforeAll, expect, it } from 'vitest'

const slugs = ['acme', 'globex']

/** A change of a tenant's name, as its event tells it. */
interface Rename {
  id: string
  before: string
  after: string
}

let testApp: TestApp
let operator: string
let receiver: Server
const processes: ApiProcess[] = []
/** Of each tenant, in the order in which they arrived. */
const received = new Map<string, Rename[]>()
let repeated = 0

beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    manyChanges: true,
    env: { WEBHOOK_ADDRESSES: '127.0.0.1', AUDIT_HASH_CHAIN: 'true' },
    sandbox: { identity: { accessTokenSeconds: 4 * 3600 } },
  })
  operator = await testApp.token('operator@atrium.test')
  receiver = createServer(async (request, response) => {
    // Never responds: a delivery there waits for its deadline.
    if (request.url === '/dead') return
    let body = ''
    for await (const chunk of request) body += chunk
    const { id, data } = JSON.parse(body)
    const renames = received.get(data.tenant) ?? []
    received.set(data.tenant, renames)
    if (renames.some((known) => known.id === id)) repeated++
    else renames.push({ id, before: data.changes.name[0], after: data.changes.name[1] })
    response.end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  for (const slug of slugs) {
    const { id } = await tenantOf(slug)
    for (const path of ['/dead', '/live'])
      await insertWebhookEndpoint(
        testApp,
        { kind: 'tenant', tenantId: id },
        { url: `${url}${path}`, types: ['tenant.updated'] },
      )
  }
  for (let n = 0; n < 4; n++) processes.push(await startApi(testApp))
}, 120_000)
afterAll(async () => {
  for (const one of processes) await one[Symbol.asyncDispose]()
  receiver?.closeAllConnections()
  receiver?.close()
  await testApp?.[Symbol.asyncDispose]()
}, 60_000)

function tenantOf(slug: string) {
  return testApp.database.db
    .selectFrom('tenants')
    .select(['id', 'name'])
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow()
}

/** Renames a tenant again and again, at whichever process lives. */
async function rename(slug: string, ended: () => boolean): Promise<number> {
  let acknowledged = 0
  for (let n = 1; !ended(); n++) {
    const { url } = processes[n % processes.length] as ApiProcess
    const changed = await send(url, 'PATCH', `/tenants/${slug}`, operator, {
      name: `${slug} ${n}`,
    }).catch(() => undefined)
    if (changed?.status === 200) acknowledged++
    else await delay(20)
  }
  return acknowledged
}

/**
 * Each name that was committed is the one before the next, so a lost event, one of a change that
 * was rolled back, and one out of its order all break the chain from the first name to the last.
 */
function breaks(first: string, renames: readonly Rename[]): string[] {
  return renames.flatMap(({ before, after }, n) => {
    const expected = n === 0 ? first : renames[n - 1]?.after
    return before === expected ? [] : [`after "${expected}" came "${before}" to "${after}"`]
  })
}

it(
  'each committed change reaches its endpoint, in order, whatever is killed',
  async () => {
    const first = new Map<string, string>()
    for (const slug of slugs) first.set(slug, (await tenantOf(slug)).name)
    const leastKills = rounds(12, 1_000)
    let kills = 0
    let ended = false
    const writers = Promise.all(slugs.map((slug) => rename(slug, () => ended)))
    // Two of four at a time: a killed process starts while the others go on. Until something is
    // delivered between kills, or none would fall into a delivery.
    const killInTurn = async (places: readonly number[]) => {
      for (let n = 0; kills < leastKills || deliveries() === 0; n++) {
        kills++
        await delay(Math.random() * 1_000)
        const place = places[n % places.length] ?? 0
        await processes[place]?.[Symbol.asyncDispose]()
        processes[place] = await startApi(testApp)
      }
    }
    await Promise.all([killInTurn([0, 1]), killInTurn([2, 3])])
    ended = true
    const acknowledged = (await writers).reduce((sum, one) => sum + one, 0)
    const last = new Map<string, string>()
    for (const slug of slugs) last.set(slug, (await tenantOf(slug)).name)
    const missing = () =>
      slugs.filter((slug) => received.get(slug)?.at(-1)?.after !== last.get(slug))
    await expect
      .poll(missing, { timeout: 150_000, interval: 200 })
      .toEqual([])
      .catch(() => undefined)
    const faults = [
      ...missing().map((slug) => `${slug}: the last change was not delivered`),
      ...slugs.flatMap((slug) => breaks(first.get(slug) ?? '', received.get(slug) ?? [])),
    ]
    await recordMeasurement({
      target: 'R19',
      what: 'killed while tenants are renamed',
      measured: `${kills} kills, ${acknowledged} acknowledged changes, ${deliveries()} events delivered and ${repeated} of them once more, ${faults.length} lost, of undone changes or out of order, beside an endpoint that never responds`,
      reached: faults.length === 0,
    })
    expect(faults).toEqual([])
    expect(deliveries()).toBeGreaterThanOrEqual(acknowledged)
  },
  rounds(600_000, 10_800_000),
)

function deliveries(): number {
  return [...received.values()].reduce((sum, renames) => sum + renames.length, 0)
}
