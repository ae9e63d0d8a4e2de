import { demoClients, demoPeople, demoServiceCredentials } from '@atrium/core/demo/demo'
import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../src/start.ts'
import { authentikApi } from './authentik-api.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.reset())
afterAll(() => sandbox.close())

async function control(method: string, path: string, body?: unknown) {
  const response = await fetch(`${sandbox.controlUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
}

/** A call that any fault can hit. */
const version = (init: RequestInit = {}) =>
  fetch(`${sandbox.identityUrl}/api/v3/admin/version/`, {
    headers: { authorization: `Bearer ${demoServiceCredentials.identityToken}` },
    ...init,
  })

const causeOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof Error ? (error.cause as { code?: string } | undefined)?.code : undefined
}

describe('tokens', () => {
  it('are issued for each application', async () => {
    for (const app of ['portal', 'operator'] as const) {
      const { status, body } = await control('POST', '/tokens', { email: 'Owner@acme.test', app })
      expect(status).toBe(200)
      expect(decodeJwt(body.accessToken)).toMatchObject({
        iss: sandbox.issuers[app],
        aud: demoClients[app].clientId,
      })
    }
  })

  it('are rejected: 404 unknown, 403 inactive, 400 for another application', async () => {
    expect(
      (await control('POST', '/tokens', { email: 'nobody@acme.test', app: 'portal' })).status,
    ).toBe(404)
    expect((await control('POST', '/tokens', { email: '', app: 'portal' })).status).toBe(404)
    const api = authentikApi(sandbox)
    await api.patch(`core/users/${await api.pk('core/users/?username=owner@acme.test')}/`, {
      is_active: false,
    })
    expect(
      (await control('POST', '/tokens', { email: 'owner@acme.test', app: 'portal' })).status,
    ).toBe(403)
    await expect(sandbox.token('owner@acme.test', 'portal')).rejects.toThrow(
      'owner@acme.test is deactivated.',
    )
    const unknown = await control('POST', '/tokens', { email: 'admin@acme.test', app: 'booking' })
    expect(unknown).toMatchObject({
      status: 400,
      body: { issues: [expect.objectContaining({ path: ['app'] })] },
    })
  })

  it('need a JSON body of the right type', async () => {
    expect((await control('POST', '/tokens', '{"email":')).status).toBe(400)
    const form = await fetch(`${sandbox.controlUrl}/tokens`, { method: 'POST', body: 'email=a' })
    expect(form.status).toBe(415)
  })
})

describe('faults', () => {
  it('are added, listed, and removed one by one and all at once', async () => {
    const made = await control('POST', '/faults', {
      system: 'identity',
      mode: 'error',
      match: '/api/v3/',
    })
    expect(made).toMatchObject({ status: 201, body: { id: expect.any(String), mode: 'error' } })
    expect((await control('GET', '/faults')).body.faults).toHaveLength(1)
    expect((await version()).status).toBe(503)
    expect((await control('DELETE', `/faults/${made.body.id}`)).status).toBe(204)
    expect((await control('DELETE', `/faults/${made.body.id}`)).status).toBe(404)
    expect((await version()).status).toBe(200)
    sandbox.fault({ system: 'identity', mode: 'error' })
    expect((await control('DELETE', '/faults')).status).toBe(204)
    expect((await version()).status).toBe(200)
  })

  it('are rejected with the issues when they are not such', async () => {
    expect(await control('POST', '/faults', { system: 'identity', mode: 'explode' })).toMatchObject(
      {
        status: 400,
        body: { issues: [expect.objectContaining({ path: ['mode'] })] },
      },
    )
    expect(() => sandbox.fault({ system: 'identity', mode: 'error', times: 0 })).toThrow()
  })

  it('of mode error answer the status with an empty body, as authentik does, and only as often as told', async () => {
    sandbox.fault({ system: 'identity', mode: 'error', status: 502, times: 1 })
    const hit = await version()
    expect([hit.status, await hit.text()]).toEqual([502, ''])
    expect((await version()).status).toBe(200)
  })

  it('of mode reset drop the connection', async () => {
    sandbox.fault({ system: 'identity', mode: 'reset', match: 'admin/version' })
    expect(await causeOf(version())).toBe('ECONNRESET')
  })

  it('of mode timeout do not answer until the client goes', async () => {
    sandbox.fault({ system: 'identity', mode: 'timeout' })
    await expect(version({ signal: AbortSignal.timeout(150) })).rejects.toThrow(/timeout|aborted/)
    await expect
      .poll(() => sandbox.state().identity.calls.at(-1))
      .toMatchObject({ status: 0, fault: { mode: 'timeout' } })
  })

  it('of mode latency carry the call out, later', async () => {
    sandbox.fault({ system: 'identity', mode: 'latency', delayMs: 120 })
    await expect(version({ signal: AbortSignal.timeout(30) })).rejects.toThrow(/timeout|aborted/)
    expect((await version()).status).toBe(200)
  })

  it('of mode garbage answer 200 with bytes that are not JSON', async () => {
    sandbox.fault({ system: 'identity', mode: 'garbage' })
    const hit = await version()
    expect(hit.status).toBe(200)
    await expect(hit.json()).rejects.toThrow(SyntaxError)
  })

  it('of mode shape answer 200 with other JSON', async () => {
    sandbox.fault({ system: 'identity', mode: 'shape' })
    const hit = await version()
    expect(hit.status).toBe(200)
    expect(await hit.json()).not.toHaveProperty('version_current')
  })

  it.each(['reset', 'error', 'garbage', 'latency'] as const)(
    'with after carry the call out first: %s',
    async (mode) => {
      const api = authentikApi(sandbox)
      sandbox.fault({
        system: 'identity',
        mode,
        match: 'POST /api/v3/core/groups/',
        after: true,
        times: 1,
        delayMs: 5,
      })
      const answer = await api
        .post('core/groups/', { name: `after-${mode}` })
        .catch(() => undefined)
      if (mode === 'latency')
        expect(answer).toMatchObject({ status: 201, body: { name: 'after-latency' } })
      else expect(answer?.status).not.toBe(201)
      expect((await api.get(`core/groups/?name=after-${mode}`)).results).toHaveLength(1)
    },
  )

  it('without after keep the call from being carried out', async () => {
    const api = authentikApi(sandbox)
    sandbox.fault({
      system: 'identity',
      mode: 'reset',
      match: 'POST /api/v3/core/groups/',
      times: 1,
    })
    await expect(api.post('core/groups/', { name: 'never' })).rejects.toThrow()
    expect((await api.get('core/groups/?name=never')).results).toEqual([])
  })

  it('match the JMAP methods of a mail request', async () => {
    const call = (method: string) =>
      fetch(`${sandbox.mailUrl}/jmap`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${demoServiceCredentials.mailApiKey}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          using: ['urn:ietf:params:jmap:core'],
          methodCalls: [[method, { hello: true }, '0']],
        }),
      })
    sandbox.fault({ system: 'mail', mode: 'error', match: 'Core/echo' })
    expect((await call('Core/echo')).status).toBe(503)
    expect((await call('x:Domain/get')).status).toBe(200)
    await expect
      .poll(() => sandbox.state().mail.calls.map((one) => one.operations))
      .toEqual([['Core/echo'], ['x:Domain/get']])
    sandbox.clearFaults()
    expect(await (await call('Core/echo')).json()).toMatchObject({
      methodResponses: [['Core/echo', { hello: true }, '0']],
    })
  })

  it('match a JMAP method of one mailbox alone', async () => {
    const call = (name: string) =>
      fetch(`${sandbox.mailUrl}/jmap`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${btoa(`${name}:wrong`)}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          using: ['urn:ietf:params:jmap:core'],
          methodCalls: [['Core/echo', {}, '0']],
        }),
      })
    sandbox.fault({ system: 'mail', mode: 'error', match: 'Core/echo anna@' })
    expect((await call('anna@acme.test')).status).toBe(503)
    expect((await call('adam@acme.test')).status).toBe(401)
  })

  it('hit sign-in pages and the token endpoint too', async () => {
    sandbox.fault({
      system: 'identity',
      mode: 'error',
      match: 'POST /application/o/atrium-portal/token/',
    })
    expect((await fetch(`${sandbox.issuers.portal}token/`, { method: 'POST' })).status).toBe(503)
    expect((await fetch(`${sandbox.issuers.portal}jwks/`)).status).toBe(200)
  })
})

describe('state', () => {
  it('shows records and calls, with every secret masked', async () => {
    await sandbox.token('owner@acme.test', 'portal')
    await version()
    await fetch(`${sandbox.identityUrl}/if/flow/default-recovery-flow/?flow_token=secret-token`)
    const { status, body } = await control('GET', '/state')
    expect(status).toBe(200)
    expect(body.identity.records.users).toHaveLength(
      demoPeople.length + ['akadmin', 'atrium'].length,
    )
    expect(body.identity.calls.at(-2)).toMatchObject({
      method: 'GET',
      path: '/api/v3/admin/version/',
      status: 200,
      ms: expect.any(Number),
    })
    const text = JSON.stringify(body)
    expect(text).not.toContain(demoServiceCredentials.identityToken)
    expect(text).not.toContain(demoClients.portal.clientSecret)
    expect(text).not.toContain('secret-token')
    expect(text).not.toContain('privateJwk')
  })

  it('keeps the last 500 calls', async () => {
    for (let batch = 0; batch < 26; batch += 1)
      await Promise.all(Array.from({ length: 20 }, () => version()))
    await expect.poll(() => sandbox.state().identity.calls.length).toBe(500)
  })
})

describe('reset', () => {
  it('puts records, faults and calls back, and keeps the signing key', async () => {
    const api = authentikApi(sandbox)
    const keys = async () => (await fetch(`${sandbox.issuers.portal}jwks/`)).text()
    const before = await keys()
    await api.post('core/groups/', { name: 'gone' })
    sandbox.fault({ system: 'identity', mode: 'error', match: 'nothing' })
    expect((await control('POST', '/reset')).status).toBe(200)
    expect((await api.get('core/groups/?name=gone')).results).toEqual([])
    expect((await control('GET', '/faults')).body.faults).toEqual([])
    expect(await keys()).toBe(before)
  })
})

describe('devices', () => {
  it('are enrolled for a person', async () => {
    const device = { email: 'member@acme.test', kind: 'totp', confirmed: false }
    expect((await control('POST', '/identity/devices', device)).status).toBe(201)
    expect((await control('POST', '/identity/devices', { ...device, kind: 'fax' })).status).toBe(
      400,
    )
    expect(
      (await control('POST', '/identity/devices', { ...device, email: 'nobody@acme.test' })).status,
    ).toBe(404)
    const api = authentikApi(sandbox)
    const user = await api.pk('core/users/?username=member@acme.test')
    expect((await api.get(`authenticators/admin/all/?user=${user}`)).results).toEqual([
      expect.objectContaining({ confirmed: false }),
    ])
  })
})

describe('the page for people', () => {
  const post = (path: string, fields: Record<string, string>) =>
    fetch(`${sandbox.controlUrl}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })
  const text = async () => (await fetch(`${sandbox.controlUrl}/`)).text()

  it('names every system and its address, works without scripts and takes nothing from elsewhere', async () => {
    const response = await fetch(`${sandbox.controlUrl}/`)
    const page = await response.text()
    expect(page).toContain(sandbox.identityUrl)
    for (const person of demoPeople) expect(page).toContain(person.email)
    expect(page).not.toMatch(/<script|<link|src=/)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page).toContain('color-scheme:light dark')
  })

  it('switches a fault on and off', async () => {
    expect(
      (await post('/faults/form', { system: 'identity', mode: 'latency', delayMs: '2000' })).status,
    ).toBe(303)
    const [fault] = (await control('GET', '/faults')).body.faults
    expect(fault).toMatchObject({ mode: 'latency', delayMs: 2000 })
    expect(await text()).toContain(`name="remove" value="${fault.id}" aria-pressed="true"`)
    expect((await post('/faults/form', { remove: fault.id })).status).toBe(303)
    expect((await control('GET', '/faults')).body.faults).toEqual([])
  })

  it('says what is wrong with a fault, escaped', async () => {
    const rejected = await post('/faults/form', { system: '<b>', mode: 'reset', times: 'many' })
    expect(rejected.status).toBe(400)
    const page = await rejected.text()
    expect(page).toContain('role="alert"')
    expect(page).not.toContain('<b>')
  })

  it('shows calls escaped', async () => {
    await fetch(`${sandbox.identityUrl}/%3Cscript%3E?a=<script>`)
    expect(await text()).not.toContain('<script>')
  })

  it('resets', async () => {
    sandbox.fault({ system: 'identity', mode: 'error' })
    expect((await post('/reset/form', {})).status).toBe(303)
    expect((await version()).status).toBe(200)
  })
})
