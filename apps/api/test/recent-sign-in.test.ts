import { randomBytes } from 'node:crypto'
import { overRest, overTrpc } from '@atrium/testing/calls'
import { matrix } from '@atrium/testing/matrix/all'
import type { Caller, World } from '@atrium/testing/matrix/rows'
import { openLocations, type Places } from '@atrium/testing/matrix/world'
import type { TestApp } from '@atrium/testing/test-app'
import { callOf } from '@atrium/testing/text-fields'
import { everythingWritten } from '@atrium/testing/written'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { appRouter } from '../src/router.ts'
import { proceduresOf } from '../src/rpc/procedure.ts'
import { decided, sensitive } from './sensitive-procedures.ts'

let places: Places
let testApp: TestApp
beforeAll(async () => {
  places = await openLocations()
  testApp = places.testApp
}, 60_000)
afterAll(() => places[Symbol.asyncDispose]())

const wires = { REST: overRest, tRPC: overTrpc } as const
const wireNames = Object.keys(wires) as (keyof typeof wires)[]
const ago = (seconds: number) => Math.floor(Date.now() / 1000) - seconds
const stale = () => ago(3_700)
const fresh = () => ago(3_500)

/** The same person's token, of a sign-in at that time. */
async function signedInAt(token: string | undefined, time: number | undefined): Promise<string> {
  if (token === undefined) throw new Error('nobody is signed in')
  return places.issuer.sign({ ...decodeJwt(token), auth_time: time })
}

const slug = () => `made-${randomBytes(6).toString('hex')}`
/**
 * Sensitive calls of the procedures of which only some are, where the first call of the matrix is
 * none.
 */
const sensitiveCalls: Record<
  string,
  (world: World, given: Record<string, unknown>) => Record<string, unknown>
> = {
  'members.create': (_, given) => ({ ...given, role: 'admin' }),
  'invitations.inviteMembers': (_, given) => ({ ...given, role: 'admin' }),
  'members.startImport': (_, given) => ({
    ...given,
    csv: `email,role\n${slug()}@example.test,admin\n`,
    dryRun: false,
  }),
  'partners.update': (_, given) => ({ slug: given.slug, marginPct: 15 }),
  'tenants.update': (world, given) => ({
    slug: given.slug,
    domains: [`${world.slug}.tenants.local`, `${world.slug}.test`],
  }),
  'users.update': ({ self }, given) => ({ id: self ?? given.id, platformAdmin: true }),
}
/** Calls of them that are not. */
const plainCalls: Record<
  string,
  (world: World, given: Record<string, unknown>) => Record<string, unknown>
> = {
  'members.startImport': (_, given) => ({
    ...given,
    csv: `email,role\n${slug()}@example.test,admin\n`,
    dryRun: true,
  }),
  'members.update': (_, { role: __, ...given }) => ({ ...given, role: 'member' }),
}

async function callOn(
  name: string,
  caller: Caller,
  changed?: (world: World, given: Record<string, unknown>) => Record<string, unknown>,
) {
  const world = await places.build(caller)
  const given = await callOf({
    procedure: name,
    path: [],
    writes: true,
    maxLength: undefined,
  }).row.input(world)
  return { world, input: changed ? changed(world, given) : given }
}
const callerOf = (name: string) =>
  callOf({ procedure: name, path: [], writes: true, maxLength: undefined }).caller
/**
 * What the matrix says of its first call that somebody may make; that of the calls above is done.
 */
function expectedOf(name: string): string | undefined {
  const { row, caller } = callOf({ procedure: name, path: [], writes: true, maxLength: undefined })
  return sensitiveCalls[name] ? 'ok' : row.expected[caller]
}

