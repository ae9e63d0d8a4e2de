import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { MailServer } from '../src/mail/port.ts'
import { type MailTestServer, startMailTestServer } from './mail-server.ts'

const password = 'Qm7-vTz4-Lk9s-Xp'
const address = 'anna@acme.test'

let testServer: MailTestServer
let mail: MailServer
let accountId: string

beforeAll(async () => {
  testServer = await startMailTestServer()
})
afterAll(() => testServer.close(), 60_000)
beforeEach(async () => {
  await testServer.reset()
  mail = testServer.client()
  const { id: domainId } = await mail.ensureDomain({
    name: 'acme.test',
    description: 'tenant acme',
  })
  accountId = (
    await mail.createAccount({ localPart: 'anna', domainId, displayName: 'Anna', password })
  ).id
}, 60_000)

/** A key of the service account that may do everything but the permissions named. */
async function keyWithout(...names: string[]): Promise<MailServer> {
  const { ids } = await testServer.call('x:Account/query', { filter: { name: 'platform' } })
  const permissions = {
    '@type': 'Disable',
    permissions: Object.fromEntries(names.map((name) => [name, true])),
  }
  const { created } = await testServer.call('x:ApiKey/set', {
    accountId: ids[0],
    create: { k: { description: 'narrow', permissions } },
  })
  return testServer.client(created.k?.secret)
}

describe('app passwords', () => {
  it('open the mailbox until they are removed, and its password stays', async () => {
    const made = await mail.createAppPassword({ accountId, description: 'Scheduling' })
    expect(await testServer.signIn(address, made.secret)).toBe(200)
    expect(await mail.listAppPasswords({ accountId })).toEqual([
      { id: made.id, description: 'Scheduling', createdAt: expect.stringMatching(/^20.*Z$/) },
    ])
    for (let round = 0; round < 2; round += 1)
      await mail.removeAppPassword({ accountId, id: made.id })
    expect(await testServer.signIn(address, made.secret)).toBe(401)
    expect(await testServer.signIn(address, password)).toBe(200)
  })

  it('are rejected as a conflict once the mailbox has five', async () => {
    for (let count = 0; count < 5; count += 1)
      await mail.createAppPassword({ accountId, description: `Device ${count}` })
    await expect(
      mail.createAppPassword({ accountId, description: 'Scheduling' }),
    ).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('as many app passwords as it may have'),
    })
  })

  it('need a mailbox that is there', async () => {
    for (const id of ['zz', '#x']) {
      await expect(
        mail.createAppPassword({ accountId: id, description: 'Scheduling' }),
      ).rejects.toMatchObject({ kind: 'not_found' })
      await mail.removeAppPassword({ accountId: id, id: 'b' })
    }
  })

  it.each([['impersonate'], ['sysAppPasswordCreate']])(
    'name the rights that a key without %s lacks',
    async (right) => {
      const narrow = await keyWithout(right)
      await expect(
        narrow.createAppPassword({ accountId, description: 'Scheduling' }),
      ).rejects.toMatchObject({
        kind: 'unauthorized',
        message: expect.stringContaining('the key needs impersonate and sysAppPasswordCreate'),
      })
      await expect(narrow.check()).resolves.toMatchObject({ permissions: expect.any(Array) })
    },
  )

  it('never remove the password of the mailbox', async () => {
    await expect(mail.removeAppPassword({ accountId, id: 'a' })).rejects.toMatchObject({
      kind: 'unauthorized',
    })
    expect(await testServer.signIn(address, password)).toBe(200)
  })
})
