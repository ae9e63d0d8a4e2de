import { grantScopes } from '@atrium/core/access-grants/scopes'
import { recordSignIn } from '@atrium/db/security-policy/sign-ins'
import { insertAccessGrant } from '@atrium/testing/access-grants'
import { overTrpc } from '@atrium/testing/calls'
import { carriedOut } from '@atrium/testing/carried-out'
import type { World } from '@atrium/testing/matrix/rows'
import { openLocations, type Places } from '@atrium/testing/matrix/world'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { appRouter } from '../src/router.ts'
import { proceduresOf } from '../src/rpc/procedure.ts'

let places: Places
beforeAll(async () => {
  places = await openLocations({ env: { PORTAL_URL: 'https://portal.test' } })
}, 60_000)
afterAll(() => places[Symbol.asyncDispose]())

/** Changes that a grant may open, with the action that the audit log has of each. */
const delegable = Object.entries(proceduresOf(appRouter)).flatMap(([name, { _def }]) => {
  const { delegable: rule, audit } = _def.meta ?? {}
  return _def.type === 'mutation' && rule !== undefined && rule !== 'never' ? [{ name, audit }] : []
})

function grantTo({ testApp, tenantId, partnerId, self }: World): Promise<string> {
  return insertAccessGrant(testApp.database.db, testApp.app.services.clock.now(), {
    tenant_id: tenantId,
    user_id: self ?? null,
    partner_id: partnerId,
    scopes: [...grantScopes],
  })
}

/** A policy is saved only when it lets an admin in. */
const signInOf = (subject: string) =>
  recordSignIn(places.testApp.database.db, {
    app: 'portal',
    subject,
    address: null,
    country: null,
    secondFactor: true,
  })

/** What the audit log has about the tenant, or of the person. */
const entriesOf = ({ testApp, slug, self }: World) =>
  testApp.database.db
    .selectFrom('audit_events')
    .select(['id', 'action', 'outcome', 'tenant_slug', 'partner_slug', 'metadata'])
    .where((eb) => eb.or([eb('tenant_slug', '=', slug), eb('actor_id', '=', self ?? '')]))
    .execute()

it('knows what a grant may change, and an action of each', () => {
  expect(delegable.length).toBeGreaterThan(40)
  expect(delegable.filter(({ name }) => carriedOut(name).length === 0)).toEqual([])
})

it.each(delegable)('every entry of $name names the grant', async ({ name, audit }) => {
  let carried = 0
  for (const call of carriedOut(name)) {
    const tenants = await places.tenants()
    const world = await places.build(call.caller, tenants)
    const { input } = await call.prepare(world)
    const staff = await places.build('partnerStaff', tenants)
    const grantId = await grantTo(staff)
    await signInOf(tenants.own.owner.subject)
    const { background } = places.testApp.app.services
    await background.settled()
    const before = new Set((await entriesOf(staff)).map(({ id }) => id))
    await overTrpc(places.testApp, name, input, staff.token)
    await background.settled()
    const entries = (await entriesOf(staff)).filter(({ id }) => !before.has(id))
    for (const entry of entries)
      expect(entry).toMatchObject({
        tenant_slug: staff.slug,
        partner_slug: 'north',
        metadata: { grantId, onBehalfOf: staff.slug },
      })
    carried += entries.filter(
      ({ action, outcome }) => action === audit && outcome !== 'denied',
    ).length
  }
  if (audit !== undefined) expect(carried).toBeGreaterThan(0)
})
