import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { MailServer } from '../src/mail/port.ts'
import { type MailTestServer, onStandIn, startMailTestServer } from './mail-server.ts'

const password = 'Qm7-vTz4-Lk9s-Xp'
const nextPassword = 'Hw3-pRk8-Zn5t-Bd'
const frozenPermissions = {
  '@type': 'Merge',
  enabledPermissions: {},
  disabledPermissions: { authenticate: true },
}

let testServer: MailTestServer
let mail: MailServer
let domainId: string
let otherDomainId: string

beforeAll(async () => {
  testServer = await startMailTestServer()
})
afterAll(() => testServer.close(), 60_000)
beforeEach(async () => {
  await testServer.reset()
  mail = testServer.client()
  domainId = (await mail.ensureDomain({ name: 'acme.test', description: 'tenant acme' })).id
  otherDomainId = (await mail.ensureDomain({ name: 'acme-two.test', description: 'tenant acme' }))
    .id
}, 60_000)

const create = (localPart = 'anna', more: { displayName?: string; quotaBytes?: number } = {}) =>
  mail.createAccount({ localPart, domainId, displayName: 'Anna Berg', password, ...more })
const alias = (accountId: string, localPart: string, on = domainId) => ({
  accountId,
  localPart,
  domainId: on,
})
/** An account as the server has it. */
async function stored(id: string) {
  const [account] = (await testServer.call('x:Account/get', { ids: [id] })).list
  if (!account) throw new Error(`there is no account ${id}`)
  return account
}
const aliasNames = async (id: string) =>
  Object.values((await stored(id)).aliases as Record<string, { name: string }>).map(
    ({ name }) => name,
  )

