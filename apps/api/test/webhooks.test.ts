import { randomBytes } from 'node:crypto'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { eventBody, post, signature, webhookSecret } from '@atrium/testing/webhooks-test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drainWebhooks } from '../src/billing/webhooks/process.ts'

const now = new Date('2026-03-10T12:00:00Z')
const seconds = now.getTime() / 1000

let testApp: TestApp
beforeAll(async () => {
  const clock = { now: () => now }
  testApp = await startTestApp({
    provisioned: false,
    clock,
    env: { STRIPE_WEBHOOK_SECRET: `${webhookSecret},whsec_of_before` },
  })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const stored = (id: string) =>
  testApp.database.db
    .selectFrom('webhook_inbox')
    .select(['state', 'type', 'object_id', 'payload'])
    .where('id', '=', id)
    .executeTakeFirst()
const countStored = async () => {
  const { count } = await testApp.database.db
    .selectFrom('webhook_inbox')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

describe('an event of the payment processor', () => {
  it('is stored with its payload and acknowledged immediately', async () => {
    const { id, body } = eventBody({
      type: 'price.updated',
      object: { id: 'price_1', object: 'price' },
    })
    expect(await post(testApp, body, signature(body, seconds))).toEqual({
      status: 200,
      body: { received: true },
    })
    expect(await stored(id)).toEqual({
      state: 'received',
      type: 'price.updated',
      object_id: 'price_1',
      payload: JSON.parse(body),
    })
  })

  it('is kept once, however often and at however many doors it comes', async () => {
    const { id, body } = eventBody()
    const before = await countStored()
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => post(testApp, body, signature(body, seconds))),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(12).fill(200))
    expect(await countStored()).toBe(before + 1)
    await testApp.database.db
      .updateTable('webhook_inbox')
      .set({ state: 'applied' })
      .where('id', '=', id)
      .execute()
    expect((await post(testApp, body, signature(body, seconds))).status).toBe(200)
    expect((await stored(id))?.state).toBe('applied')
  })

  it.each([
    ['a NUL', { object: { id: 'price_1', object: 'price', nickname: 'a\0b' } }],
    ['half a character', { object: { id: 'price_1', object: 'price', nickname: '\ud800' } }],
    ['a time far from now', { created: 1e15 }],
  ])('with %s is refused, though it is signed, and nothing is kept', async (_, fields) => {
    const { id, body } = eventBody(fields)
    expect(await post(testApp, body, signature(body, seconds))).toMatchObject({
      status: 400,
      body: { code: 'invalid_signature' },
    })
    expect(await stored(id)).toBeUndefined()
  })

  it.each(['constructor', '__proto__', 'toString'])(
    'of the type %s has no effect',
    async (type) => {
      const { id, body } = eventBody({ type })
      expect((await post(testApp, body, signature(body, seconds))).status).toBe(200)
      await drainWebhooks(testApp.app.services)
      expect(await stored(id)).toMatchObject({ state: 'skipped', type })
    },
  )

  it.each([299, 300, -299, -300])('is taken %d seconds after it was signed', async (age) => {
    const { id, body } = eventBody()
    expect((await post(testApp, body, signature(body, seconds - age))).status).toBe(200)
    expect(await stored(id)).toBeDefined()
  })

  it('is taken with the secret of before while it is being changed, and with one good signature among others', async () => {
    const { id, body } = eventBody()
    expect((await post(testApp, body, signature(body, seconds, 'whsec_of_before'))).status).toBe(
      200,
    )
    const [second] = [eventBody()]
    const good = signature(second.body, seconds).split('v1=')[1]
    expect(
      (await post(testApp, second.body, `t=${seconds},v1=${'0'.repeat(64)},v1=${good}`)).status,
    ).toBe(200)
    expect(await stored(id)).toBeDefined()
    expect(await stored(second.id)).toBeDefined()
  })

  it('of the other mode is kept and not acted on', async () => {
    const { id, body } = eventBody({ livemode: true })
    expect((await post(testApp, body, signature(body, seconds))).status).toBe(200)
    expect((await stored(id))?.state).toBe('ignored_mode')
  })

  it('needs neither token nor flag', async () => {
    const { id, body } = eventBody()
    await testApp.database.db
      .updateTable('flags')
      .set({ state: 'off' })
      .where('key', '=', 'new_billing_engine')
      .execute()
    testApp.app.services.flags.forget()
    expect((await post(testApp, body, signature(body, seconds))).status).toBe(200)
    expect(await stored(id)).toBeDefined()
  })
})

describe('what is no event of ours', () => {
  const refusedWith = async (body: string, header: string | undefined) => {
    const before = await countStored()
    const response = await post(testApp, body, header)
    expect(response).toMatchObject({
      status: 400,
      body: { code: 'invalid_signature', status: 400 },
    })
    expect(JSON.stringify(response.body)).not.toContain('prod_1')
    expect(await countStored()).toBe(before)
    return String(response.body.detail)
  }

  it('is rejected without a signature, with an empty and with a misshapen one', async () => {
    const { body } = eventBody()
    for (const header of [
      undefined,
      '',
      ' ',
      'v1=abc',
      't=now,v1=abc',
      `t=${seconds}`,
      `t=${seconds},v0=abc`,
    ])
      await refusedWith(body, header)
  })
  it('is rejected when it was forged, with another secret or with another body', async () => {
    const { body } = eventBody()
    await refusedWith(body, signature(body, seconds, 'whsec_of_somebody'))
    await refusedWith(body.replace('product.updated', 'invoice.paid'), signature(body, seconds))
    await refusedWith(`${body} `, signature(body, seconds))
    await refusedWith(body, `t=${seconds + 1},${signature(body, seconds).split(',')[1]}`)
  })
  it('is rejected when it is older than five minutes, or from more than five minutes ahead', async () => {
    const { body } = eventBody()
    expect(await refusedWith(body, signature(body, seconds - 301))).toContain('older')
    expect(await refusedWith(body, signature(body, seconds + 301))).toContain('future')
  })
  it('is rejected when the event names an object without showing it', async () => {
    const body = JSON.stringify({
      id: 'evt_thin',
      object: 'v2.core.event',
      type: 'v1.billing.meter.error',
      created: '2026-03-10T12:00:00Z',
    })
    expect(await refusedWith(body, signature(body, seconds))).toContain('snapshot')
  })
  it.each([
    '',
    'no json',
    '[]',
    'null',
    '{}',
    '{"id":"evt_1","object":"event"}',
    '{"object":"charge","id":"ch_1"}',
  ])('is refused when the body is %j', async (body) => {
    await refusedWith(body, signature(body, seconds))
  })
  it('is rejected when it is larger than 1 MiB, before it is read', async () => {
    const { body } = eventBody({ object: { id: 'prod_1', text: 'x'.repeat(1024 * 1024) } })
    expect(await post(testApp, body, signature(body, seconds))).toMatchObject({
      status: 413,
      body: { code: 'too_large' },
    })
  })
  it('leaves no word of its body in the log', async () => {
    const word = randomBytes(12).toString('hex')
    const { body } = eventBody({ object: { id: word, object: 'product' } })
    await refusedWith(body, signature(body, seconds, 'whsec_of_somebody'))
    expect((await post(testApp, body, signature(body, seconds))).status).toBe(200)
    expect(testApp.logLines.join('\n')).not.toContain(word)
    expect(testApp.logLines.join('\n')).toContain('payment webhook event rejected')
  })
  it('is rejected by method: only POST is taken', async () => {
    expect(await testApp.request('GET', '/webhooks/stripe')).toMatchObject({
      status: 405,
      body: { code: 'method_not_allowed' },
    })
  })
})

it('takes nothing while no secret is set, and says so', async () => {
  await using closed = await startTestApp({
    provisioned: false,
    env: { STRIPE_WEBHOOK_SECRET: '' },
  })
  const { body } = eventBody()
  expect(await post(closed, body, signature(body, seconds))).toMatchObject({
    status: 503,
    body: { code: 'payments_not_configured' },
  })
})
