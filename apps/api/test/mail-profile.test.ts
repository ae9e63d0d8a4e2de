import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, expect, it } from 'vitest'

let testApp: TestApp

beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const path = '/tenants/acme/mail-profile'
const ask = async (email: string) =>
  testApp.request('GET', path, { token: await testApp.token(email) })
const setMailbox = async (
  email: string,
  fields: { mailbox_address?: string | null; status?: 'active' | 'suspended' },
) => {
  await testApp.database.db
    .updateTable('memberships')
    .set(fields)
    .where('user_id', 'in', (query) =>
      query.selectFrom('users').select('id').where('email', '=', email),
    )
    .execute()
}

it("is the caller's own mailbox under the name of the branded product", async () => {
  await setMailbox('member@acme.test', { mailbox_address: 'mira@acme.tenants.local' })
  await setMailbox('admin@acme.test', { mailbox_address: 'adam@acme.tenants.local' })
  const mira = { address: 'mira@acme.tenants.local', name: 'Mira Member' }
  expect(await ask('member@acme.test')).toMatchObject({
    status: 200,
    body: { ...mira, organisation: 'Acme Engineering' },
  })
  await testApp.request('PUT', '/tenants/acme/branding', {
    token: await testApp.token('owner@acme.test'),
    body: { productName: 'Acme Office' },
  })
  expect((await ask('member@acme.test')).body).toEqual({ ...mira, organisation: 'Acme Office' })
  expect((await ask('admin@acme.test')).body.address).toBe('adam@acme.tenants.local')
  const trpc = testApp.trpc(await testApp.token('member@acme.test'))
  expect(await trpc.mailProfile.get.query({ slug: 'acme' })).toEqual({
    ...mira,
    organisation: 'Acme Office',
  })
})

it('is unavailable without a mailbox, and says so', async () => {
  await setMailbox('member@acme.test', { mailbox_address: null })
  const response = await ask('member@acme.test')
  expect(response).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(response.body.detail).toBe(
    'You have no mailbox in this tenant, so there is nothing to set up on a device.',
  )
  expect(await ask('operator@atrium.test')).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  })
})

it('ends with the membership', async () => {
  await setMailbox('member@acme.test', {
    mailbox_address: 'mira@acme.tenants.local',
    status: 'suspended',
  })
  expect(await ask('member@acme.test')).toMatchObject({ status: 403, body: { code: 'not_member' } })
  await setMailbox('member@acme.test', { status: 'active' })
})
