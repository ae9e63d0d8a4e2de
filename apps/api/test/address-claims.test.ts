import { randomBytes } from 'node:crypto'
import { settleDueAddressClaims } from '@atrium/api/address-claims/settle'
import { drainOutbox } from '@atrium/api/outbox/drain'
import { followIdentities } from '@atrium/api/users/follow-identity'
import {
  type HeldAccount,
  heldAccount,
  opens,
  storedIdentities,
} from '@atrium/testing/held-accounts'
import { accept, invite, mailedToken, proveAddress } from '@atrium/testing/invitations'
import { caughtMails } from '@atrium/testing/mails'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { tenantIdOf } from '@atrium/testing/records'
import { proveDomain, type TestResponse } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** Acme proves a domain; Globex created accounts with addresses on it before. */
let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({
    mailer: true,
    sandbox: { identity: { accessTokenSeconds: 3_600 } },
  })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const text = () => randomBytes(5).toString('hex')

/** A domain of Acme with an account of Globex on it. */
async function situation(): Promise<{ domain: string; held: HeldAccount }> {
  const domain = `${text()}.example.org`
  const held = await heldAccount(testApp, { email: `bo@${domain}`, tenantSlug: 'globex' })
  await proveDomain(testApp, 'acme', domain)
  return { domain, held }
}

const people = (domain: string, query = '') =>
  testApp.call('GET', `/domains/${domain}/people${query}`)
const claim = (domain: string, email: string): Promise<TestResponse> =>
  testApp.call('POST', `/domains/${domain}/address-claims`, { email })
const me = (token: string, path = '', body?: object): Promise<TestResponse> =>
  testApp.request(body ? 'POST' : 'GET', `/users/me${path}`, { token, ...(body && { body }) })

async function mailsTo(address: string): Promise<{ subject: string; text: string }[]> {
  await drainOutbox(testApp.app.services)
  return caughtMails(testApp)
    .filter(({ envelope }) => envelope.to.includes(address))
    .map(({ subject, text: body }) => ({ subject: subject ?? '', text: body ?? '' }))
}