describe('the list of sensitive procedures', () => {
  const procedures = Object.entries(proceduresOf(appRouter))

  it('is what the router marks, with the words that people read', () => {
    expect(
      Object.fromEntries(
        procedures.flatMap(([name, { _def }]) =>
          _def.meta?.recentSignIn ? [[name, _def.meta.recentSignIn]] : [],
        ),
      ),
    ).toEqual(sensitive)
  })

  it('was decided on for every procedure that changes something or answers a secret', () => {
    const open = procedures
      .filter(([, { _def }]) => _def.type === 'mutation' || _def.meta?.secretResponse)
      .map(([name]) => name)
    expect(open.length).toBeGreaterThan(100)
    expect([...Object.keys(sensitive), ...decided].sort()).toEqual(open.sort())
  })

  it('is in the description of the REST API', async () => {
    const { body } = await testApp.request('GET', '/openapi.json')
    const told = Object.values<
      Record<
        string,
        { operationId: string; description?: string; responses: Record<string, { $ref?: string }> }
      >
    >(body.paths)
      .flatMap((item) => Object.values(item))
      .filter(({ responses }) => {
        const name = responses['401']?.$ref?.split('/').at(-1)
        return JSON.stringify(
          name === undefined ? responses['401'] : body.components.responses[name],
        )?.includes('recent_sign_in_required')
      })
    expect(told.map(({ operationId }) => String(operationId).replaceAll('-', '.')).sort()).toEqual(
      Object.keys(sensitive).sort(),
    )
    for (const { description } of told)
      expect(description).toMatch(/^This needs a recent sign-in( when .+)?\.$/)
  })
})

describe.each(Object.keys(sensitive))('%s', (name) => {
  it.each(wireNames)(
    'is refused after an old sign-in and carried out after a new one, over %s',
    async (wire) => {
      const caller = callerOf(name)
      const { world, input } = await callOn(name, caller, sensitiveCalls[name])
      const before = await everythingWritten(testApp)
      const rejected = await wires[wire](
        testApp,
        name,
        input,
        await signedInAt(world.token, stale()),
      )
      expect(rejected).toMatchObject({ status: 401, outcome: 'recent_sign_in_required' })
      expect(rejected.body.detail ?? rejected.body.message).toBe(
        'This requires a sign-in that is at most an hour old.',
      )
      expect(rejected.headers.get('www-authenticate')).toBe(
        'Bearer realm="atrium", error="insufficient_user_authentication", error_description="This requires a sign-in that is at most an hour old.", max_age="3600"',
      )
      expect(await everythingWritten(testApp)).toEqual(before)
      expect(
        await wires[wire](testApp, name, input, await signedInAt(world.token, fresh())),
      ).toMatchObject({ outcome: expectedOf(name) })
    },
  )

  it('passes when the issuer does not report the sign-in time', async () => {
    const { world, input } = await callOn(name, callerOf(name), sensitiveCalls[name])
    expect(decodeJwt(world.token ?? '')).not.toHaveProperty('auth_time')
    expect(await overRest(testApp, name, input, world.token)).toMatchObject({
      outcome: expectedOf(name),
    })
  })
})

