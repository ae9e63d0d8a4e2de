import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { describe, expect, it } from 'vitest'
import { createSpace, createUser, openFiles, projects, serviceBasic } from './files-server.ts'
import { basic } from './mail-server.ts'

describe('access', () => {
  it.each([
    undefined,
    'Bearer something',
    basic('atrium', 'wrong'),
    basic('nobody', demoServiceCredentials.filesAppToken),
    'Basic !',
  ])('answers 401 with an empty body and a challenge to %s', async (authorization) => {
    await using server = await openFiles()
    const response = await server.graphAs(authorization, 'GET', '/v1.0/me')
    expect(response.status).toBe(401)
    expect(response.text).toBe('')
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="127\.0\.0\.1:\d+"/)
    expect(response.headers.get('x-request-id')).toBeTruthy()
  })

  it('stops taking an app token when it has expired', async () => {
    await using server = await openFiles()
    expect((await server.graph('GET', '/v1.0/me')).status).toBe(200)
    server.advance(11 * 365 * 86_400_000)
    expect((await server.graph('GET', '/v1.0/me')).status).toBe(401)
  })

  it('takes passwords only where the workplace allows it, and not of a disabled user', async () => {
    await using closed = await openFiles()
    await using server = await openFiles({ passwords: true })
    for (const one of [closed, server])
      await createUser(one, { passwordProfile: { password: 'Secret-77' } })
    expect(
      (await closed.graphAs(basic('anna@acme.test', 'Secret-77'), 'GET', '/v1.0/me')).status,
    ).toBe(401)
    expect((await server.graphAs(basic('anna@acme.test', 'wrong'), 'GET', '/v1.0/me')).status).toBe(
      401,
    )
    expect(
      (await server.graphAs(basic('anna@acme.test', 'Secret-77'), 'GET', '/v1.0/me')).body,
    ).toMatchObject({ displayName: 'Anna Berg' })
    await server.graph('PATCH', '/v1.0/users/anna@acme.test', { accountEnabled: false })
    expect(
      (await server.graphAs(basic('anna@acme.test', 'Secret-77'), 'GET', '/v1.0/me')).status,
    ).toBe(401)
  })

  it('returns plain text for unknown paths', async () => {
    await using server = await openFiles()
    const response = await server.graph('GET', '/v1.0/nothing')
    expect([response.status, response.text]).toEqual([404, '404 page not found\n'])
    expect(response.headers.get('content-type')).toContain('text/plain')
  })

  it('wraps rejections in the error envelope', async () => {
    await using server = await openFiles()
    const response = await server.graph('GET', '/v1.0/drives/nothing', undefined, {
      'x-request-id': 'r-1',
    })
    expect(response.status).toBe(404)
    expect(response.body).toEqual({
      error: {
        code: 'itemNotFound',
        message: 'no drive returned from storage',
        innererror: { date: '2026-08-20T10:00:00Z', 'request-id': 'r-1' },
      },
    })
  })
})

describe('as a sandbox system', () => {
  it('brings its records back, and returns to the seed', async () => {
    await using first = await openFiles()
    const id = await createSpace(first)
    await createUser(first)
    await using second = await openFiles()
    second.files.load(JSON.parse(JSON.stringify(first.files.save())))
    expect((await second.graph('GET', `/v1.0/drives/${id}`)).body.name).toBe('Acme')
    expect((await second.graph('GET', '/v1.0/users/anna@acme.test')).status).toBe(200)
    second.files.reset()
    expect((await second.graph('GET', `/v1.0/drives/${id}`)).status).toBe(404)
  })

  it('shows its records without secrets', async () => {
    await using server = await openFiles()
    await createUser(server, { passwordProfile: { password: 'Secret-77' } })
    const state = JSON.stringify(server.files.state())
    expect(state).toContain('anna@acme.test')
    expect(state).not.toMatch(/passwordHash|"hash"|Secret-77/)
  })

  it('returns an error in its own words', async () => {
    await using server = await openFiles()
    server.faults.add({
      system: 'files',
      mode: 'error',
      status: 503,
      match: 'POST /graph/v1.0/drives',
      times: 1,
    })
    const response = await server.graph('POST', '/v1.0/drives', { name: 'Acme' })
    expect(response.status).toBe(503)
    expect(response.body.error.innererror.date).toBe('2026-08-20T10:00:00Z')
    expect((await server.graph('POST', '/v1.0/drives', { name: 'Acme' })).status).toBe(201)
    expect(server.calls.list()).toHaveLength(2)
  })

  it('has carried a call out when the fault hits its answer', async () => {
    await using server = await openFiles()
    server.faults.add({ system: 'files', mode: 'reset', times: 1, after: true })
    await expect(
      server.graphAs(serviceBasic, 'POST', '/v1.0/drives', { name: 'Acme' }),
    ).rejects.toThrow()
    expect((await server.graph('GET', projects)).body.value).toHaveLength(1)
  })
})
