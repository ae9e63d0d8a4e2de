import { expect, it } from 'vitest'
import { openHouse } from './house.ts'

const streamed = { 'trpc-accept': 'application/jsonl' }
const path = `/trpc/users.me,tenants.list?batch=1&input=${encodeURIComponent(JSON.stringify({ 0: { json: {} }, 1: { json: { limit: 5 } } }))}`

it('tells a refused token by the status of a streamed batch, before the stream begins', async () => {
  await using house = await openHouse({ provisioned: false })
  for (const token of [undefined, 'nonsense']) {
    const refused = await house.request('GET', path, { token, headers: streamed })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/)
  }
  const authorization = `Bearer ${await house.token('owner@acme.test')}`
  const answered = await house.app.fetch(new Request(`http://api.test${path}`, { headers: { ...streamed, authorization } }), {})
  expect(answered.status).toBe(200)
  expect(await answered.text()).toContain('Acme Engineering')
})