describe('mailboxes', () => {
  onStandIn('are created with password, name and quota, and read back', async () => {
    const { id } = await create('Anna', { quotaBytes: 5_368_709_120 })
    testServer.sandbox.mail.setUsedDiskQuota('anna@acme.test', 20_480)
    expect(await mail.readAccount(id)).toEqual({
      id,
      address: 'anna@acme.test',
      displayName: 'Anna Berg',
      aliases: [],
      permissions: { '@type': 'Inherit' },
      frozen: false,
      usedBytes: 20_480,
      quotaBytes: 5_368_709_120,
    })
    expect(await testServer.signIn('anna@acme.test', password)).toBe(200)
    expect(await mail.readAccount((await create('ben', { displayName: '' })).id)).toMatchObject({
      displayName: null,
      quotaBytes: null,
    })
  })

  it.each(['account', 'alias', 'list'])('are refused an address that an %s has', async (holder) => {
    if (holder === 'account') await create('taken')
    if (holder === 'alias') await mail.addAlias(alias((await create()).id, 'taken', domainId))
    if (holder === 'list')
      await mail.createList({ localPart: 'taken', domainId, name: 'List', recipients: [] })
    await expect(create('TAKEN')).rejects.toMatchObject({ kind: 'conflict' })
  })

  it('are rejected with the reason in our words', async () => {
    const failing = mail.createAccount({
      localPart: 'anna',
      domainId,
      displayName: 'Anna',
      password: 'password',
    })
    await expect(failing).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('the password does not meet its rules'),
    })
    await expect(create('anna..berg')).rejects.toMatchObject({ kind: 'refused' })
    const nowhere = mail.createAccount({
      localPart: 'anna',
      domainId: 'zz',
      displayName: 'Anna',
      password,
    })
    await expect(nowhere).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('the domain is not there'),
    })
  })

  it('are rejected to a key that may not give away what a mailbox has', async () => {
    const { id: ownId } = (
      await testServer.call('x:Account/query', { filter: { name: 'platform' } })
    ).ids.map((id) => ({ id }))[0] ?? {
      id: '',
    }
    const names = [
      'authenticate',
      'sysAccountCreate',
      'sysAccountGet',
      'sysAccountQuery',
      'sysDomainGet',
    ]
    const permissions = {
      '@type': 'Replace',
      permissions: Object.fromEntries(names.map((name) => [name, true])),
    }
    const { created } = await testServer.call('x:ApiKey/set', {
      accountId: ownId,
      create: { k: { description: 'narrow', permissions } },
    })
    const narrow = testServer.client(created.k?.secret)
    await expect(
      narrow.createAccount({ localPart: 'anna', domainId, displayName: 'Anna', password }),
    ).rejects.toMatchObject({
      kind: 'unauthorized',
    })
    await expect(narrow.check()).rejects.toMatchObject({
      kind: 'unauthorized',
      message: expect.stringContaining('emailSend, emailReceive'),
    })
  })

  it('are found by every address, and nothing else is', async () => {
    const { id } = await create()
    await mail.addAlias(alias(id, 'sales', otherDomainId))
    expect(await mail.findAccount('ANNA@acme.test')).toEqual({ id })
    expect(await mail.findAccount('sales@acme-two.test')).toEqual({ id })
    for (const absent of [
      'sales@acme.test',
      'anna@acme-two.test',
      'anna@nowhere.test',
      'anna',
      '',
    ]) {
      expect(await mail.findAccount(absent)).toBeUndefined()
    }
    await testServer.call('x:Account/set', {
      create: { g: { '@type': 'Group', name: 'board', domainId } },
    })
    await mail.createList({ localPart: 'team', domainId, name: 'Team', recipients: [] })
    expect(await mail.findAccount('board@acme.test')).toBeUndefined()
    expect(await mail.findAccount('team@acme.test')).toBeUndefined()
  })

  onStandIn('can be found after a creation of unknown outcome', async () => {
    testServer.sandbox.fault({
      system: 'mail',
      match: 'x:Account/set',
      mode: 'reset',
      after: true,
      times: 1,
    })
    await expect(create()).rejects.toMatchObject({ kind: 'connection' })
    const found = await mail.findAccount('anna@acme.test')
    expect((await mail.readAccount(found?.id ?? ''))?.displayName).toBe('Anna Berg')
  })

  it('are not read when they are gone, and not when they are groups', async () => {
    const { created } = await testServer.call('x:Account/set', {
      create: { g: { '@type': 'Group', name: 'board', domainId } },
    })
    for (const id of ['zz', '#g', '', created.g?.id ?? ''])
      expect(await mail.readAccount(id)).toBeUndefined()
  })

  it('change their display name', async () => {
    const { id } = await create()
    await mail.setDisplayName({ id, displayName: 'Anna Berg-Holm' })
    expect((await mail.readAccount(id))?.displayName).toBe('Anna Berg-Holm')
    await expect(mail.setDisplayName({ id: 'zz', displayName: 'Nobody' })).rejects.toMatchObject({
      kind: 'not_found',
    })
  })

  it('are removed once and stay removed, and their addresses are free', async () => {
    const { id } = await create()
    await mail.addAlias(alias(id, 'sales'))
    await mail.removeAccount(id)
    await mail.removeAccount(id)
    await mail.removeAccount('#m')
    expect(await mail.readAccount(id)).toBeUndefined()
    await create('sales')
  })
})

describe('passwords', () => {
  it('change in their place, and everything beside them stays', async () => {
    const { id } = await create()
    const { created } = await testServer.call('x:AppPassword/set', {
      accountId: id,
      create: { p: { description: 'phone' } },
    })
    const appPassword = created.p?.secret ?? ''
    await mail.setAccountPassword({ id, password: nextPassword })
    await mail.setAccountPassword({ id, password: nextPassword })
    expect(await testServer.signIn('anna@acme.test', password)).toBe(401)
    expect(await testServer.signIn('anna@acme.test', nextPassword)).toBe(200)
    expect(await testServer.signIn('anna@acme.test', appPassword)).toBe(200)
  })

  it('are found behind other credentials, and given to a mailbox that has none', async () => {
    const { created } = await testServer.call('x:Account/set', {
      create: { m: { '@type': 'User', name: 'anna', domainId } },
    })
    const id = created.m?.id ?? ''
    await testServer.call('x:AppPassword/set', {
      accountId: id,
      create: { p: { description: 'phone' } },
    })
    await mail.setAccountPassword({ id, password })
    expect(await testServer.signIn('anna@acme.test', password)).toBe(200)
    await mail.setAccountPassword({ id, password: nextPassword })
    expect(await testServer.signIn('anna@acme.test', nextPassword)).toBe(200)
    expect(Object.values((await stored(id)).credentials as object)).toHaveLength(2)
  })

  it('are rejected when they are weak or there is no account', async () => {
    const { id } = await create()
    await expect(mail.setAccountPassword({ id, password: 'short' })).rejects.toMatchObject({
      kind: 'refused',
    })
    await expect(mail.setAccountPassword({ id: 'zz', password })).rejects.toMatchObject({
      kind: 'not_found',
    })
    expect(await testServer.signIn('anna@acme.test', password)).toBe(200)
  })
})

