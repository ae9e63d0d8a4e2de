import { type GrantScope, grantScopes } from '@atrium/core/access-grants/scopes'
import { insertAccessGrant } from '@atrium/testing/access-grants'
import { overTrpc } from '@atrium/testing/calls'
import { matrix } from '@atrium/testing/matrix/all'
import { delegable } from '@atrium/testing/matrix/delegable'
import type { Caller, Row } from '@atrium/testing/matrix/rows'
import { openLocations, type Places } from '@atrium/testing/matrix/world'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restRoutes } from '../src/http/rest.ts'
import { appRouter } from '../src/router.ts'
import { proceduresOf } from '../src/rpc/procedure.ts'

let places: Places
beforeAll(async () => {
  places = await openLocations()
}, 60_000)
afterAll(() => places[Symbol.asyncDispose]())

/** Procedures about one tenant: their address names it. */
const aboutTenant = restRoutes()
  .filter(({ path }) => path.replace('/api/v1', '').startsWith('/tenants/{slug}'))
  .map(({ name }) => name)

/** The scopes that open a procedure, by the table of the documentation. */
function scopesOf(name: string): GrantScope[] {
  if (delegable.any.includes(name)) return [...grantScopes]
  return grantScopes.filter((scope) => delegable[scope].includes(name))
}

it('every procedure about a tenant says which grants open it, as documented', () => {
  const declared = Object.fromEntries(
    aboutTenant.map((name) => {
      const rule = proceduresOf(appRouter)[name]?._def.meta?.delegable
      return [name, Array.isArray(rule) ? [...rule].sort() : rule]
    }),
  )
  const documented = Object.fromEntries(
    aboutTenant.map((name) => {
      const scopes = scopesOf(name)
      if (delegable.any.includes(name)) return [name, 'any']
      return [name, scopes.length > 0 ? [...scopes].sort() : 'never']
    }),
  )
  expect(declared).toEqual(documented)
})

interface Grantee {
  caller: Caller
  role: 'reader' | 'admin'
  scopes: readonly GrantScope[]
  status?: 'ended'
}

async function outcomeOf(name: string, row: Row, grantee: Grantee): Promise<string> {
  const { caller, role, scopes, status = 'active' } = grantee
  const world = await places.build(caller)
  const now = places.testApp.app.services.clock.now()
  await insertAccessGrant(places.testApp.database.db, now, {
    tenant_id: world.tenantId,
    status,
    user_id: world.self ?? null,
    partner_id: caller === 'operator' ? null : world.partnerId,
    role,
    scopes: [...scopes],
    ...(status === 'ended' ? { ended_at: now, ending: 'owner' as const } : {}),
  })
  return (await overTrpc(places.testApp, name, await row.input(world), world.token)).outcome
}

/** A rejection after the guard: whoever has a grant makes no admin, and changes none. */
const excluded = 'on_behalf_excluded'
/**
 * Calls about the caller's own membership: who has a grant is no member. A policy needs an admin
 * who signed in as it demands; of an admin who saves it, that is the caller.
 */
const aboutOneself: Readonly<Record<string, string>> = {
  'securityPolicy.update, call 0': 'policy_locks_out_admins',
  'members.listAliases, call 1': 'not_found',
  'scheduling.hosts.create, call 1': 'invalid_input',
}

describe.each(
  aboutTenant.flatMap((name) => (matrix[name] ?? []).map((row, index) => ({ name, row, index }))),
)('$name, call $index', ({ name, row, index }) => {
  const changes = proceduresOf(appRouter)[name]?._def.type === 'mutation'
  const scopes = scopesOf(name)
  const others = grantScopes.filter((scope) => !scopes.includes(scope))
  const without = row.expected.partnerStaff

  it('opens for staff with a grant of its scope, as it does for an admin', async () => {
    const outcome = await outcomeOf(name, row, {
      caller: 'partnerStaff',
      role: 'admin',
      scopes: grantScopes,
    })
    if (scopes.length === 0) {
      // An open request or access keeps its person from asking for another one.
      expect(outcome).toBe(name === 'accessGrants.ask' ? 'grant_exists' : without)
      return
    }
    const own = aboutOneself[`${name}, call ${index}`]
    expect(own === undefined ? [row.expected.admin, excluded] : [own]).toContain(outcome)
  })

  it('stays as it is for a grant of other scopes, for readers where it changes something, and after the end', async () => {
    const staff = { caller: 'partnerStaff', role: 'admin' } as const
    const grantees: Grantee[] = [
      ...(others.length > 0 ? [{ ...staff, scopes: others }] : []),
      ...(changes ? [{ ...staff, role: 'reader' as const, scopes: grantScopes }] : []),
      { ...staff, scopes: grantScopes, status: 'ended' },
    ]
    if (name === 'accessGrants.ask') grantees.splice(0, grantees.length - 1)
    for (const grantee of grantees)
      expect(await outcomeOf(name, row, grantee), JSON.stringify(grantee)).toBe(without)
  })

  it('stays as it is for an operator with a grant', async () => {
    const outcome = await outcomeOf(name, row, {
      caller: 'operator',
      role: 'admin',
      scopes: grantScopes,
    })
    expect(outcome).toBe(name === 'accessGrants.ask' ? 'grant_exists' : row.expected.operator)
  })
})
