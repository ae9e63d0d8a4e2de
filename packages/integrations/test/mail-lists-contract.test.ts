import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { MailServer } from '../src/mail/port.ts'
import { type MailTestServer, startMailTestServer } from './mail-server.ts'

let testServer: MailTestServer
let mail: MailServer
let domainId: string

beforeAll(async () => {
  testServer = await startMailTestServer()
})
afterAll(() => testServer.close(), 60_000)
beforeEach(async () => {
  await testServer.reset()
  mail = testServer.client()
  domainId = (await mail.ensureDomain({ name: 'acme.test', description: 'tenant acme' })).id
}, 60_000)

const create = (localPart = 'team', recipients: string[] = ['anna@acme.test'], on = domainId) =>
  mail.createList({ localPart, domainId: on, name: 'Whole team', recipients })

describe('distribution lists', () => {
  it('are created and read back, recipients in lower case, each once and sorted', async () => {
    const { id } = await create('Team', [
      'Partner@Elsewhere.Example',
      'anna@acme.test',
      'ANNA@acme.test',
      'post@müller.example',
    ])
    expect(await mail.readList(id)).toEqual({
      id,
      address: 'team@acme.test',
      name: 'Whole team',
      recipients: ['anna@acme.test', 'partner@elsewhere.example', 'post@xn--mller-kva.example'],
    })
  })

  it('take addresses that a pointer would need escapes for', async () => {
    const odd = ["o'brien+x@acme.test", 'a/b~c@acme.test', 'ü@acme.test'].sort()
    const { id } = await create('odd', odd)
    expect((await mail.readList(id))?.recipients).toEqual(odd)
    await mail.updateList({ id, recipients: odd.slice(1) })
    expect((await mail.readList(id))?.recipients).toEqual(odd.slice(1))
  })

  it.each([
    'no address',
    'a@b@c',
    '@acme.test',
    'anna@',
    '"a b"@acme.test',
    'a\\b@acme.test',
    'a\n@acme.test',
    'a@b c',
  ])('refuse the recipient %j before anything is sent', async (recipient) => {
    await expect(create('team', ['anna@acme.test', recipient])).rejects.toMatchObject({
      kind: 'refused',
    })
    expect(await mail.listsOn([domainId])).toEqual([])
  })

  it('are rejected an address that is taken, or on a domain that is not there', async () => {
    const { id } = await mail.createAccount({
      localPart: 'anna',
      domainId,
      displayName: 'Anna',
      password: 'Qm7-vTz4-Lk9s-Xp',
    })
    await mail.addAlias({ accountId: id, localPart: 'sales', domainId })
    await create()
    for (const taken of ['anna', 'sales', 'team'])
      await expect(create(taken)).rejects.toMatchObject({ kind: 'conflict' })
    await expect(create('team', [], 'zz')).rejects.toMatchObject({ kind: 'refused' })
  })

  it('change what is given and nothing else', async () => {
    const { id } = await create()
    await mail.updateList({ id, name: 'Everybody' })
    expect(await mail.readList(id)).toMatchObject({
      name: 'Everybody',
      recipients: ['anna@acme.test'],
    })
    await mail.updateList({ id, recipients: ['ben@acme.test', 'partner@elsewhere.example'] })
    expect(await mail.readList(id)).toMatchObject({
      name: 'Everybody',
      recipients: ['ben@acme.test', 'partner@elsewhere.example'],
    })
    await mail.updateList({ id, name: '', recipients: [] })
    expect(await mail.readList(id)).toMatchObject({ name: null, recipients: [] })
    await mail.updateList({ id })
    for (const gone of ['zz', '#l'])
      await expect(mail.updateList({ id: gone, name: 'X' })).rejects.toMatchObject({
        kind: 'not_found',
      })
  })

  it('are listed by domain', async () => {
    const { id: other } = await mail.ensureDomain({
      name: 'other.test',
      description: 'tenant other',
    })
    const team = await create('team')
    const all = await create('all', [])
    await create('team', [], other)
    expect(await mail.listsOn([domainId])).toEqual([
      { id: all.id, address: 'all@acme.test', name: 'Whole team', recipients: [] },
      {
        id: team.id,
        address: 'team@acme.test',
        name: 'Whole team',
        recipients: ['anna@acme.test'],
      },
    ])
    expect(await mail.listsOn([domainId, other])).toHaveLength(3)
    expect(await mail.listsOn([])).toEqual([])
  })

  it('are listed whole when there are more than one answer holds', async () => {
    const create = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [
        `l${n}`,
        { name: `list${n}`, domainId, recipients: {} },
      ]),
    )
    await testServer.call('x:MailingList/set', { create })
    expect(await mail.listsOn([domainId])).toHaveLength(60)
  })

  it('are removed once and stay removed', async () => {
    const { id } = await create()
    await mail.removeList(id)
    await mail.removeList(id)
    await mail.removeList('#l')
    expect(await mail.readList(id)).toBeUndefined()
    await create()
  })
})
