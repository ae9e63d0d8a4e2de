import { demoPeople, demoServiceCredentials } from '@atrium/core/demo/demo'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../src/start.ts'
import { type AuthentikApi, authentikApi } from './authentik-api.ts'

let sandbox: Sandbox
let api: AuthentikApi
beforeAll(async () => {
  sandbox = await startSandbox()
  api = authentikApi(sandbox)
})
afterEach(() => sandbox.reset())
afterAll(() => sandbox.close())

const authorization = `Bearer ${demoServiceCredentials.identityToken}`
const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/

describe('every call', () => {
  it('is rejected with 403 without credentials and with bad ones', async () => {
    expect(await api.raw('core/users/', {})).toMatchObject({
      status: 403,
      body: { detail: 'Authentication credentials were not provided.' },
    })
    const bad = await api.raw('core/users/', { headers: { authorization: 'Bearer wrong' } })
    expect(bad).toMatchObject({ status: 403, body: { detail: 'Token invalid/expired' } })
  })

  it('is rejected with 403 once the owner of the token is deactivated', async () => {
    const pk = await api.pk('core/users/?username=atrium')
    expect((await api.patch(`core/users/${pk}/`, { is_active: false })).status).toBe(200)
    expect(await api.get('core/users/')).toMatchObject({
      status: 403,
      body: { detail: 'Token invalid/expired' },
    })
  })

  it('needs the trailing slash', async () => {
    for (const path of ['core/groups', 'core/users/1', 'admin/version', 'nothing/'])
      expect((await api.get(path)).status, path).toBe(404)
  })

  it('returns 405 for a wrong method, 415 for a form, 400 for malformed JSON and for a list', async () => {
    expect(await api.delete('core/users/')).toMatchObject({
      status: 405,
      body: { detail: 'Method "DELETE" not allowed.' },
    })
    const form = await api.raw('core/groups/', {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams({ name: 'x' }),
    })
    expect(form.status).toBe(415)
    expect(form.body.detail).toContain('application/x-www-form-urlencoded')
    const headers = { authorization, 'content-type': 'application/json' }
    const broken = await api.raw('core/groups/', { method: 'POST', headers, body: '{"name":' })
    expect(broken.status).toBe(400)
    expect(broken.body.detail).toContain('JSON parse error - ')
    expect(await api.post('core/groups/', ['x'])).toMatchObject({
      status: 400,
      body: { non_field_errors: [expect.any(String)] },
    })
  })

  it('says which version it plays and who is asking', async () => {
    expect((await api.get('admin/version/')).body.version_current).toMatch(/^2026\.8\./)
    expect((await api.get('core/users/me/')).body).toMatchObject({
      user: { username: 'atrium', is_superuser: false },
      users: [],
    })
  })
})

describe('lists', () => {
  it('page with numbers, 20 by default, cut at 100, 404 past the end', async () => {
    for (let count = 0; count < 120; count += 1)
      await api.post('core/groups/', { name: `team-${String(count).padStart(3, '0')}` })
    const first = await api.get('core/groups/?search=team-')
    expect(first.results).toHaveLength(20)
    expect(first.body.pagination).toEqual({
      next: 2,
      previous: 0,
      count: 120,
      current: 1,
      total_pages: 6,
      start_index: 1,
      end_index: 20,
    })
    expect(first.body.autocomplete).toEqual({})
    const wide = await api.get('core/groups/?search=team-&page_size=1000&page=2')
    expect(wide.results).toHaveLength(20)
    expect(wide.body.pagination).toMatchObject({
      next: 0,
      previous: 1,
      current: 2,
      total_pages: 2,
      start_index: 101,
      end_index: 120,
    })
    expect(await api.get('core/groups/?search=team-&page=7')).toMatchObject({
      status: 404,
      body: { detail: 'Invalid page.' },
    })
    expect((await api.get('core/groups/?page=none')).status).toBe(404)
  })

  it('filter exactly and by case, and ignore what is not declared', async () => {
    expect((await api.get('core/users/?username=owner@acme.test')).results).toHaveLength(1)
    expect((await api.get('core/users/?username=Owner@acme.test')).results).toHaveLength(0)
    expect((await api.get('core/users/?username=owner')).results).toHaveLength(0)
    const all = (await api.get('core/users/?page_size=100')).results.length
    expect((await api.get('core/users/?page_size=100&uid=none&pk=2')).results).toHaveLength(all)
    expect((await api.get('core/groups/?attributes=none')).status).toBe(200)
  })

  it('reject a filter value that names nothing, and a UUID that is none', async () => {
    expect(await api.get('core/users/?groups_by_name=none')).toMatchObject({
      status: 400,
      body: { groups_by_name: [expect.any(String)] },
    })
    expect(await api.get('core/users/?uuid=none')).toMatchObject({
      status: 400,
      body: { uuid: ['“none” is not a valid UUID.'] },
    })
    expect(await api.get('policies/bindings/?target=none')).toMatchObject({
      status: 400,
      body: { target: [expect.any(String)] },
    })
  })

  it('search contains, without regard to case', async () => {
    expect(
      (await api.get('core/users/?search=ACME.test&ordering=-username')).results.map(
        (user) => user.username,
      ),
    ).toEqual(['owner@acme.test', 'member@acme.test', 'admin@acme.test'])
  })
})

