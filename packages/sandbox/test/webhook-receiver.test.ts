import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../src/start.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.reset())
afterAll(() => sandbox.close())

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const secret = newSecret()
const body = '{"type":"member.created"}'
const at = (path: string) => `${sandbox.controlUrl}/webhooks${path}`

function deliver(signedBy = secret, init: RequestInit = {}) {
  const now = new Date()
  return fetch(at('/receive'), {
    method: 'POST',
    body,
    headers: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(signedBy).sign('msg_1', now, body),
    },
    ...init,
  })
}

const set = (settings: object) =>
  fetch(at('/settings'), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  })

async function deliveries() {
  const found = (await (await fetch(at('/deliveries'))).json()) as {
    deliveries: { body: string; status: number | null; signature: string }[]
  }
  return found.deliveries
}

describe('the receiver of webhooks', () => {
  it('keeps what arrived, and says whether it was signed with a secret that it knows', async () => {
    expect((await deliver()).status).toBe(204)
    expect(await deliveries()).toMatchObject([{ body, status: 204, signature: 'unchecked' }])
    await set({ secret: newSecret() })
    expect(await deliveries()).toMatchObject([{ signature: 'wrong' }])
    await set({ secret })
    expect(await deliveries()).toMatchObject([{ signature: 'right' }])
    await deliver(secret, { body: `${body} `, headers: {} })
    expect((await deliveries()).map(({ signature }) => signature)).toEqual(['wrong', 'right'])
  })

  it.each([
    ['fail', 500],
    ['gone', 410],
    ['accept', 204],
  ])('responds as it was told: %s', async (mode, status) => {
    await set({ mode })
    expect((await deliver()).status).toBe(status)
    expect(await deliveries()).toMatchObject([{ status }])
  })

  it('does not respond while it hangs', async () => {
    await set({ mode: 'hang' })
    await expect(deliver(secret, { signal: AbortSignal.timeout(300) })).rejects.toThrow()
    expect(await deliveries()).toMatchObject([{ status: null }])
  })

  it('keeps the newest hundred, and the beginning of each', async () => {
    for (let count = 0; count < 103; count++) await deliver()
    expect(await deliveries()).toHaveLength(100)
    expect((await deliver(secret, { body: 'x'.repeat(3_000_000) })).status).toBe(204)
    expect((await deliveries())[0]?.body).toHaveLength(65_536)
  })

  it.each(['whsec_', 'secret', 'whsec_not base64 not base64 not base64 not', ''])(
    'rejects what is no secret: %s',
    async (wrong) => {
      expect((await set({ secret: wrong })).status).toBe(400)
    },
  )

  it('rejects a form of another site, and shows what was sent as text', async () => {
    const form = (site: string, fields: Record<string, string>) =>
      fetch(at('/form'), {
        method: 'POST',
        redirect: 'manual',
        headers: { 'sec-fetch-site': site },
        body: new URLSearchParams(fields),
      })
    expect((await form('cross-site', { mode: 'fail' })).status).toBe(403)
    expect((await deliver(secret, { body: '<script>alert(1)</script>' })).status).toBe(204)
    expect(await (await fetch(at(''))).text()).toContain('&lt;script&gt;')
    expect((await form('same-origin', { secret: 'none' })).status).toBe(400)
    expect((await form('same-origin', { clear: 'all' })).status).toBe(303)
    expect(await deliveries()).toEqual([])
  })
})