describe('freezing', () => {
  it('rejects the password while it lasts and takes the old one again afterwards', async () => {
    const { id } = await create()
    expect(await mail.freezeAccount(id)).toEqual({ before: { '@type': 'Inherit' } })
    expect(await testServer.signIn('anna@acme.test', password)).toBe(403)
    expect((await stored(id)).permissions).toEqual(frozenPermissions)
    expect(await mail.readAccount(id)).toMatchObject({
      frozen: true,
      permissions: frozenPermissions,
    })
    await mail.thawAccount({ id, permissions: { '@type': 'Inherit' } })
    expect(await testServer.signIn('anna@acme.test', password)).toBe(200)
    expect(await mail.readAccount(id)).toMatchObject({
      frozen: false,
      permissions: { '@type': 'Inherit' },
    })
  })

  it('closes app passwords too', async () => {
    const { id } = await create()
    const { created } = await testServer.call('x:AppPassword/set', {
      accountId: id,
      create: { p: { description: 'phone' } },
    })
    await mail.freezeAccount(id)
    expect(await testServer.signIn('anna@acme.test', created.p?.secret ?? '')).toBe(403)
    await mail.thawAccount({ id })
    expect(await testServer.signIn('anna@acme.test', created.p?.secret ?? '')).toBe(200)
  })

  it.each([
    [
      'merged',
      { '@type': 'Merge', enabledPermissions: {}, disabledPermissions: { pop3Authenticate: true } },
    ],
    [
      'replaced',
      {
        '@type': 'Replace',
        enabledPermissions: { authenticate: true, emailReceive: true },
        disabledPermissions: {},
      },
    ],
  ])('keeps %s permissions apart and gives them back', async (_, custom) => {
    const { id } = await create()
    await testServer.call('x:Account/set', { update: { [id]: { permissions: custom } } })
    const frozen = await mail.freezeAccount(id)
    expect(frozen).toEqual({ before: custom })
    expect(await testServer.signIn('anna@acme.test', password)).toBe(403)
    expect((await stored(id)).permissions).toEqual({
      ...custom,
      disabledPermissions: { ...custom.disabledPermissions, authenticate: true },
    })
    await mail.thawAccount({ id, permissions: JSON.parse(JSON.stringify(frozen?.before)) })
    expect((await stored(id)).permissions).toEqual(custom)
    expect(await testServer.signIn('anna@acme.test', password)).toBe(200)
  })

  it('says of a frozen mailbox that nothing is to be stored', async () => {
    const { id } = await create()
    await mail.freezeAccount(id)
    expect(await mail.freezeAccount(id)).toBeUndefined()
    await mail.thawAccount({ id })
    await mail.thawAccount({ id })
    expect(await mail.readAccount(id)).toMatchObject({ frozen: false })
  })

  onStandIn('knows what was there before when the answer was lost', async () => {
    const { id } = await create()
    testServer.sandbox.fault({
      system: 'mail',
      match: 'x:Account/set',
      mode: 'reset',
      after: true,
      times: 1,
    })
    expect(await mail.freezeAccount(id)).toEqual({ before: { '@type': 'Inherit' } })
    expect(await testServer.signIn('anna@acme.test', password)).toBe(403)
  })

  it('thaws also with what was read while it was frozen', async () => {
    const { id } = await create()
    await mail.freezeAccount(id)
    await mail.thawAccount({ id, permissions: (await mail.readAccount(id))?.permissions })
    expect(await testServer.signIn('anna@acme.test', password)).toBe(200)
  })

  it('rejects sending alone, any number of times, frozen in between or not, and gives back what was there', async () => {
    const { id } = await create()
    const custom = {
      '@type': 'Merge',
      enabledPermissions: {},
      disabledPermissions: { pop3Authenticate: true },
    }
    await testServer.call('x:Account/set', { update: { [id]: { permissions: custom } } })
    const sending = {
      emailSend: true,
      jmapEmailSubmissionCreate: true,
      calendarSchedulingSend: true,
    }
    for (const freeze of [false, false, true]) {
      if (freeze) await mail.freezeAccount(id)
      await mail.muteAccount({ id, permissions: custom })
      expect((await stored(id)).permissions).toEqual({
        ...custom,
        disabledPermissions: { ...custom.disabledPermissions, ...sending },
      })
      expect(await testServer.signIn('anna@acme.test', password)).toBe(200)
    }
    await mail.thawAccount({ id, permissions: custom })
    expect((await stored(id)).permissions).toEqual(custom)
    await expect(mail.muteAccount({ id: 'zz' })).rejects.toMatchObject({ kind: 'not_found' })
    await expect(mail.muteAccount({ id, permissions: 'Inherit' })).rejects.toMatchObject({
      kind: 'refused',
    })
  })

  it('rejects missing calls and calls without a result', async () => {
    const { id } = await create()
    await expect(mail.freezeAccount('zz')).rejects.toMatchObject({ kind: 'not_found' })
    await expect(mail.thawAccount({ id: 'zz' })).rejects.toMatchObject({ kind: 'not_found' })
    await expect(mail.thawAccount({ id, permissions: 'Inherit' })).rejects.toMatchObject({
      kind: 'refused',
    })
  })
})