describe('groups', () => {
  it('are created once by name and found by it', async () => {
    const made = await api.post('core/groups/', {
      name: '  initech  ',
      attributes: { tenant: 'initech' },
      num_pk: 1,
      unknown: true,
    })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      pk: expect.stringMatching(uuid),
      name: 'initech',
      attributes: { tenant: 'initech' },
      users: [],
      users_obj: [],
    })
    expect(made.body.num_pk).not.toBe(1)
    expect(await api.post('core/groups/', { name: 'initech' })).toMatchObject({
      status: 400,
      body: { name: ['Group with this name already exists.'] },
    })
    const found = await api.get('core/groups/?name=initech&include_users=false')
    expect(found.results).toEqual([
      expect.objectContaining({ pk: made.body.pk, users: [], users_obj: null }),
    ])
    expect((await api.get('core/groups/?name=Initech')).results).toEqual([])
  })

  it('are rejected without a name, with a null one, and with unknown members', async () => {
    expect((await api.post('core/groups/', {})).body).toEqual({ name: ['This field is required.'] })
    expect((await api.post('core/groups/', { name: null })).body).toEqual({
      name: ['This field may not be null.'],
    })
    expect(
      (await api.post('core/groups/', { name: ' ', users: [999_999], parents: ['x'] })).body,
    ).toEqual({
      name: ['This field may not be blank.'],
      users: ['Invalid pk "999999" - object does not exist.'],
      parents: ['“x” is not a valid UUID.'],
    })
  })

  it('take and lose members: 204 also when nothing changes, 404 for an unknown user', async () => {
    const acme = await api.pk('core/groups/?name=acme')
    const user = await api.pk('core/users/?username=newcomer@example.test')
    for (let round = 0; round < 2; round += 1) {
      const added = await api.post(`core/groups/${acme}/add_user/`, { pk: user })
      expect([added.status, added.text]).toEqual([204, ''])
      expect((await api.get(`core/groups/${acme}/`)).body.users).toContain(user)
    }
    for (let round = 0; round < 2; round += 1) {
      expect((await api.post(`core/groups/${acme}/remove_user/`, { pk: user })).status).toBe(204)
      expect((await api.get(`core/groups/${acme}/`)).body.users).not.toContain(user)
    }
    expect(await api.post(`core/groups/${acme}/add_user/`, { pk: 999_999 })).toMatchObject({
      status: 404,
      body: { detail: 'No User matches the given query.' },
    })
    expect(
      (await api.post('core/groups/5f8f4a3e-0000-4000-8000-000000000000/add_user/', { pk: user }))
        .body,
    ).toEqual({
      detail: 'No Group matches the given query.',
    })
  })

  it('are deleted once, with their bindings, and leave their members', async () => {
    const acme = await api.pk('core/groups/?name=acme')
    const application = await api.get('core/applications/atrium-portal/')
    await api.post('policies/bindings/', { target: application.body.pk, group: acme, order: 0 })
    expect((await api.delete(`core/groups/${acme}/`)).status).toBe(204)
    expect((await api.delete(`core/groups/${acme}/`)).status).toBe(404)
    expect((await api.get('policies/bindings/')).results).toEqual([])
    expect((await api.get('core/users/?username=owner@acme.test')).results[0]).toMatchObject({
      groups: [],
    })
  })
})

