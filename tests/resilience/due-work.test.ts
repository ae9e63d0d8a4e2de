import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { syncMember } from '@atrium/api/members/jobs'
import { provisionTenant } from '@atrium/api/provisioning/jobs'
import { followIdentities } from '@atrium/api/users/follow-identity'
import { fileQuotaBytes, type Plan } from '@atrium/core/tenants/tenants'
import { inFull, recordMeasurement, rounds } from '@atrium/testing/measurements'
import {
  fileUser,
  identityUser,
  type MembersTestApp,
  mailbox,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { clientsWithDeadline, identityRecords } from '@atrium/testing/outside'
import type { TestResponse } from '@atrium/testing/test-app'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({
    integrations: clientsWithDeadline(2_000),
    sandbox: { identity: { accessTokenSeconds: 36_000 } },
  })
}, 180_000)
afterAll(() => testApp?.[Symbol.asyncDispose]())

type System = 'identity' | 'mail' | 'files'
const systems = ['identity', 'mail', 'files'] as const

type Change =
  | { act: 'create'; phone: string | null }
  | { act: 'rename' | 'rename as operator'; member: number; name: string }
  | { act: 'phone' | 'phone as operator'; member: number; phone: string | null }
  | {
      act: 'move' | 'suspend' | 'resume' | 'remove' | 'deactivate' | 'reactivate' | 'retry'
      member: number
    }
  | { act: 'rename tenant'; name: string }
  | { act: 'plan'; plan: Plan }
  | { act: 'reconcile' }
/**
 * `cut`: the process loses its database after so many milliseconds of the change, as one that dies
 * does.
 */
type Act =
  | { change: Change; cut: number | undefined }
  | { outage: System; mode: 'error' | 'reset' }
  | { mended: System }
  | { settled: true }

const member = fc.nat({ max: 5 })
const name = fc.constantFrom('Ada Lovelace', 'Grace Hopper', 'Jürgen Groß', '李 小龍', 'O’Neill')
const phone = fc.constantFrom('+49 30 1', '+49 30 2', null)
const changes: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('create' as const), phone }) },
  {
    weight: 4,
    arbitrary: fc.record({ act: fc.constantFrom('rename', 'rename as operator'), member, name }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constantFrom('phone', 'phone as operator'), member, phone }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      act: fc.constantFrom(
        'move',
        'suspend',
        'resume',
        'remove',
        'deactivate',
        'reactivate',
        'retry',
      ),
      member,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant('rename tenant' as const),
      name: fc.constantFrom('Acme North', 'Acme South'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('plan' as const),
      plan: fc.constantFrom<Plan>('starter', 'business', 'enterprise'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('reconcile' as const) }) },
)
const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      change: changes,
      cut: fc.option(fc.nat({ max: 60 }), { freq: 4, nil: undefined }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      outage: fc.constantFrom(...systems),
      mode: fc.constantFrom('error', 'reset'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ mended: fc.constantFrom(...systems) }) },
  { weight: 1, arbitrary: fc.record({ settled: fc.constant(true as const) }) },
)

/** The people that one sequence of changes is about, by the addresses that they ever had. */
interface Cast {
  mark: string
  made: number
  addresses: Set<string>
  outages: Map<System, 'error' | 'reset'>
}

const rowsOf = (cast: Cast) =>
  testApp.database.db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .selectAll('m')
    .select(['u.email', 'u.name', 'u.phone', 'u.deactivated_at', 'u.idp_user_id'])
    .where('m.tenant_id', '=', testApp.acmeId)
    .where('u.email', 'like', `${cast.mark}-%`)
    .orderBy('u.id')
    .execute()

