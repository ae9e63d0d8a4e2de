import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drainWebhooks } from '../src/webhooks/process.ts'
import { openHouse, type TestHouse } from './house.ts'
import { eventBody, post, signature, webhookSecret } from './webhooks-house.ts'

const now = new Date('2026-03-10T12:00:00Z')
const seconds = now.getTime() / 1000

let house: TestHouse
beforeAll(async () => {
  const clock = { now: () => now }
  house = await openHouse({ provisioned: false, clock, env: { STRIPE_WEBHOOK_SECRET: `${webhookSecret},whsec_of_before` } })
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())

const stored = (id: string) =>
  house.database.db.selectFrom('webhook_inbox').select(['state', 'type', 'object_id', 'payload']).where('id', '=', id).executeTakeFirst()
const countStored = async () => {
  const { count } = await house.database.db
    .selectFrom('webhook_inbox')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

describe('an event of the payment processor', () => {
  it('is kept with its payload and answered at once', async () => {
    const { id, body } = eventBody({ type: 'price.updated', object: { id: 'price_1', object: 'price' } })
    expect(await post(house, body, signature(body, seconds))).toEqual({ status: 200, body: { received: true } })
    expect(await stored(id)).toEqual({ state: 'received', type: 'price.updated', object_id: 'price_1', payload: JSON.parse(body) })
  })

  it('is kept once, however often and at however many doors it comes', async () => {
    const { id, body } = eventBody()
    const before = await countStored()
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(house, body, signature(body, seconds))))
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
    expect(await countStored()).toBe(before + 1)
    await house.database.db.updateTable('webhook_inbox').set({ state: 'applied' }).where('id', '=', id).execute()
    expect((await post(house, body, signature(body, seconds))).status).toBe(200)
    expect((await stored(id))?.state).toBe('applied')
  })

  it.each([
    ['a NUL', { object: { id: 'price_1', object: 'price', nickname: 'a\0b' } }],
    ['half a character', { object: { id: 'price_1', object: 'price', nickname: '\ud800' } }],
    ['a time far from now', { created: 1e15 }],
  ])('with %s is refused, though it is signed, and nothing is kept', async (_, fields) => {
    const { id, body } = eventBody(fields)
    expect(await post(house, body, signature(body, seconds))).toMatchObject({ status: 400, body: { code: 'invalid_signature' } })
    expect(await stored(id)).toBeUndefined()
  })

  it.each(['constructor', '__proto__', 'toString'])('of the type %s has no effect', async (type) => {
    const { id, body } = eventBody({ type })
    expect((await post(house, body, signature(body, seconds))).status).toBe(200)
    await drainWebhooks(house.app.house)
    expect(await stored(id)).toMatchObject({ state: 'skipped', type })
  })

  it.each([299, 300, -299, -300])('is taken %d seconds after it was signed', async (age) => {
    const { id, body } = eventBody()
    expect((await post(house, body, signature(body, seconds - age))).status).toBe(200)
    expect(await stored(id)).toBeDefined()
  })

  it('is taken with the secret of before while it is being changed, and with one good signature among others', async () => {
    const { id, body } = eventBody()
    expect((await post(house, body, signature(body, seconds, 'whsec_of_before'))).status).toBe(200)
    const [second] = [eventBody()]
    const good = signature(second.body, seconds).split('v1=')[1]
    expect((await post(house, second.body, `t=${seconds},v1=${'0'.repeat(64)},v1=${good}`)).status).toBe(200)
    expect(await stored(id)).toBeDefined()
    expect(await stored(second.id)).toBeDefined()
  })

  it('of the other mode is kept and not acted on', async () => {
    const { id, body } = eventBody({ livemode: true })
    expect((await post(house, body, signature(body, seconds))).status).toBe(200)
    expect((await stored(id))?.state).toBe('ignored_mode')
  })

  it('needs neither token nor flag', async () => {
    const { id, body } = eventBody()
    await house.database.db.updateTable('flags').set({ state: 'off' }).where('key', '=', 'new_billing_engine').execute()
    house.app.house.flags.forget()
    expect((await post(house, body, signature(body, seconds))).status).toBe(200)
    expect(await stored(id)).toBeDefined()
  })
})

describe('what is no event of ours', () => {
  const refusedWith = async (body: string, header: string | undefined) => {
    const before = await countStored()
    const answer = await post(house, body, header)
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_signature', status: 400 } })
    expect(JSON.stringify(answer.body)).not.toContain('prod_1')
    expect(await countStored()).toBe(before)
    return String(answer.body.detail)
  }

  it('is refused without a signature, with an empty and with a misshapen one', async () => {
    const { body } = eventBody()
    for (const header of [undefined, '', ' ', 'v1=abc', 't=now,v1=abc', `t=${seconds}`, `t=${seconds},v0=abc`])
      await refusedWith(body, header)
  })
  it('is refused when it was forged, with another secret or with another body', async () => {
    const { body } = eventBody()
    await refusedWith(body, signature(body, seconds, 'whsec_of_somebody'))
    await refusedWith(body.replace('product.updated', 'invoice.paid'), signature(body, seconds))
    await refusedWith(`${body} `, signature(body, seconds))
    await refusedWith(body, `t=${seconds + 1},${signature(body, seconds).split(',')[1]}`)
  })
  it('is refused when it is older than five minutes, or from more than five minutes ahead', async () => {
    const { body } = eventBody()
    expect(await refusedWith(body, signature(body, seconds - 301))).toContain('older')
    expect(await refusedWith(body, signature(body, seconds + 301))).toContain('future')
  })
  it('is refused when the event names an object without showing it', async () => {
    const body = JSON.stringify({
      id: 'evt_thin',
      object: 'v2.core.event',
      type: 'v1.billing.meter.error',
      created: '2026-03-10T12:00:00Z',
    })
    expect(await refusedWith(body, signature(body, seconds))).toContain('snapshot')
  })
  it.each(['', 'no json', '[]', 'null', '{}', '{"id":"evt_1","object":"event"}', '{"object":"charge","id":"ch_1"}'])(
    'is refused when the body is %j',
    async (body) => {
      await refusedWith(body, signature(body, seconds))
    },
  )
  it('is refused when it is larger than 1 MiB, before it is read', async () => {
    const { body } = eventBody({ object: { id: 'prod_1', text: 'x'.repeat(1024 * 1024) } })
    expect(await post(house, body, signature(body, seconds))).toMatchObject({ status: 413, body: { code: 'too_large' } })
  })
  it('leaves no word of its body in the log', async () => {
    const word = randomBytes(12).toString('hex')
    const { body } = eventBody({ object: { id: word, object: 'product' } })
    await refusedWith(body, signature(body, seconds, 'whsec_of_somebody'))
    expect((await post(house, body, signature(body, seconds))).status).toBe(200)
    expect(house.logLines.join('\n')).not.toContain(word)
    expect(house.logLines.join('\n')).toContain('an event of the payment processor was refused')
  })
  it('is refused by method: only POST is taken', async () => {
    expect(await house.request('GET', '/webhooks/stripe')).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
  })
})

it('takes nothing while no secret is set, and says so', async () => {
  await using closed = await openHouse({ provisioned: false, env: { STRIPE_WEBHOOK_SECRET: '' } })
  const { body } = eventBody()
  expect(await post(closed, body, signature(body, seconds))).toMatchObject({ status: 503, body: { code: 'payments_not_configured' } })
})