describe('users', () => {
  it('of the demo have the subjects that the rest of the workplace knows', async () => {
    for (const person of demoPeople) {
      const { results } = await api.get(`core/users/?email=${person.email}`)
      expect(results).toEqual([
        expect.objectContaining({
          uid: person.subject,
          username: person.email,
          is_active: true,
          type: 'internal',
        }),
      ])
      const groups = results[0]?.groups_obj as { name: string }[]
      expect(groups.map((group) => group.name)).toEqual(person.groups)
    }
  })

  it('are created with an integer key and a 64 digit uid, and a name is unique by case', async () => {
    const acme = await api.pk('core/groups/?name=acme')
    const made = await api.post('core/users/', {
      username: 'probe',
      name: '',
      email: 'probe@acme.test',
      path: 'tenants/acme',
      groups: [acme],
      attributes: { phone: '  1 ' },
      uid: 'mine',
    })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      pk: expect.any(Number),
      uid: expect.stringMatching(/^[0-9a-f]{64}$/),
      uuid: expect.stringMatching(uuid),
      name: '',
      path: 'tenants/acme',
      groups: [acme],
      attributes: { phone: '  1 ' },
      is_active: true,
      is_superuser: false,
      last_login: null,
    })
    expect(await api.post('core/users/', { username: 'probe', name: 'x' })).toMatchObject({
      status: 400,
      body: { username: ['This field must be unique.'] },
    })
    expect(
      (await api.post('core/users/', { username: 'Probe', name: 'x', email: 'probe@acme.test' }))
        .status,
    ).toBe(201)
    expect((await api.get('core/users/?email=probe@acme.test')).results).toHaveLength(2)
  })

  it('are rejected with every fault at once', async () => {
    const rejected = await api.post('core/users/', {
      username: 'x'.repeat(151),
      email: 'no address',
      type: 'robot',
      path: '/a/',
      is_active: 'perhaps',
      groups: 'acme',
    })
    expect(rejected.status).toBe(400)
    expect(rejected.body).toEqual({
      username: ['Ensure this field has no more than 150 characters.'],
      name: ['This field is required.'],
      email: ['Enter a valid email address.'],
      type: ['"robot" is not a valid choice.'],
      is_active: ['Must be a valid boolean.'],
      groups: ['Expected a list of items but got type "str".'],
    })
    expect(
      (await api.post('core/users/', { username: 'a', name: 'a', path: 'a//b' })).body,
    ).toEqual({ path: [expect.any(String)] })
    const internal = await api.post('core/users/', {
      username: 'a',
      name: 'a',
      type: 'internal_service_account',
    })
    expect(internal).toMatchObject({ status: 400, body: { type: [expect.any(String)] } })
  })

  it('keep what a PATCH does not name, and lose attributes that it does not repeat', async () => {
    const pk = await api.pk('core/users/?username=owner@acme.test')
    await api.patch(`core/users/${pk}/`, { attributes: { phone: '1', title: 'CEO' } })
    const patched = await api.patch(`core/users/${pk}/`, {
      attributes: { phone: '2' },
      name: ' Anna ',
      pk: 1,
      uuid: 'x',
    })
    expect(patched.body).toMatchObject({
      pk,
      attributes: { phone: '2' },
      name: 'Anna',
      email: 'owner@acme.test',
    })
    expect(await api.patch(`core/users/${pk}/`, { username: 'admin@acme.test' })).toMatchObject({
      status: 400,
    })
    expect(await api.patch('core/users/999999/', { name: 'x' })).toMatchObject({
      status: 404,
      body: { detail: 'No User matches the given query.' },
    })
  })

  it('are filtered by attributes, unless the value is one the database rejects', async () => {
    const pk = await api.pk('core/users/?username=owner@acme.test')
    await api.patch(`core/users/${pk}/`, { attributes: { tenant: { slug: 'acme' } } })
    const filter = (value: unknown) =>
      `core/users/?page_size=100&attributes=${encodeURIComponent(JSON.stringify(value))}`
    expect(
      (await api.get(filter({ tenant__slug: 'acme' }))).results.map((user) => user.pk),
    ).toEqual([pk])
    expect((await api.get(filter({ tenant__slug: 'globex' }))).results).toEqual([])
    const all = (await api.get('core/users/?page_size=100')).results.length
    expect((await api.get(filter({ tenant__slug: null }))).results).toHaveLength(all)
    expect(await api.get('core/users/?attributes=none')).toMatchObject({
      status: 400,
      results: ['filter: failed to parse JSON'],
    })
    expect((await api.get(filter(['a']))).status).toBe(400)
  })

  it('leave the joins out when they are told to', async () => {
    const { results } = await api.get('core/users/?include_groups=false&include_roles=false')
    for (const user of results) expect(user).toMatchObject({ groups_obj: null, roles_obj: null })
  })

  it('take any password that is not blank', async () => {
    const pk = await api.pk('core/users/?username=owner@acme.test')
    const taken = await api.post(`core/users/${pk}/set_password/`, { password: 'a' })
    expect([taken.status, taken.text]).toEqual([204, ''])
    expect(await api.post(`core/users/${pk}/set_password/`, { password: '' })).toMatchObject({
      status: 400,
      body: { password: ['This field may not be blank.'] },
    })
    expect((await api.post('core/users/999999/set_password/', { password: 'a' })).status).toBe(404)
  })

  it('are deleted once, with all that hangs on them', async () => {
    const pk = await api.pk('core/users/?username=owner@acme.test')
    await sandbox.token('owner@acme.test', 'portal')
    expect((await api.delete(`core/users/${pk}/`)).status).toBe(204)
    expect((await api.delete(`core/users/${pk}/`)).status).toBe(404)
    expect((await api.get('core/authenticated_sessions/')).results).toEqual([])
    expect((await api.get('core/groups/?name=acme')).results[0]?.users).not.toContain(pk)
  })
})