describe('an old sign-in', () => {
  const rest = Object.keys(matrix).filter(
    (name) => !(name in sensitive) || sensitive[name] !== 'always',
  )
  it.each(rest)('passes for %s', async (name) => {
    const changed = plainCalls[name]
    // The admin of the matrix's first call is made one by a sensitive call; the plain one stands in
    // `plainCalls`.
    const { row } = callOf({ procedure: name, path: [], writes: true, maxLength: undefined })
    const caller = callerOf(name)
    const { world, input } = await callOn(name, caller, changed)
    const token = world.token === undefined ? undefined : await signedInAt(world.token, stale())
    const { outcome } = await overRest(testApp, name, input, token)
    if (changed) expect(outcome).toBe('ok')
    else expect(outcome).toBe(row.expected[caller])
  })

  it.each(Object.keys(sensitive).filter((name) => name !== 'users.update'))(
    'tells strangers of %s no more than a new one',
    async (name) => {
      for (const caller of [
        'badToken',
        'foreignAdmin',
        'foreignOwner',
        'operatorTokenWithoutFlag',
        'deactivatedAdmin',
      ] as const) {
        const { world, input } = await callOn(name, caller, sensitiveCalls[name])
        const token = caller === 'badToken' ? world.token : await signedInAt(world.token, stale())
        const { outcome, status } = await overRest(testApp, name, input, token)
        const { outcome: requested, status: expectedStatus } = await overRest(
          testApp,
          name,
          input,
          world.token,
        )
        expect({ caller, outcome, status }).toEqual({
          caller,
          outcome: requested,
          status: expectedStatus,
        })
        expect(outcome).not.toBe('recent_sign_in_required')
        expect(outcome).not.toBe('ok')
      }
    },
  )

  it('tells nobody whether a user exists whose rights they would change', async () => {
    const { world, input } = await callOn(
      'users.update',
      'foreignAdmin',
      sensitiveCalls['users.update'],
    )
    const token = await signedInAt(world.token, stale())
    for (const id of [input.id, crypto.randomUUID()]) {
      expect(
        await overRest(testApp, 'users.update', { id, platformAdmin: true }, token),
      ).toMatchObject({
        outcome: 'recent_sign_in_required',
      })
    }
  })

  it('comes after input errors, so that no one signs in for a call that cannot succeed', async () => {
    const { world, input } = await callOn('members.remove', 'admin')
    const token = await signedInAt(world.token, stale())
    expect(
      await overRest(testApp, 'members.remove', { ...input, userId: 'no-id' }, token),
    ).toMatchObject({ outcome: 'invalid_input' })
  })

  it('is no entry in the audit log, as no other rejection of a token is', async () => {
    const { world, input } = await callOn('tenants.delete', 'owner')
    const before = await testApp.auditActions()
    await overRest(testApp, 'tenants.delete', input, await signedInAt(world.token, stale()))
    expect(await testApp.auditActions()).toEqual(before)
  })

  it('leaves the Idempotency-Key free for the call after the new sign-in', async () => {
    const { world } = await callOn('members.transferOwnership', 'owner')
    const ask = async (time: number) =>
      testApp.request('POST', `/tenants/${world.slug}/transfer-ownership`, {
        token: await signedInAt(world.token, time),
        body: { userId: world.colleague },
        headers: { 'idempotency-key': `key-${world.slug}` },
      })
    expect(await ask(stale())).toMatchObject({
      status: 401,
      body: { code: 'recent_sign_in_required' },
    })
    const second = await ask(fresh())
    expect(second.status).toBe(200)
    expect(second.headers.get('idempotency-replayed')).toBeNull()
  })
})

describe('the edges', () => {
  const remove = async (caller: Caller, time: number) => {
    const { world, input } = await callOn('members.remove', caller)
    return overRest(testApp, 'members.remove', input, await signedInAt(world.token, time))
  }
  beforeEach(() => expect(testApp.config.recentSignInSeconds).toBe(3_600))

  it('an hour is recent, more is not', async () => {
    expect(await remove('admin', ago(3_590))).toMatchObject({ outcome: 'ok' })
    expect(await remove('admin', ago(3_602))).toMatchObject({ outcome: 'recent_sign_in_required' })
  })

  it('a sign-in to come is rejected as every claim about the future is', async () => {
    expect(await remove('admin', ago(-20))).toMatchObject({ outcome: 'ok' })
    expect(await remove('admin', ago(-60))).toMatchObject({
      outcome: 'unauthenticated',
      status: 401,
    })
  })

  it.each([
    ['a text', '1767000000'],
    ['null', null],
    ['negative', -1],
    ['a list', [1]],
  ])('a time that is %s is no token of ours', async (_, time) => {
    const { world, input } = await callOn('members.remove', 'admin')
    const token = await places.issuer.sign({ ...decodeJwt(world.token ?? ''), auth_time: time })
    expect(await overRest(testApp, 'members.remove', input, token)).toMatchObject({
      outcome: 'unauthenticated',
    })
  })
})
