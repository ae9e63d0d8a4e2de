import { startTestApp } from '@atrium/testing/test-app'
import { expect, it } from 'vitest'

const streamed = { 'trpc-accept': 'application/jsonl' }
const path = `/trpc/users.me,tenants.list?batch=1&input=${encodeURIComponent(JSON.stringify({ 0: { json: {} }, 1: { json: { limit: 5 } } }))}`

it('tells a rejected token by the status of a streamed batch, before the stream begins', async () => {
  await using testApp = await startTestApp({ provisioned: false })
  for (const token of [undefined, 'nonsense']) {
    const rejected = await testApp.request('GET', path, { token, headers: streamed })
    expect(rejected.status).toBe(401)
    expect(rejected.headers.get('www-authenticate')).toMatch(/^Bearer/)
  }
  const authorization = `Bearer ${await testApp.token('owner@acme.test')}`
  const answered = await testApp.app.fetch(
    new Request(`http://api.test${path}`, { headers: { ...streamed, authorization } }),
    {},
  )
  expect(answered.status).toBe(200)
  expect(await answered.text()).toContain('Acme Engineering')
})
