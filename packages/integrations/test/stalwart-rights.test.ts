import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type MailSandbox, openMailSandbox } from './mail-sandbox.ts'

let testServer: MailSandbox
beforeAll(async () => {
  testServer = await openMailSandbox({ grantRule: true })
})
afterEach(() => testServer.sandbox.reset())
afterAll(() => testServer.sandbox.close())

/** A key of the service account with these permissions alone. */
async function limitedKey(permissions: readonly string[]): Promise<string> {
  const { list } = await testServer.call('x:Account/get', { ids: null })
  const accountId = list.find(({ name }) => name === 'platform')?.id
  const enabled = Object.fromEntries(permissions.map((name) => [name, true]))
  const key = { description: 'limited', permissions: { '@type': 'Replace', permissions: enabled } }
  return (
    (await testServer.call('x:ApiKey/set', { accountId, create: { k: key } })).created.k?.secret ??
    ''
  )
}

const count = async (type: string) => (await testServer.call(`x:${type}/query`, {})).ids.length
const verbs = ['Get', 'Query', 'Create', 'Update', 'Destroy']
/** Whatever the check asks for by name, and no right of a mailbox. */
const named = [
  'authenticate',
  ...['Domain', 'Account', 'MailingList'].flatMap((type) =>
    verbs.map((verb) => `sys${type}${verb}`),
  ),
  ...['Get', 'Query', 'Destroy'].map((verb) => `sysDkimSignature${verb}`),
  'emailSend',
  'emailReceive',
]

describe('trying rights', () => {
  it('makes a domain with a mailbox and a list, and leaves nothing', async () => {
    const before = [
      await count('Domain'),
      await count('Account'),
      await count('MailingList'),
      await count('DkimSignature'),
    ]
    await testServer.client().tryRights()
    const after = [
      await count('Domain'),
      await count('Account'),
      await count('MailingList'),
      await count('DkimSignature'),
    ]
    expect(after).toEqual(before)
    expect(testServer.calls()).toEqual(
      expect.arrayContaining(['x:Domain/set', 'x:Account/set', 'x:MailingList/set']),
    )
  })

  it('names the rights that a key of management alone cannot give to a mailbox', async () => {
    const mail = testServer.client(await limitedKey(named))
    await mail.check()
    const before = await count('Domain')
    await expect(mail.tryRights()).rejects.toMatchObject({
      kind: 'unauthorized',
      message: expect.stringMatching(
        /cannot give a mailbox the permissions \w+, .* and \d+ more; it has to inherit those of an account/,
      ),
    })
    expect(await count('Domain')).toBe(before)
  })

  it('goes on with what a process that was killed has left, and removes it', async () => {
    const before = await count('Domain')
    const domain = {
      name: 'atrium-check.test',
      description: 'Atrium tries its rights',
      dkimManagement: { '@type': 'Manual' },
    }
    const { created } = await testServer.call('x:Domain/set', { create: { d: domain } })
    await testServer.call('x:Account/set', {
      create: { a: { '@type': 'User', name: 'left', domainId: created.d?.id } },
    })
    await testServer.client().tryRights()
    expect(await count('Domain')).toBe(before)
  })

  it('leaves a domain of this name alone that is not ours', async () => {
    await testServer.call('x:Domain/set', {
      create: { d: { name: 'atrium-check.test', description: 'of somebody' } },
    })
    const before = await count('Domain')
    await expect(testServer.client().tryRights()).rejects.toMatchObject({ kind: 'conflict' })
    expect(await count('Domain')).toBe(before)
  })
})