async function linkOf(address: string, shape: RegExp): Promise<string> {
  const found = (await mailsTo(address)).flatMap((mail) => shape.exec(mail.text)?.[1] ?? [])
  return found.at(-1) ?? ''
}
const moveLink = (address: string) => linkOf(address, /\/claim\/([\w-]{43})/)
const confirmLink = (address: string) => linkOf(address, /\/confirm-address#([\w-]{43})/)
const move = (token: string): Promise<TestResponse> =>
  testApp.request('POST', '/address-claims/move', { token, body: {} })

/** The time of all claims is over, and the job runs. */
async function letTimePass(): Promise<void> {
  await testApp.database.db
    .updateTable('address_claims')
    .set({ ends_at: new Date(0), next_at: new Date(0) })
    .execute()
  await settleDueAddressClaims(testApp.app.services)
}

const tenantId = (slug: string) => tenantIdOf(testApp.database.db, slug)

const record = (id: string) =>
  testApp.database.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

describe('people with addresses on a proved domain', () => {
  it('are listed by address, with nothing about where they are managed', async () => {
    const { domain, held } = await situation()
    const { status, body } = await people(domain)
    expect({ status, body }).toEqual({
      status: 200,
      body: { items: [{ email: held.email, claim: null }], nextCursor: null },
    })
  })

  it('are paged by address', async () => {
    const { domain } = await situation()
    await heldAccount(testApp, { email: `ada@${domain}`, tenantSlug: 'globex' })
    const first = (await people(domain, '?limit=1')).body
    expect(first).toMatchObject({
      items: [{ email: `ada@${domain}` }],
      nextCursor: `ada@${domain}`,
    })
    const second = (await people(domain, `?limit=1&cursor=${first.nextCursor}`)).body
    expect(second).toMatchObject({ items: [{ email: `bo@${domain}` }], nextCursor: null })
  })

  it('are not those of the tenant itself, nor of no tenant who are its members', async () => {
    const { domain } = await situation()
    await testApp.call('POST', '/users', { email: `own@${domain}` })
    const email = `founder@${domain}`
    const { id } = await testApp.database.db
      .insertInto('users')
      .values({ idp_subject_id: text(), email, name: 'Founder' })
      .returning('id')
      .executeTakeFirstOrThrow()
    expect((await people(domain)).body.items.map((one: { email: string }) => one.email)).toEqual([
      `bo@${domain}`,
      email,
    ])
    await testApp.database.db
      .insertInto('memberships')
      .values({ tenant_id: testApp.acmeId, user_id: id, role: 'member' })
      .execute()
    expect((await people(domain)).body.items).toHaveLength(1)
  })

  it('are shown for proved domains alone, and not for names of the platform', async () => {
    const domain = `${text()}.example.org`
    await testApp.call('POST', '/domains', { domain })
    for (const name of [domain, 'acme.tenants.local'])
      expect(await people(name)).toMatchObject({ body: { code: 'domain_not_verified' } })
    expect(await people('globex.tenants.local')).toMatchObject({ status: 404 })
  })
})

describe('an address on a proved domain', () => {
  const add = (email: string) => testApp.call('POST', '/users', { email, role: 'member' })
  const required = { status: 409, body: { code: 'address_claim_required' } }

  it('is not added while its account is managed elsewhere, which keeps everything', async () => {
    const { domain, held } = await situation()
    const before = await record(held.id)
    const rejected = await add(held.email)
    expect(rejected).toMatchObject(required)
    expect(rejected.body.detail).toBe(
      `${held.email} is managed elsewhere. An admin can claim it on the page of the domain ${domain}, under “People with addresses on this domain”.`,
    )
    expect(await record(held.id)).toEqual(before)
    expect((await me(held.token)).body.tenants).toMatchObject([{ slug: 'globex' }])
    // A claim changes nothing until the person acted or its time is over.
    await claim(domain, held.email)
    expect(await add(held.email)).toMatchObject(required)
    await letTimePass()
    await testApp.database.db
      .updateTable('identity_dues')
      .set({ next_at: new Date(0) })
      .where('user_id', '=', held.id)
      .execute()
    await followIdentities(testApp.app.services)
    expect((await add(held.email)).status).toBe(201)
  })

  it('is not added by eight at once, nor by an operator', async () => {
    const { held } = await situation()
    const statuses = await Promise.all(Array.from({ length: 8 }, () => add(held.email)))
    expect(statuses.map(({ body }) => body.code)).toEqual(
      Array.from({ length: 8 }, () => 'address_claim_required'),
    )
    expect(
      await testApp.request('POST', '/tenants/acme/users', {
        token: testApp.as.operator,
        body: { email: held.email },
      }),
    ).toMatchObject(required)
  })

  it('is rejected in the rows of an import, in a dry run too', async () => {
    const { held } = await situation()
    const csv = `email,role\n${held.email},member\n`
    const row = { state: 'refused', code: 'address_claim_required' }
    const dry = await testApp.call('POST', '/user-imports', { csv, dryRun: true })
    expect(dry.body.rows).toMatchObject([row])
    expect(dry.body.rows[0].message).toContain('is managed elsewhere')
    const { body } = await testApp.call('POST', '/user-imports', { csv, dryRun: false })
    expect(body.rows).toMatchObject([row])
    expect(opens(testApp, held.email, held.password)).toBe(true)
  })

  it('is not added while its holder is partner staff, or a member elsewhere who was one here', async () => {
    const { domain } = await situation()
    const { body } = await add(`former@${domain}`)
    const { id } = body.member
    await testApp.database.db
      .insertInto('memberships')
      .values({ tenant_id: await tenantId('globex'), user_id: id, role: 'admin' })
      .execute()
    expect((await testApp.call('DELETE', `/users/${id}`)).status).toBe(204)
    expect(await add(`former@${domain}`)).toMatchObject(required)
    const emails = (await people(domain)).body.items.map(({ email }: { email: string }) => email)
    expect(emails).toContain(`former@${domain}`)
    await claim(domain, `former@${domain}`)
    // Our own admins made the claim, and get no notice of it.
    expect(
      (await mailsTo('owner@acme.test')).filter(({ text: one }) =>
        one.includes(`former@${domain}`),
      ),
    ).toEqual([])
    await letTimePass()
    expect((await record(id)).email).toMatch(/@detached\.invalid$/)

    const north = await testApp.database.db
      .selectFrom('partners')
      .select('id')
      .where('slug', '=', 'north')
      .executeTakeFirstOrThrow()
    await testApp.database.db
      .insertInto('users')
      .values({
        idp_subject_id: text(),
        email: `staff@${domain}`,
        name: 'Staff',
        partner_id: north.id,
        partner_access: 'viewer',
      })
      .execute()
    expect(await add(`staff@${domain}`)).toMatchObject(required)
  })

  it('is added at once when its holder belongs nowhere', async () => {
    const { domain } = await situation()
    const email = `newcomer@${domain}`
    await testApp.database.db
      .insertInto('users')
      .values({ idp_subject_id: text(), email, name: 'Newcomer' })
      .execute()
    const added = await add(email)
    expect(added).toMatchObject({ status: 201 })
    expect(opens(testApp, email, added.body.oneTimePassword)).toBe(true)
  })

  it('is in use, and cannot be claimed, below the domain of the platform', async () => {
    const email = `bo-${text()}@acme.tenants.local`
    await heldAccount(testApp, { email, tenantSlug: 'globex' })
    expect(await add(email)).toMatchObject({ status: 409, body: { code: 'email_taken' } })
  })

  it('is not taken by accepting an invitation either, whichever workplace invites', async () => {
    const { domain, held } = await situation()
    // Whoever owns the domain reads its mail.
    for (const slug of ['acme', 'globex']) {
      const { id } = await testApp.database.db
        .insertInto('invitations')
        .values({
          kind: 'member',
          tenant_id: await tenantId(slug),
          email: held.email,
          name: 'Bo',
          role: 'member',
          inviter_name: 'Ada',
          expires_at: new Date(Date.now() + 86_400_000),
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      expect(await accept(testApp, held.email)).toMatchObject(required)
      const { accepted_at } = await testApp.database.db
        .selectFrom('invitations')
        .select('accepted_at')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      expect(accepted_at).toBeNull()
    }
    expect(opens(testApp, held.email, held.password)).toBe(true)
    expect((await me(held.token)).body.tenants).toMatchObject([{ slug: 'globex' }])
    await claim(domain, held.email)
    const moved = await move(await moveLink(held.email))
    expect(moved.status).toBe(200)
  })
})

describe('an address that is proved by accepting an invitation', () => {
  const other = async (...members: { user_id: string; role: 'admin' | 'owner' }[]) => {
    const slug = `other-${text()}`
    await testApp.database.db.transaction().execute(async (trx) => {
      const { id: tenant_id } = await trx
        .insertInto('tenants')
        .values({ slug, name: 'Other', status: 'active' })
        .returning('id')
        .executeTakeFirstOrThrow()
      await trx
        .insertInto('memberships')
        .values(members.map((member) => ({ ...member, tenant_id })))
        .execute()
    })
    return slug
  }
  const fresh = () => `guest-${text()}@elsewhere.example`
  const invited = async (email: string) => {
    const { body } = await invite(testApp, 'acme', { email }, testApp.as.admin)
    expect(body.code).toBeNull()
    return accept(testApp, email)
  }
  const statesOf = async (userId: string) =>
    Object.fromEntries(
      (
        await testApp.database.db
          .selectFrom('memberships as m')
          .innerJoin('tenants as t', 't.id', 'm.tenant_id')
          .select(['t.slug', 'm.status'])
          .where('m.user_id', '=', userId)
          .execute()
      ).map(({ slug, status }) => [slug, status]),
    )
  /** Somebody who signed in with the address, and belongs nowhere. */
  const newcomer = async (email: string) =>
    (
      await testApp.database.db
        .insertInto('users')
        .values({ idp_subject_id: text(), email, name: 'Newcomer' })
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id

  it('takes no rights along that others gave to the address: they are suspended there', async () => {
    const held = await heldAccount(testApp, { email: fresh(), tenantSlug: 'globex' })
    const owner = await testApp.idOf('owner@globex.test')
    const given = await other(
      { user_id: owner, role: 'owner' },
      { user_id: held.id, role: 'admin' },
    )
    const owned = await other({ user_id: held.id, role: 'owner' })
    expect((await invited(held.email)).body).toMatchObject({ handoff: 'tempPassword' })
    // The tenant that created the identity knows whom it belongs to; a tenant always has an owner.
    expect(await statesOf(held.id)).toEqual({
      acme: 'active',
      globex: 'active',
      [given]: 'suspended',
      [owned]: 'active',
    })
    const token = await testApp.token(held.email)
    expect((await testApp.request('GET', `/tenants/${given}/users`, { token })).status).toBe(403)
    const entry = await testApp.database.db
      .selectFrom('audit_events')
      .select(['action', 'metadata'])
      .where('tenant_slug', '=', given)
      .executeTakeFirstOrThrow()
    expect(entry).toMatchObject({
      action: 'member.suspended',
      metadata: { reason: 'the address was never proved, and belongs to somebody else' },
    })
  })

  it('keeps everything when it was proved before', async () => {
    const held = await heldAccount(testApp, { email: fresh(), tenantSlug: 'globex' })
    await proveAddress(testApp, held.id)
    const owner = await testApp.idOf('owner@globex.test')
    const given = await other(
      { user_id: owner, role: 'owner' },
      { user_id: held.id, role: 'admin' },
    )
    expect((await invited(held.email)).body).toMatchObject({ handoff: 'existing' })
    expect(await statesOf(held.id)).toEqual({ acme: 'active', globex: 'active', [given]: 'active' })
  })

  it('belongs to who proved it: an older account keeps its identity under another name', async () => {
    const email = fresh()
    await newcomer(email)
    const held = await heldAccount(testApp, { email, tenantSlug: 'globex' })
    const accepted = await invited(email)
    expect(accepted).toMatchObject({ status: 200, body: { handoff: 'tempPassword' } })
    expect(opens(testApp, email, accepted.body.tempPassword)).toBe(true)
    const after = await record(held.id)
    expect(after.email).toMatch(/^guest-[0-9a-f]+-[0-9a-f]{8}@detached\.invalid$/)
    expect(opens(testApp, email, held.password)).toBe(false)
    expect(opens(testApp, after.email, held.password)).toBe(true)
    expect((await me(held.token)).body.tenants).toMatchObject([{ slug: 'globex' }])
    expect((await mailsTo('owner@globex.test')).at(-1)?.text).toContain(after.email)
  })

  it('belongs to who proved it: a later account of nobody loses it too', async () => {
    const email = fresh()
    const held = await heldAccount(testApp, { email, tenantSlug: 'globex' })
    const later = await newcomer(email)
    const accepted = await invited(email)
    expect(opens(testApp, email, accepted.body.tempPassword)).toBe(true)
    expect(await record(held.id)).toMatchObject({ email, proved_email: email })
    expect((await record(later)).email).toMatch(/@detached\.invalid$/)
  })

  it('is given over when the identity provider works again', async () => {
    const email = fresh()
    await newcomer(email)
    const held = await heldAccount(testApp, { email, tenantSlug: 'globex' })
    testApp.sandbox.fault({
      system: 'identity',
      match: `PATCH /api/v3/core/users/${held.pk}/`,
      mode: 'error',
      status: 503,
    })
    expect(await invited(email)).toMatchObject({ status: 502 })
    testApp.sandbox.clearFaults()
    const accepted = await accept(testApp, email)
    expect(accepted).toMatchObject({ status: 200, body: { handoff: 'tempPassword' } })
    expect(opens(testApp, email, held.password)).toBe(false)
  })

  it('takes the rights of partner staff nowhere: an operator has to decide', async () => {
    const held = await heldAccount(testApp, { email: fresh(), tenantSlug: 'globex' })
    const north = await testApp.database.db
      .selectFrom('partners')
      .select('id')
      .where('slug', '=', 'north')
      .executeTakeFirstOrThrow()
    await testApp.database.db
      .updateTable('users')
      .set({ partner_id: north.id, partner_access: 'viewer' })
      .where('id', '=', held.id)
      .execute()
    expect(await invited(held.email)).toMatchObject({
      status: 409,
      body: { code: 'address_claim_held' },
    })
    expect(opens(testApp, held.email, held.password)).toBe(true)
  })

  it('is added on the own domain, although two of nobody have it', async () => {
    const { domain } = await situation()
    const email = `two@${domain}`
    await newcomer(email)
    const later = await newcomer(email)
    const added = await testApp.call('POST', '/users', { email })
    expect(added).toMatchObject({ status: 201 })
    expect(opens(testApp, email, added.body.oneTimePassword)).toBe(true)
    expect((await record(later)).email).toMatch(/@detached\.invalid$/)
  })
})

describe('a claim', () => {
  it('gives notice to the person and to the admins who manage the account, once', async () => {
    const { domain, held } = await situation()
    expect(await claim(domain, held.email.toUpperCase())).toMatchObject({
      status: 201,
      body: { email: held.email, claim: { state: 'running' } },
    })
    expect(await claim(domain, held.email)).toMatchObject({ body: { code: 'already_exists' } })
    const [notice] = await mailsTo(held.email)
    expect(notice?.text).toContain('Acme Engineering')
    expect(notice?.text).toMatch(/bo-[0-9a-f]{8}@detached\.invalid/)
    const elsewhere = (await mailsTo('owner@globex.test')).at(-1)
    expect(elsewhere?.text).toContain(held.email)
    expect(elsewhere?.text).not.toContain('Acme')
    expect((await me(held.token, '/address-claim')).body.claim).toMatchObject({
      email: held.email,
      tenantName: 'Acme Engineering',
      domain,
      pendingEmail: null,
    })
    const { endsAt, startedAt } = (await people(domain)).body.items[0].claim
    expect(Date.parse(endsAt) - Date.parse(startedAt)).toBe(14 * 86_400_000)
  })

  it('changes nothing before its time, and nothing when it is withdrawn', async () => {
    const { domain, held } = await situation()
    await claim(domain, held.email)
    const link = await moveLink(held.email)
    await settleDueAddressClaims(testApp.app.services)
    expect((await record(held.id)).email).toBe(held.email)
    expect(
      (await testApp.call('DELETE', `/domains/${domain}/address-claims/${held.email}`)).status,
    ).toBe(204)
    expect(
      (await testApp.call('DELETE', `/domains/${domain}/address-claims/${held.email}`)).status,
    ).toBe(404)
    await letTimePass()
    expect((await record(held.id)).email).toBe(held.email)
    expect(await move(link)).toMatchObject({ status: 404 })
    expect((await me(held.token)).status).toBe(200)
  })

  it('is for addresses on the domain that somebody elsewhere has', async () => {
    const { domain } = await situation()
    for (const email of [`nobody@${domain}`, 'owner@globex.test', 'member@acme.test'])
      expect(await claim(domain, email)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })
})

describe('a person whose address is claimed', () => {
  it('moves by the mailed link: the old account opens nothing, the new one belongs to the tenant', async () => {
    const { domain, held } = await situation()
    await claim(domain, held.email)
    const link = await moveLink(held.email)
    const moved = await move(link)
    expect(moved).toMatchObject({
      status: 200,
      body: { email: held.email, joined: 'Acme Engineering', handoff: 'tempPassword' },
    })
    expect(opens(testApp, held.email, moved.body.tempPassword)).toBe(true)
    expect(opens(testApp, held.email, held.password)).toBe(false)
    expect(await me(held.token)).toMatchObject({ body: { code: 'user_deactivated' } })
    const own = await me(await testApp.token(held.email))
    expect(own.body.tenants.map(({ slug }: { slug: string }) => slug).sort()).toEqual([
      'acme',
      'globex',
    ])
    expect(await record(held.id)).toMatchObject({
      home_tenant_id: testApp.acmeId,
      proved_email: held.email,
    })
    expect(await move(link)).toMatchObject({ status: 404 })
    expect((await people(domain)).body.items).toEqual([])
    expect(await testApp.auditActions()).toContain('address.moved')
  })

  it('moves once when the link is used by eight at a time', async () => {
    const { domain, held } = await situation()
    await claim(domain, held.email)
    const link = await moveLink(held.email)
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await move(link)).status),
    )
    expect(statuses.sort()).toEqual([200, ...Array.from({ length: 7 }, () => 404)])
    expect(storedIdentities(testApp).filter(({ email }) => email === held.email)).toHaveLength(1)
  })

  it('goes on with the move when the identity provider was away', async () => {
    const { domain, held } = await situation()
    await claim(domain, held.email)
    const link = await moveLink(held.email)
    testApp.sandbox.fault({
      system: 'identity',
      match: 'POST /api/v3/core/users/',
      mode: 'error',
      status: 503,
    })
    expect(await move(link)).toMatchObject({ status: 502 })
    testApp.sandbox.clearFaults()
    const moved = await move(link)
    expect(opens(testApp, held.email, moved.body.tempPassword)).toBe(true)
    expect(opens(testApp, held.email, held.password)).toBe(false)
  })

  it('is not moved into a workplace without a free seat', async () => {
    const { domain, held } = await situation()
    await claim(domain, held.email)
    const link = await moveLink(held.email)
    await testApp.database.db
      .updateTable('plan_grants')
      .set({ seats: 1 })
      .where('tenant_id', '=', testApp.acmeId)
      .execute()
    await testApp.database.db
      .updateTable('tenants')
      .set({ seats: 1, seat_mode: 'fixed' })
      .where('id', '=', testApp.acmeId)
      .execute()
    expect(await move(link)).toMatchObject({ status: 409, body: { code: 'seats_exhausted' } })
    expect((await me(held.token)).status).toBe(200)
    await testApp.database.db.updateTable('plan_grants').set({ seats: 0 }).execute()
    await testApp.database.db.updateTable('tenants').set({ seats: 0 }).execute()
    expect((await move(link)).status).toBe(200)
  })

  it('keeps the account with another address that is confirmed by mail, signed in', async () => {
    const { domain, held } = await situation()
    await claim(domain, held.email)
    const link = await moveLink(held.email)
    const email = `bo-${text()}@elsewhere.example`
    expect((await me(held.token, '/address-claim/new-address', { email })).status).toBe(204)
    expect((await me(held.token, '/address-claim')).body.claim.pendingEmail).toBe(email)
    const token = await confirmLink(email)
    // The link is worth nothing without the account that asked for it.
    const other = await testApp.token('owner@globex.test')
    expect(await me(other, '/address-claim/new-address/confirm', { token })).toMatchObject({
      status: 404,
    })
    expect((await me(held.token, '/address-claim/new-address/confirm', { token })).status).toBe(204)
    expect(await me(held.token, '/address-claim/new-address/confirm', { token })).toMatchObject({
      status: 404,
    })
    expect(await record(held.id)).toMatchObject({ email, proved_email: email })
    expect((await me(held.token, '/address-claim')).body.claim).toBeNull()
    expect(await move(link)).toMatchObject({ status: 404 })
    expect((await people(domain)).body.items).toEqual([])
  })

  it('cannot take an address on a proved domain, or one that somebody has', async () => {
    const { domain, held } = await situation()
    expect(
      await me(held.token, '/address-claim/new-address', { email: 'x@elsewhere.example' }),
    ).toMatchObject({ status: 404 })
    await claim(domain, held.email)
    expect(
      await me(held.token, '/address-claim/new-address', { email: `else@${domain}` }),
    ).toMatchObject({ status: 400 })
    const taken = `taken-${text()}@elsewhere.example`
    await testApp.database.db
      .insertInto('users')
      .values({ idp_subject_id: text(), email: taken, name: 'Somebody' })
      .execute()
    expect((await me(held.token, '/address-claim/new-address', { email: taken })).status).toBe(204)
    const token = await confirmLink(taken)
    expect(await me(held.token, '/address-claim/new-address/confirm', { token })).toMatchObject({
      status: 409,
      body: { code: 'email_taken' },
    })
  })
})

describe('when the time of a claim is over', () => {
  it('the account loses the address and is kept under another name; nothing is deleted', async () => {
    const { domain, held } = await situation()
    await claim(domain, held.email)
    const link = await moveLink(held.email)
    await letTimePass()
    const after = await record(held.id)
    expect(after).toMatchObject({ removed_at: null, proved_email: null })
    expect(after.email).toMatch(/^bo-[0-9a-f]{8}@detached\.invalid$/)
    expect((await mailsTo('owner@globex.test')).at(-1)?.text).toContain(after.email)
    expect(await move(link)).toMatchObject({ status: 404 })
    expect((await me(held.token)).body.tenants).toMatchObject([{ slug: 'globex' }])
    // The provider follows, so that the tenant can give the address to whom it belongs.
    await testApp.database.db
      .updateTable('identity_dues')
      .set({ next_at: new Date(0) })
      .where('user_id', '=', held.id)
      .execute()
    await followIdentities(testApp.app.services)
    expect(opens(testApp, after.email, held.password)).toBe(true)
    expect(opens(testApp, held.email, held.password)).toBe(false)
    const added = await testApp.call('POST', '/users', { email: held.email, role: 'admin' })
    expect(added).toMatchObject({ status: 201 })
    expect(added.body.member.id).not.toBe(held.id)
    expect(opens(testApp, held.email, added.body.oneTimePassword)).toBe(true)
    // Nor does a token that still names the address bring it back.
    expect((await me(held.token)).body.email).toBe(after.email)
  })

  it('rights that were given to the address without proof end, those of before stay', async () => {
    const { domain, held } = await situation()
    const proved = await heldAccount(testApp, { email: `proved@${domain}`, tenantSlug: 'globex' })
    await proveAddress(testApp, proved.id)
    const owner = await testApp.idOf('owner@globex.test')
    const slug = `other-${text()}`
    await testApp.database.db.transaction().execute(async (trx) => {
      const other = await trx
        .insertInto('tenants')
        .values({ slug, name: 'Other', status: 'active' })
        .returning('id')
        .executeTakeFirstOrThrow()
      await trx
        .insertInto('memberships')
        .values([
          { tenant_id: other.id, user_id: owner, role: 'owner' },
          { tenant_id: other.id, user_id: held.id, role: 'admin' },
          { tenant_id: other.id, user_id: proved.id, role: 'admin' },
        ])
        .execute()
    })
    await claim(domain, held.email)
    await claim(domain, proved.email)
    await letTimePass()
    const rows = await testApp.database.db
      .selectFrom('memberships as m')
      .innerJoin('tenants as t', 't.id', 'm.tenant_id')
      .select(['m.user_id', 't.slug', 'm.status'])
      .where('m.user_id', 'in', [held.id, proved.id])
      .execute()
    const statusOf = (id: string, where: string) =>
      rows.find((row) => row.user_id === id && row.slug === where)?.status
    expect(statusOf(held.id, 'globex')).toBe('active')
    expect(statusOf(held.id, slug)).toBe('suspended')
    expect(statusOf(proved.id, slug)).toBe('active')
  })

  it('platform administrators and partner staff keep everything until an operator decides', async () => {
    const { domain, held } = await situation()
    const north = await testApp.database.db
      .selectFrom('partners')
      .select('id')
      .where('slug', '=', 'north')
      .executeTakeFirstOrThrow()
    const rights = (fields: { partner_id: string | null; partner_access: 'viewer' | null }) =>
      testApp.database.db.updateTable('users').set(fields).where('id', '=', held.id).execute()
    await rights({ partner_id: north.id, partner_access: 'viewer' })
    await claim(domain, held.email)
    expect(await move(await moveLink(held.email))).toMatchObject({
      status: 409,
      body: { code: 'address_claim_held' },
    })
    await letTimePass()
    await letTimePass()
    expect((await record(held.id)).email).toBe(held.email)
    expect((await people(domain)).body.items).toMatchObject([{ claim: { state: 'held' } }])
    const told = (await mailsTo('operator@atrium.test')).filter(({ text: body }) =>
      body.includes(held.email),
    )
    expect(told).toHaveLength(1)
    await rights({ partner_id: null, partner_access: null })
    await letTimePass()
    expect((await record(held.id)).email).toMatch(/@detached\.invalid$/)
  })

  it('a member of the claiming tenant gets another identity there', async () => {
    const { domain, held } = await situation()
    await testApp.database.db
      .insertInto('memberships')
      .values({ tenant_id: testApp.acmeId, user_id: held.id, role: 'member' })
      .execute()
    await claim(domain, held.email)
    await letTimePass()
    expect(await record(held.id)).toMatchObject({
      email: held.email,
      home_tenant_id: testApp.acmeId,
    })
    expect(opens(testApp, held.email, held.password)).toBe(false)
    expect(await me(held.token)).toMatchObject({ body: { code: 'user_deactivated' } })
    expect(await mailedToken(testApp, held.email)).toBeDefined()
  })

  it('a claim without its ground ends and changes nothing', async () => {
    const { domain, held } = await situation()
    await claim(domain, held.email)
    await testApp.database.db.deleteFrom('domains').where('name', '=', domain).execute()
    await letTimePass()
    expect((await record(held.id)).email).toBe(held.email)
    expect((await me(held.token, '/address-claim')).body.claim).toBeNull()
  })
})