async function carryOut(cast: Cast, change: Change): Promise<TestResponse | undefined> {
  const asOperator = (method: string, path: string, body?: object) =>
    testApp.request(method, path, { token: testApp.as.operator, ...(body ? { body } : {}) })
  const address = () => {
    const local = `${cast.mark}-${cast.made++}`
    cast.addresses.add(`${local}@acme.tenants.local`)
    return local
  }
  switch (change.act) {
    case 'create':
      return testApp.call('POST', '/users', {
        email: address(),
        name: 'Somebody New',
        ...(change.phone ? { phone: change.phone } : {}),
      })
    case 'rename tenant':
      return asOperator('PATCH', '/tenants/acme', { name: change.name })
    case 'plan':
      return asOperator('PATCH', '/tenants/acme', { plan: change.plan })
    case 'reconcile':
      return asOperator('POST', '/tenants/acme/reconcile')
  }
  const rows = await rowsOf(cast)
  const row = rows[change.member % Math.max(rows.length, 1)]
  if (!row) return undefined
  const path = `/tenants/acme/users/${row.user_id}`
  switch (change.act) {
    case 'rename':
      return asOperator('PATCH', path, { name: change.name })
    case 'phone':
      return asOperator('PATCH', path, { phone: change.phone })
    case 'rename as operator':
      return asOperator('PATCH', `/users/${row.user_id}`, { name: change.name })
    case 'phone as operator':
      return asOperator('PATCH', `/users/${row.user_id}`, { phone: change.phone })
    case 'move':
      return asOperator('PUT', `${path}/email`, { email: address() })
    case 'remove':
      return asOperator('DELETE', path)
    case 'deactivate':
    case 'reactivate':
      return asOperator('POST', `/users/${row.user_id}/${change.act}`, {})
    default:
      return asOperator('POST', `${path}/${change.act}`)
  }
}