describe('aliases', () => {
  it('are added and removed, on every domain, as often as one asks', async () => {
    const { id } = await create()
    for (let round = 0; round < 2; round += 1) {
      await mail.addAlias(alias(id, 'Sales'))
      await mail.addAlias(alias(id, 'anna', otherDomainId))
    }
    expect((await mail.readAccount(id))?.aliases).toEqual(['sales@acme.test', 'anna@acme-two.test'])
    for (let round = 0; round < 2; round += 1) await mail.removeAlias(alias(id, 'SALES'))
    expect((await mail.readAccount(id))?.aliases).toEqual(['anna@acme-two.test'])
    await mail.removeAlias(alias('zz', 'sales'))
  })

  it('are rejected when they are the address of the account, or somebody has them', async () => {
    const { id } = await create()
    const ben = await create('ben')
    await mail.createList({ localPart: 'team', domainId, name: 'Team', recipients: [] })
    await mail.addAlias(alias(ben.id, 'office'))
    for (const taken of ['anna', 'ben', 'team', 'office']) {
      await expect(mail.addAlias(alias(id, taken))).rejects.toMatchObject({ kind: 'conflict' })
    }
    expect(await aliasNames(id)).toEqual([])
    await expect(mail.addAlias(alias(id, 'sales', 'zz'))).rejects.toMatchObject({ kind: 'refused' })
    await expect(mail.addAlias(alias('zz', 'sales'))).rejects.toMatchObject({ kind: 'not_found' })
  })

  it('work again when they were switched off', async () => {
    const { id } = await create()
    await mail.addAlias(alias(id, 'sales'))
    await testServer.call('x:Account/set', { update: { [id]: { 'aliases/0/enabled': false } } })
    await mail.addAlias(alias(id, 'sales'))
    expect((await stored(id)).aliases).toMatchObject({ 0: { name: 'sales', enabled: true } })
    expect(await aliasNames(id)).toHaveLength(1)
  })

  it('do not write over each other when many are added at once', async () => {
    const { id } = await create()
    const names = Array.from({ length: 12 }, (_, index) => `a${index}`)
    await Promise.all(names.map((name) => mail.addAlias(alias(id, name))))
    expect((await aliasNames(id)).sort()).toEqual(names.sort())
  })

  it('keep the others when some are removed at once', async () => {
    const { id } = await create()
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await mail.addAlias(alias(id, name))
    await Promise.all(['a', 'c'].map((name) => mail.removeAlias(alias(id, name))))
    expect((await aliasNames(id)).sort()).toEqual(['b', 'd', 'e', 'f'])
  })

  it('keep the others when one is removed twice at once', async () => {
    const { id } = await create()
    for (const name of ['a', 'b', 'c']) await mail.addAlias(alias(id, name))
    await Promise.all([mail.removeAlias(alias(id, 'a')), mail.removeAlias(alias(id, 'a'))])
    expect((await aliasNames(id)).sort()).toEqual(['b', 'c'])
  })

  it('are listed by domain, with the account that has them', async () => {
    const anna = await create()
    const ben = await create('ben')
    await mail.addAlias(alias(anna.id, 'sales'))
    await mail.addAlias(alias(ben.id, 'ben', otherDomainId))
    expect(await mail.aliasesOn([domainId])).toEqual([
      { address: 'sales@acme.test', accountId: anna.id },
    ])
    const both = await mail.aliasesOn([domainId, otherDomainId, 'zz'])
    expect(both).toHaveLength(2)
    expect(both).toContainEqual({ address: 'ben@acme-two.test', accountId: ben.id })
    expect(await mail.aliasesOn([])).toEqual([])
  })
})