describe('recovery', () => {
  it('is rejected with a bare string while the brand has no flow, before the user is looked at', async () => {
    for (const pk of [await api.pk('core/users/?username=owner@acme.test'), 999_999]) {
      expect(await api.post(`core/users/${pk}/recovery/`)).toMatchObject({
        status: 400,
        body: { non_field_errors: 'No recovery flow set.' },
      })
    }
  })

  it('gives a link under the host that was asked once the brand has a flow, and the link sets the password once', async () => {
    const { results } = await api.get('core/brands/?default=true')
    const flow = await api.pk('flows/instances/?designation=recovery')
    expect(
      (await api.patch(`core/brands/${results[0]?.brand_uuid}/`, { flow_recovery: flow })).body
        .flow_recovery,
    ).toBe(flow)
    const pk = await api.pk('core/users/?username=owner@acme.test')
    const { status, body } = await api.post(`core/users/${pk}/recovery/`, {
      token_duration: 'hours=2',
    })
    expect(status).toBe(200)
    expect(body.link).toMatch(
      new RegExp(`^${sandbox.identityUrl}/if/flow/default-recovery-flow/\\?flow_token=\\w{60}$`),
    )
    expect((await api.post(`core/users/${pk}/recovery/`)).body.link).toBe(body.link)
    expect((await api.post(`core/users/${pk}/recovery/`, { token_duration: 'soon' })).status).toBe(
      400,
    )
    expect((await api.post('core/users/999999/recovery/')).status).toBe(404)
    const forwarded = await api.raw(`core/users/${pk}/recovery/`, {
      method: 'POST',
      headers: {
        authorization,
        'x-forwarded-host': 'id.example.test',
        'x-forwarded-proto': 'https',
      },
    })
    expect(String(forwarded.body.link)).toContain('https://id.example.test/if/flow/')

    const link = String(body.link)
    expect(await (await fetch(link)).text()).toContain('owner@acme.test')
    expect(
      (await fetch(link, { method: 'POST', body: new URLSearchParams({ password: '' }) })).status,
    ).toBe(400)
    expect(
      (await fetch(link, { method: 'POST', body: new URLSearchParams({ password: 'new' }) }))
        .status,
    ).toBe(200)
    expect((await fetch(link)).status).toBe(400)
  })
})