/** What a process leaves that dies: no connection, leases that lapse, and perhaps no job. */
async function die(): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and usename = current_user and pid <> pg_backend_pid()`
    .execute(testApp.database.db)
    .catch(() => undefined)
}

async function lapse(): Promise<void> {
  const { db } = testApp.database
  // Its holder no longer renews it.
  const nobody = { run: null, lease_until: null }
  await db.updateTable('memberships').set(nobody).where('lease_until', 'is not', null).execute()
  await db
    .updateTable('tenants')
    .set({ provisioning_run: null, provisioning_lease_until: null })
    .where('provisioning_lease_until', 'is not', null)
    .execute()
  await db.updateTable('identity_dues').set(nobody).where('lease_until', 'is not', null).execute()
  await sql`delete from jobs.job where name in ('members', 'provisioning')`.execute(db)
}

/** The pool may still hand out a connection that was cut. */
const patiently = (work: () => Promise<void>) => vi.waitFor(work, { timeout: 60_000, interval: 50 })

/**
 * What the sweep and the job engine do in time, at once: everything that is due, as if every delay
 * were over.
 */
async function settle(cast: Cast): Promise<void> {
  const { db } = testApp.database
  const past = new Date(0)
  await db
    .updateTable('memberships')
    .set({ next_at: past })
    .where('next_at', 'is not', null)
    .execute()
  await db
    .updateTable('provisioning_steps')
    .set({ next_at: past })
    .where('next_at', 'is not', null)
    .execute()
  await db.updateTable('identity_dues').set({ next_at: past }).execute()
  await provisionTenant(testApp.app.services, testApp.acmeId)
  for (const { user_id } of await rowsOf(cast))
    await syncMember(testApp.app.services, testApp.acmeId, user_id)
  await followIdentities(testApp.app.services)
}

function fail(outages: Cast['outages']): void {
  testApp.sandbox.clearFaults()
  for (const [system, mode] of outages)
    testApp.sandbox.fault({ system, mode, ...(mode === 'error' ? { status: 503 } : {}) })
}

async function play(cast: Cast, act: Act): Promise<void> {
  if ('outage' in act) fail(cast.outages.set(act.outage, act.mode))
  else if ('mended' in act) {
    cast.outages.delete(act.mended)
    fail(cast.outages)
  } else if ('settled' in act) await patiently(() => settle(cast))
  else if (act.cut === undefined) {
    const response = await carryOut(cast, act.change)
    // A rejection is a response; an internal error is none.
    if (response && response.status >= 500 && ![502, 503].includes(response.status))
      throw new Error(`${response.status} ${JSON.stringify(response.body)}`)
  } else {
    const under = carryOut(cast, act.change).catch(() => undefined)
    await wait(act.cut)
    await die()
    await under
    // Work that continues after a response is cut off too.
    await wait(20)
    await patiently(lapse)
  }
}

const frozen = (permissions: unknown) =>
  JSON.stringify(permissions ?? null).includes('"authenticate":true')

/** Everyone's records and the upstream state, in one form. */
async function compare(cast: Cast): Promise<{ recorded: unknown; found: unknown }> {
  const { db } = testApp.database
  const rows = await rowsOf(cast)
  const tenant = await db
    .selectFrom('tenants')
    .selectAll()
    .where('id', '=', testApp.acmeId)
    .executeTakeFirstOrThrow()
  const { groups } = identityRecords(testApp)
  const files = testApp.sandbox.state().files.records as {
    drives: { id: string; driveAlias: string; name: string; total: number }[]
  }
  const live = new Map(rows.map((row) => [row.email, row]))
  const addresses = [...cast.addresses].sort()
  const isOpen = ({ status, deactivated_at }: (typeof rows)[number]) =>
    status === 'active' && deactivated_at === null
  const recorded = addresses.map((address) => {
    const row = live.get(address)
    if (!row) return [address, 'nowhere']
    if (isOpen(row)) {
      const { name: named, phone: called } = row
      return [
        address,
        { identity: [true, named, called, true], mail: [named, false], files: [named, true] },
      ]
    }
    // Who was shut out before a system had made anything is nothing there, and a mailbox learns a
    // name when it is opened again.
    const identity = row.idp_user_id === null ? null : [false, row.name, row.phone]
    return [
      address,
      { identity, mail: row.mail_account_id && 'frozen', files: row.file_account_id && 'off' },
    ]
  })
  const found = await Promise.all(
    addresses.map(async (address) => {
      const [identity, box, account] = [
        await identityUser(testApp, address),
        mailbox(testApp, address),
        await fileUser(testApp, address),
      ]
      const row = live.get(address)
      if (!row && !identity && !box && !account) return [address, 'nowhere']
      const told = identity && [
        identity.is_active,
        identity.name,
        identity.attributes.phone ?? null,
      ]
      const shut = box && frozen(Reflect.get(box, 'permissions'))
      const on = account && (account.accountEnabled ?? true)
      if (row && isOpen(row)) {
        const inGroup = (identity?.groups ?? []).some(
          (pk) => groups.find((group) => group.pk === pk)?.name === 'acme',
        )
        return [
          address,
          {
            identity: told && [...told, inGroup],
            mail: box && [box.description, shut],
            files: account && [account.displayName, on],
          },
        ]
      }
      return [
        address,
        {
          identity: told ?? null,
          mail: box ? (shut ? 'frozen' : 'open') : null,
          files: account ? (on ? 'on' : 'off') : null,
        },
      ]
    }),
  )
  const space = files.drives
    .filter(({ driveAlias }) => driveAlias === 'project/acme')
    .map(({ name: named, total }) => [named, total])
  return {
    recorded: [...recorded, [[tenant.name, fileQuotaBytes[tenant.plan]]]],
    found: [...found, space],
  }
}

const minutes = inFull ? Number(process.env.MODEL_MINUTES ?? Number.POSITIVE_INFINITY) : 1
const extent = { runs: rounds(5, 200), length: rounds(12, 25) }

it('reaches every system in the end, whatever changed, failed and died in between', async () => {
  const until = performance.now() + minutes * 60_000
  let [sequences, played] = [0, 0]
  const details = await fc.check(
    fc.asyncProperty(
      fc.array(acts, { minLength: 4, maxLength: 2 * extent.length, size: 'max' }),
      async (sequence) => {
        if (sequences > 0 && performance.now() > until) return
        sequences++
        const cast: Cast = {
          mark: `due-${randomBytes(3).toString('hex')}`,
          made: 0,
          addresses: new Set(),
          outages: new Map(),
        }
        try {
          for (const act of sequence) {
            await play(cast, act)
            played++
          }
        } finally {
          testApp.sandbox.clearFaults()
          await patiently(lapse)
        }
        // What depends on another step, as a member on the tenant's space, takes one try more.
        for (let round = 0; round < 4; round++) await patiently(() => settle(cast))
        const { recorded, found } = await compare(cast)
        if (JSON.stringify(recorded) !== JSON.stringify(found))
          throw new Error(
            `there is\n${JSON.stringify(found)}\ninstead of\n${JSON.stringify(recorded)}`,
          )
      },
    ),
    {
      numRuns: extent.runs,
      endOnFailure: !inFull,
      ...(process.env.MODEL_SEED ? { seed: Number(process.env.MODEL_SEED) } : {}),
    },
  )
  const why =
    details.errorInstance instanceof Error
      ? details.errorInstance.message
      : String(details.errorInstance)
  const difference = details.failed ? `${why}\n${fc.defaultReportMessage(details)}` : ''
  await recordMeasurement({
    target: 'R17',
    what: 'changes, outages and restarts in any order',
    measured: `${sequences} sequences, ${played} acts, ${details.failed ? 'a difference' : 'no difference'} (seed ${details.seed})`,
    reached: !details.failed && played > 0 && (!inFull || sequences >= extent.runs),
  })
  expect(difference).toBe('')
  expect(played).toBeGreaterThan(0)
})