it('a domain that is renamed takes its mailboxes, aliases and lists along, and another domain can have the old name', async () => {
  const { id } = await create()
  await mail.addAlias(alias(id, 'sales'))
  const list = await mail.createList({
    localPart: 'all',
    domainId,
    name: 'All',
    recipients: ['anna@acme.test'],
  })
  await mail.freezeAccount(id)
  await mail.renameDomain({ domainId, name: 'was-acme.test' })
  expect(await mail.readAccount(id)).toMatchObject({
    address: 'anna@was-acme.test',
    aliases: ['sales@was-acme.test'],
    frozen: true,
  })
  // What a list sends to is text, which nothing renames.
  expect(await mail.readList(list.id)).toMatchObject({
    address: 'all@was-acme.test',
    recipients: ['anna@acme.test'],
  })
  expect(await mail.findAccount('anna@acme.test')).toBeUndefined()

  const taken = await mail.ensureDomain({ name: 'acme.test', description: 'tenant globex' })
  expect(taken.created).toBe(true)
  const other = await mail.createAccount({
    localPart: 'anna',
    domainId: taken.id,
    displayName: 'Other',
    password: nextPassword,
  })
  expect(await mail.findAccount('anna@acme.test')).toEqual({ id: other.id })
  await mail.thawAccount({ id })
  expect(await testServer.signIn('anna@was-acme.test', password)).toBe(200)
  expect(await testServer.signIn('anna@acme.test', nextPassword)).toBe(200)
  expect(await testServer.signIn('anna@acme.test', password)).toBe(401)
})

describe('a new address', () => {
  const rename = (id: string, localPart: string, keepOld: boolean, on = domainId) =>
    mail.renameAccount({ id, to: { localPart, domainId: on }, keepOld })

  it('keeps the old one as an alias, and a second run changes nothing', async () => {
    const { id } = await create()
    for (let round = 0; round < 2; round += 1) await rename(id, 'Anna.Berg', true, otherDomainId)
    expect(await mail.readAccount(id)).toMatchObject({
      address: 'anna.berg@acme-two.test',
      aliases: ['anna@acme.test'],
    })
    expect(await testServer.signIn('anna.berg@acme-two.test', password)).toBe(200)
  })

  it('lets the old one go when told so', async () => {
    const { id } = await create()
    await rename(id, 'anna.berg', false)
    expect(await mail.readAccount(id)).toMatchObject({
      address: 'anna.berg@acme.test',
      aliases: [],
    })
    await create('anna')
  })

  it('may be one of the aliases, which ends as such', async () => {
    const { id } = await create()
    for (const name of ['x', 'anna.berg', 'y']) await mail.addAlias(alias(id, name))
    await rename(id, 'anna.berg', true)
    expect(await mail.readAccount(id)).toMatchObject({
      address: 'anna.berg@acme.test',
      aliases: ['x@acme.test', 'y@acme.test', 'anna@acme.test'],
    })
    await rename(id, 'anna', false)
    expect(await mail.readAccount(id)).toMatchObject({
      address: 'anna@acme.test',
      aliases: ['x@acme.test', 'y@acme.test'],
    })
  })

  it('is rejected when it is taken, and nothing changes', async () => {
    const { id } = await create()
    await create('ben')
    await expect(rename(id, 'ben', true)).rejects.toMatchObject({ kind: 'conflict' })
    await expect(rename('zz', 'ben', true)).rejects.toMatchObject({ kind: 'not_found' })
    expect(await mail.readAccount(id)).toMatchObject({ address: 'anna@acme.test', aliases: [] })
  })

  onStandIn('is there when the answer was lost', async () => {
    const { id } = await create()
    testServer.sandbox.fault({
      system: 'mail',
      match: 'x:Account/set',
      mode: 'reset',
      after: true,
      times: 1,
    })
    await rename(id, 'anna.berg', true)
    expect(await mail.readAccount(id)).toMatchObject({
      address: 'anna.berg@acme.test',
      aliases: ['anna@acme.test'],
    })
  })
})
