import { writeText } from '@atrium/core/platform/errors'
import { type LimitName, limitNames, limits, limitText } from '@atrium/core/platform/limits'
import { tenantLimitNames } from '@atrium/core/tenants/tenant-limits'
import { tenantIdOf } from '@atrium/testing/records'
import type { TestResponse } from '@atrium/testing/test-app'
import { everythingWritten } from '@atrium/testing/written'
import { expect, it } from 'vitest'
import { byPeople } from './exceeding/by-people.ts'
import { byTenants } from './exceeding/by-tenants.ts'
import { byVisitors } from './exceeding/by-visitors.ts'
import { nowIn, type Opened, type Reach } from './exceeding/reach.ts'

/** The call that reaches each limit. A limit without one does not compile. */
const reaches: Readonly<Record<LimitName, Reach>> = { ...byPeople, ...byTenants, ...byVisitors }

/** Row counts of every table, and how often each upstream system was asked to change something. */
async function changesIn({ testApp }: Opened): Promise<Record<string, number>> {
  const written = await everythingWritten(testApp)
  const isRead = ({
    method,
    operations = [],
  }: {
    method: string
    operations?: readonly string[]
  }) =>
    method === 'GET' ||
    (operations.length > 0 &&
      operations.every((operation) => /\/(get|query|getAvailability)$/.test(operation)))
  const changes = Object.entries(testApp.sandbox.state()).map(([system, { calls }]) => [
    `calls of ${system}`,
    calls.filter((call) => !isRead(call)).length,
  ])
  return { ...written, ...Object.fromEntries(changes) }
}

function endOfWindow(name: LimitName, now: Date): Date | null {
  const { seconds } = limits[name]
  return seconds === null
    ? null
    : new Date((Math.floor(now.getTime() / (seconds * 1000)) + 1) * seconds * 1000)
}

/** Which limit it is, when it ends and who can raise it, with the headers that say the same. */
function expectRejected(
  name: LimitName,
  { most, headers }: Reach,
  { testApp }: Opened,
  response: TestResponse,
): void {
  const now = nowIn(testApp)
  const end = endOfWindow(name, now)
  const code = end === null && limits[name].kept === 'database' ? 'limit_reached' : 'rate_limited'
  const next =
    end === null
      ? 'Remove or end one of them first.'
      : `More are possible from ${end.toISOString().slice(0, 19)}Z.`
  const detail = `${writeText(limitText(name, most), 'en')}. ${next} An operator of the platform can raise this limit (${name}).`
  expect(response).toMatchObject({
    status: code === 'limit_reached' ? 409 : 429,
    body: { code, limit: name, detail },
  })
  const wait = end === null ? '10' : String(Math.ceil((end.getTime() - now.getTime()) / 1000))
  expect(response.headers.get('retry-after')).toBe(code === 'rate_limited' ? wait : null)
  if (!headers || end === null) return
  const told = ['limit', 'remaining', 'reset'].map((header) =>
    response.headers.get(`ratelimit-${header}`),
  )
  expect(told).toEqual([String(most), '0', wait])
}

it.each(limitNames)('%s is enforced: a rejected call names it and does nothing', async (name) => {
  const reach = reaches[name]
  const opened = await reach.open(`${name}=${reach.most}`)
  await using _ = opened.testApp
  for (let n = 0; n < reach.lets; n++)
    expect(await opened.act(n), `call ${n + 1}`).toMatchObject({ status: reach.status })
  const before = await changesIn(opened)
  expectRejected(name, reach, opened, await opened.act(reach.lets))
  expect(await changesIn(opened)).toEqual(before)
})

it.each(tenantLimitNames)(
  '%s has the number of the tenant as soon as an operator sets one',
  async (name) => {
    const reach = reaches[name]
    const { testApp, act } = await reach.open(`${name}=${reach.most}`)
    await using _ = testApp
    for (let n = 0; n < reach.lets; n++) await act(n)
    const id = await tenantIdOf(testApp.database.db, reach.slug)
    // A booking counts a mail to the visitor and one to the host.
    const raised = { tenant_id: id, name, most: reach.most + 2 }
    await testApp.database.db.insertInto('tenant_limits').values(raised).execute()
    expect(await act(reach.lets)).toMatchObject({ status: reach.status })
    await testApp.database.db.updateTable('tenant_limits').set({ most: 0 }).execute()
    expect(await act(reach.lets + 1)).toMatchObject({
      body: { limit: name, detail: expect.stringContaining(writeText(limitText(name, 0), 'en')) },
    })
  },
)