describe('authenticators', () => {
  it('of one user are a bare array that does not say whose they are, with unconfirmed and static ones', async () => {
    const owner = await api.pk('core/users/?username=owner@acme.test')
    const response = await api.get(`authenticators/admin/all/?user=${owner}`)
    expect(response.results.map((device) => device.type)).toEqual([
      'authentik_stages_authenticator_webauthn.WebAuthnDevice',
      'authentik_stages_authenticator_static.StaticDevice',
    ])
    for (const device of response.results) {
      expect(device).not.toHaveProperty('user')
      expect(device.pk).toEqual(expect.any(String))
    }
    const admin = await api.pk('core/users/?username=admin@acme.test')
    expect((await api.get(`authenticators/admin/all/?user=${admin}`)).results).toEqual([
      expect.objectContaining({ confirmed: false }),
    ])
  })

  it('of everybody come without a user, and an unknown user is 400', async () => {
    expect((await api.get('authenticators/admin/all/')).results.length).toBeGreaterThan(3)
    expect(await api.get('authenticators/admin/all/?user=999999')).toMatchObject({
      status: 400,
      body: { user: [expect.any(String)] },
    })
  })

  it('of one kind are paged rows with a user, and `user` is no filter there', async () => {
    const owner = await api.pk('core/users/?username=owner@acme.test')
    const { results, body } = await api.get(`authenticators/admin/totp/?user=${owner}`)
    expect(body.pagination).toMatchObject({ count: 2 })
    expect(results.map((row) => (row.user as { username: string }).username).sort()).toEqual([
      'admin@acme.test',
      'operator@atrium.test',
    ])
  })
})

describe('sessions', () => {
  it('list everybody unless filtered by user name; `user` is ignored', async () => {
    await sandbox.token('owner@acme.test', 'portal')
    await sandbox.token('member@acme.test', 'portal')
    const owner = await api.pk('core/users/?username=owner@acme.test')
    expect((await api.get(`core/authenticated_sessions/?user=${owner}`)).results).toHaveLength(2)
    const { results } = await api.get('core/authenticated_sessions/?user__username=owner@acme.test')
    expect(results).toEqual([
      expect.objectContaining({
        user: owner,
        uuid: expect.stringMatching(uuid),
        current: false,
        geo_ip: null,
      }),
    ])
    expect((await api.delete(`core/authenticated_sessions/${results[0]?.uuid}/`)).status).toBe(204)
    expect((await api.delete(`core/authenticated_sessions/${results[0]?.uuid}/`)).status).toBe(404)
    expect((await api.get('core/authenticated_sessions/')).results).toHaveLength(1)
  })

  it('are deleted for several users at once, which must be named', async () => {
    await sandbox.token('owner@acme.test', 'portal')
    await sandbox.token('member@acme.test', 'portal')
    expect((await api.delete('core/authenticated_sessions/bulk_delete/')).status).toBe(400)
    const owner = await api.pk('core/users/?username=owner@acme.test')
    expect(
      (await api.delete(`core/authenticated_sessions/bulk_delete/?user_pks=${owner}`)).body,
    ).toEqual({ deleted: 1 })
    expect((await api.get('core/authenticated_sessions/')).results).toHaveLength(1)
  })

  it('reject a token filter that names no user', async () => {
    expect(await api.get('oauth2/refresh_tokens/?user=999999')).toMatchObject({
      status: 400,
      body: { user: [expect.any(String)] },
    })
  })
})
