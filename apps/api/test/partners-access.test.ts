import type { PartnerAccess } from '@atrium/core/partners/partner-access'
import { overRest, overTrpc } from '@atrium/testing/calls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restRoutes } from '../src/http/rest.ts'
import { type PartnersTestApp, startPartnersTestApp } from './partners-test-app.ts'

let testApp: PartnersTestApp
beforeAll(async () => {
  testApp = await startPartnersTestApp()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const levels: readonly PartnerAccess[] = ['viewer', 'support', 'manager', 'owner']
interface World {
  partner: { id: string; slug: string }
  customer: { id: string; slug: string }
}
type Input = Record<string, unknown>
interface Right {
  input: (world: World) => Input | Promise<Input>
  /** Levels that may. */
  may: readonly PartnerAccess[]
  /** Rejected while the partner is suspended. */
  writes: boolean
}

const managers = ['manager', 'owner'] as const
const slug = ({ partner }: World) => ({ slug: partner.slug })
const customer = (world: World) => ({ ...slug(world), tenantSlug: world.customer.slug })
const reads = (may: readonly PartnerAccess[], input: Right['input'] = slug): Right => ({
  input,
  may,
  writes: false,
})
const writes = (may: readonly PartnerAccess[], input: Right['input']): Right => ({
  input,
  may,
  writes: true,
})
const colleague = async (world: World) => ({
  ...slug(world),
  userId: (await testApp.newPerson({ partnerId: world.partner.id, access: 'viewer' })).id,
})

/**
 * Every procedure that staff of a partner may call about it. The test below fails when one is
 * missing.
 */
const rights: Record<string, Right> = {
  'partners.get': reads(levels),
  'partners.overview': reads(levels),
  'partners.staff': reads(levels),
  'partners.customers': reads(levels),
  'partners.settings': reads(levels),
  'partners.branding': reads(levels),
  'partners.savedReports': reads(['viewer', 'manager', 'owner']),
  'partners.margins': reads(managers),
  'partners.updateCustomer': writes(managers, (world) => ({ ...customer(world), seats: 9 })),
  'partners.suspendCustomer': writes(managers, customer),
  'partners.resumeCustomer': writes(managers, async (world) => {
    await testApp.database.db
      .updateTable('tenants')
      .set({ status: 'suspended' })
      .where('id', '=', world.customer.id)
      .execute()
    return customer(world)
  }),
  'partners.updateSettings': writes(managers, (world) => ({
    ...slug(world),
    supportEmail: 'help@example.test',
  })),
  'partners.updateBranding': writes(managers, (world) => ({
    ...slug(world),
    accentColor: '#123456',
  })),
  'partners.saveReport': writes(managers, (world) => ({
    ...slug(world),
    name: 'Mine',
    kind: 'health',
  })),
  'partners.deleteSavedReport': writes(managers, async (world) => {
    const { id } = await testApp.database.db
      .insertInto('saved_reports')
      .values({ partner_id: world.partner.id, name: 'Old', kind: 'mrr' })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { ...slug(world), id }
  }),
  'partners.inviteStaff': writes(['owner'], async (world) => {
    const { email } = await testApp.newPerson()
    return { ...slug(world), name: 'New', email, access: 'viewer' }
  }),
  'partners.changeStaffAccess': writes(['owner'], async (world) => ({
    ...(await colleague(world)),
    access: 'support',
  })),
  'partners.removeStaff': writes(['owner'], colleague),
  // The same customers by the paths of tenants.
  'tenants.get': reads(levels, ({ customer: { slug: named } }) => ({ slug: named })),
  'tenants.limits': reads(levels, ({ customer: { slug: named } }) => ({ slug: named })),
  'tenants.update': writes(managers, ({ customer: { slug: named } }) => ({
    slug: named,
    plan: 'starter',
    name: 'Renamed',
  })),
  'tenants.suspend': writes(managers, ({ customer: { slug: named } }) => ({ slug: named })),
  'tenants.reconcile': writes(managers, ({ customer: { slug: named } }) => ({ slug: named })),
  'tenants.create': writes(managers, () => ({ name: 'Fresh', respondAsync: true })),
}
const elsewhere = ['partners.support']
const operatorsAlone = [
  'partners.create',
  'partners.list',
  'partners.update',
  'partners.terminate',
  'partners.tenants',
]

async function build(): Promise<World> {
  const partner = await testApp.newPartner()
  await testApp.newPerson({ partnerId: partner.id, access: 'owner' })
  return { partner, customer: await testApp.newCustomer(partner.id) }
}

async function outcomes(
  name: string,
  right: Right,
  status: 'active' | 'suspended',
  call: typeof overRest,
): Promise<Record<string, string>> {
  const results: Record<string, string> = {}
  for (const access of levels) {
    const world = await build()
    const staff = await testApp.newPerson({ partnerId: world.partner.id, access })
    const input = await right.input(world)
    await testApp.database.db
      .updateTable('partners')
      .set({ status })
      .where('id', '=', world.partner.id)
      .execute()
    const response = await call(testApp, name, input, staff.token)
    if (response.outcome === 'internal') throw new Error(`${access}: ${testApp.logLines.at(-2)}`)
    results[access] = response.outcome
  }
  return results
}

it('knows every procedure about partners', () => {
  const names = restRoutes()
    .map(({ name }) => name)
    .filter((name) => name.startsWith('partners.'))
  expect(
    [
      ...Object.keys(rights).filter((name) => name.startsWith('partners.')),
      ...operatorsAlone,
      ...elsewhere,
    ].sort(),
  ).toEqual(names.sort())
})

describe.each(Object.entries(rights))('%s', (name, right) => {
  it.each([
    ['REST', overRest],
    ['tRPC', overTrpc],
  ] as const)('lets in the levels that the contract names over %s', async (_wire, call) => {
    const expected = Object.fromEntries(
      levels.map((level) => [level, right.may.includes(level) ? 'ok' : 'access_level']),
    )
    expect(await outcomes(name, right, 'active', call)).toEqual(expected)
  })

  it('is read and not written while the partner is suspended', async () => {
    const allowed = right.writes ? 'partner_suspended' : 'ok'
    const expected = Object.fromEntries(
      levels.map((level) => [level, right.may.includes(level) ? allowed : 'access_level']),
    )
    expect(await outcomes(name, right, 'suspended', overRest)).toEqual(expected)
  })
})

describe.each(Object.entries(rights).filter(([name]) => name !== 'tenants.create'))(
  '%s, to staff of another partner,',
  (name, right) => {
    it('looks like what does not exist', async () => {
      const world = await build()
      const outsider = await testApp.newPerson({
        partnerId: (await testApp.newPartner()).id,
        access: 'owner',
      })
      const input = await right.input(world)
      const there = await overRest(testApp, name, input, outsider.token)
      const nowhere = await overRest(
        testApp,
        name,
        { ...input, slug: 'never-made' },
        outsider.token,
      )
      const shown = ({ status, body: { requestId: _, ...body } }: typeof there) => ({
        status,
        body,
      })
      expect(there.outcome).toBe('not_found')
      expect(shown(there)).toEqual(shown(nowhere))
    })
  },
)

describe('a customer', () => {
  it('of another partner or of none looks like what does not exist', async () => {
    const world = await build()
    const owner = await testApp.newPerson({ partnerId: world.partner.id, access: 'owner' })
    const [elsewhere, direct] = [
      await testApp.newCustomer((await testApp.newPartner()).id),
      await testApp.newCustomer(null),
    ]
    for (const [method, end, body] of [
      ['PATCH', '', { seats: 3 }],
      ['POST', '/suspend', {}],
      ['POST', '/resume', {}],
    ] as const) {
      for (const tenant of [elsewhere.slug, direct.slug, 'never-made']) {
        const path = `/partners/${world.partner.slug}/customers/${tenant}${end}`
        for (const token of [owner.token, undefined])
          expect(await testApp.call(method, path, body, token), path).toMatchObject({
            status: 404,
            body: { detail: 'This partner has no customer with this slug.' },
          })
      }
    }
  })
})

describe('money', () => {
  it('is shown to the levels that may see it', async () => {
    const { partner } = await build()
    await testApp.database.db
      .updateTable('partners')
      .set({ margin_pct: 20 })
      .where('id', '=', partner.id)
      .execute()
    const seen = async (access: PartnerAccess) => {
      const { token } = await testApp.newPerson({ partnerId: partner.id, access })
      const get = async (path: string) =>
        (await testApp.call('GET', `/partners/${partner.slug}${path}`, undefined, token)).body
      const [record, overview, customers] = [
        await get(''),
        await get('/overview'),
        await get('/customers'),
      ]
      return [
        record.marginPct,
        record.mrr,
        overview.mrr,
        overview.earnedThisMonth,
        customers.items[0].mrr,
      ]
    }
    expect(await seen('viewer')).toEqual([null, [], [], null, []])
    expect(await seen('support')).toEqual([null, null, null, null, null])
    expect(await seen('manager')).toEqual([20, [], [], [], []])
    expect(await seen('owner')).toEqual([20, [], [], [], []])
  })
})

describe('an operator', () => {
  it('runs a suspended partner’s customers and staff all the same', async () => {
    const world = await build()
    await testApp.call('PATCH', `/partners/${world.partner.slug}`, { status: 'suspended' })
    const path = `/partners/${world.partner.slug}`
    expect(
      await testApp.call('POST', `${path}/customers/${world.customer.slug}/suspend`, {
        reason: 'Asked to',
      }),
    ).toMatchObject({
      status: 200,
      body: { status: 'suspended', suspendedReason: 'Asked to' },
    })
    expect(
      await testApp.call('PATCH', `${path}/settings`, { supportEmail: 'ops@example.test' }),
    ).toMatchObject({ status: 200 })
  })
})
