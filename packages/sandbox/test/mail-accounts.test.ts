import { describe, expect, it } from 'vitest'
import { basic, type MailServer, openMail, type Result, type Shown } from './mail-server.ts'

const goodPassword = 'Qm7-vTz4-Lk9s-Xp'

async function openAcme(): Promise<MailServer & { readonly domainId: string }> {
  const server = await openMail()
  const { created } = await server.call('x:Domain/set', {
    create: { d: { name: 'acme.test', dkimManagement: { '@type': 'Manual' } } },
  })
  return Object.assign(server, { domainId: created.d.id })
}

async function create(server: MailServer, fields: Record<string, unknown>): Promise<Result> {
  return server.call('x:Account/set', {
    create: { m: { '@type': 'User', name: 'anna', domainId: 'c', ...fields } },
  })
}

async function read(server: MailServer, id: string, ...properties: string[]): Promise<Shown> {
  const [shown] = (
    await server.call('x:Account/get', { ids: [id], ...(properties.length > 0 && { properties }) })
  ).list
  if (!shown) throw new Error(`There is no account ${id}.`)
  return shown
}

const update = (server: MailServer, id: string, patch: unknown) =>
  server.call('x:Account/set', { update: { [id]: patch } })

describe('creating a mailbox', () => {
  it('stores what was sent and fills in the rest', async () => {
    await using server = await openAcme()
    const response = await create(server, {
      name: ' An.Na ',
      description: 'Anna Berg',
      credentials: { '0': { '@type': 'Password', secret: goodPassword } },
      quotas: { maxDiskQuota: 5_368_709_120 },
    })
    expect(response).toEqual({ accountId: 'b', created: { m: { id: 'c' } } })
    server.mail.setUsedDiskQuota('an.na@acme.test', 20_480)
    expect(await read(server, 'c')).toEqual({
      id: 'c',
      '@type': 'User',
      name: 'an.na',
      domainId: 'c',
      emailAddress: 'an.na@acme.test',
      description: 'Anna Berg',
      aliases: {},
      quotas: { maxDiskQuota: 5_368_709_120 },
      usedDiskQuota: 20_480,
      permissions: { '@type': 'Inherit' },
      roles: { '@type': 'User' },
      credentials: {
        '0': {
          '@type': 'Password',
          credentialId: 'a',
          secret: '****',
          expiresAt: null,
          allowedIps: {},
        },
      },
      memberGroupIds: {},
      memberTenantId: null,
      locale: 'en_US',
      timeZone: null,
      encryptionAtRest: { '@type': 'Disabled' },
      createdAt: '2026-08-20T10:00:00Z',
    })
    expect(await read(server, 'c', 'name')).toEqual({ id: 'c', name: 'an.na' })
    expect(await read(server, 'c', '@type', 'usedDiskQuota')).toEqual({
      id: 'c',
      '@type': 'User',
      usedDiskQuota: 20_480,
    })
  })

  it.each(['a@b', 'a:b', 'a(b', '.a', 'a.', 'a..b', ' '])(
    'refuses the local part %j',
    async (name) => {
      await using server = await openAcme()
      expect((await create(server, { name })).notCreated.m).toEqual({
        type: 'invalidPatch',
        description: 'Invalid email local part',
        properties: ['name'],
      })
    },
  )

  it.each([
    [
      { '@type': 'Robot' },
      {
        type: 'invalidPatch',
        description: "Missing or invalid '@type' property in object",
        properties: [''],
      },
    ],
    [{ domainId: 'zz' }, { type: 'invalidForeignKey', objectId: { object: 'Domain', id: 'zz' } }],
    [
      { memberGroupIds: { b: true } },
      { type: 'invalidForeignKey', objectId: { object: 'Account', id: 'b' } },
    ],
    [
      { emailAddress: 'x@acme.test' },
      {
        type: 'invalidPatch',
        description: 'Cannot modify server set property',
        properties: ['emailAddress'],
      },
    ],
    [
      { aliases: [] },
      {
        type: 'invalidPatch',
        description: 'Invalid value for object property',
        properties: ['aliases'],
      },
    ],
    [
      { aliases: { x: {} } },
      {
        type: 'invalidPatch',
        description: 'Invalid key for object property',
        properties: ['aliases'],
      },
    ],
    [
      { aliases: { '0': { name: 'b@', domainId: 'c' } } },
      {
        type: 'invalidPatch',
        description: 'Invalid email local part',
        properties: ['aliases/name'],
      },
    ],
    [
      { aliases: { '0': { name: 'b' } } },
      { type: 'validationFailed', validationErrors: [{ type: 'Required', property: 'domainId' }] },
    ],
    [
      { quotas: { maxShoes: 1 } },
      {
        type: 'invalidPatch',
        description: 'Invalid key for object property',
        properties: ['quotas'],
      },
    ],
    [
      { shoeSize: 43 },
      { type: 'invalidPatch', description: 'Invalid key for object', properties: [''] },
    ],
    [
      { permissions: { '@type': 'Merge', disabledPermissions: { sing: true } } },
      {
        type: 'invalidPatch',
        description: 'Invalid key for object property',
        properties: ['permissions/disabledPermissions'],
      },
    ],
    [
      { locale: 'en-US' },
      {
        type: 'invalidPatch',
        description: 'Invalid value "en-US" for enum type Locale.',
        properties: ['locale'],
      },
    ],
  ])('refuses %j', async (fields, error) => {
    await using server = await openAcme()
    expect((await create(server, fields)).notCreated.m).toEqual(error)
    expect((await server.call('x:Account/query', { filter: { domainId: 'c' } })).ids).toEqual([])
  })

  it('asks for a domain', async () => {
    await using server = await openAcme()
    const { notCreated } = await server.call('x:Account/set', {
      create: { m: { '@type': 'User', name: 'anna' } },
    })
    expect(notCreated.m).toEqual({
      type: 'validationFailed',
      validationErrors: [{ type: 'Required', property: 'domainId' }],
    })
  })

  it.each([
    ['short-7', 'Password must be at least 8 characters long.'],
    ['x'.repeat(129), 'Password must be at most 128 characters long.'],
    ['Password123!', expect.stringMatching(/^Password is too weak\./)],
    ['aaaaaaaaaa', expect.stringMatching(/^Password is too weak\./)],
    ['abcdefghij', expect.stringMatching(/^Password is too weak\./)],
    ['83619472', expect.stringMatching(/^Password is too weak\./)],
  ])('refuses the password %j', async (secret, description) => {
    await using server = await openAcme()
    const { notCreated } = await create(server, {
      credentials: { '0': { '@type': 'Password', secret } },
    })
    expect(notCreated.m).toEqual({ type: 'invalidProperties', description, properties: ['secret'] })
  })

  it('rejects a second password, and keys that it did not make', async () => {
    await using server = await openAcme()
    const two = {
      '0': { '@type': 'Password', secret: goodPassword },
      '1': { '@type': 'Password', secret: goodPassword },
    }
    expect((await create(server, { credentials: two })).notCreated.m).toEqual({
      type: 'invalidProperties',
      description: 'Only one password credential is allowed.',
      properties: ['credentials'],
    })
    expect(
      (await create(server, { credentials: { '0': { '@type': 'ApiKey', description: 'x' } } }))
        .notCreated.m.description,
    ).toBe('Secondary credentials cannot be set directly.')
  })
})

describe('addresses', () => {
  it('are unique over accounts, groups, lists and their aliases', async () => {
    await using server = await openAcme()
    await create(server, { aliases: { '0': { name: 'sales', domainId: 'c' } } })
    await server.call('x:MailingList/set', {
      create: {
        l: { name: 'team', domainId: 'c', aliases: { '0': { name: 'crew', domainId: 'c' } } },
      },
    })
    const taken = (object: string, id: string) => ({
      type: 'primaryKeyViolation',
      properties: ['email'],
      objectId: { object, id },
    })
    expect((await create(server, {})).notCreated.m).toEqual(taken('Account', 'c'))
    expect((await create(server, { name: 'SALES' })).notCreated.m).toEqual(taken('Account', 'c'))
    expect((await create(server, { '@type': 'Group', name: 'team' })).notCreated.m).toEqual(
      taken('MailingList', 'b'),
    )
    expect(
      (await create(server, { name: 'x', aliases: { '0': { name: 'crew', domainId: 'c' } } }))
        .notCreated.m,
    ).toEqual(taken('MailingList', 'b'))
    const list = { create: { l: { name: 'anna', domainId: 'c' } } }
    expect((await server.call('x:MailingList/set', list)).notCreated.l).toEqual(
      taken('Account', 'c'),
    )
    expect((await create(server, { domainId: 'b' })).created.m).toEqual({ id: 'd' })
  })

  it('are free again once the account is gone', async () => {
    await using server = await openAcme()
    await create(server, { aliases: { '0': { name: 'sales', domainId: 'c' } } })
    expect(await server.call('x:Account/set', { destroy: ['c', 'zz'] })).toMatchObject({
      destroyed: ['c'],
      notDestroyed: { zz: { type: 'notFound' } },
    })
    expect((await create(server, { name: 'sales' })).created.m).toEqual({ id: 'd' })
  })

  it('may repeat the own primary address as an alias', async () => {
    await using server = await openAcme()
    await create(server, {})
    expect(
      (await update(server, 'c', { 'aliases/0': { name: 'anna', domainId: 'c' } })).updated,
    ).toEqual({ c: null })
  })
})

describe('aliases', () => {
  const alias = (name: string) => ({ name, domainId: 'c', enabled: true, description: null })

  it('are added, merged into and removed by index, and renumbered', async () => {
    await using server = await openAcme()
    await create(server, {})
    await update(server, 'c', {
      'aliases/0': { name: 'one', domainId: 'c' },
      'aliases/4000000000': { name: 'three', domainId: 'c' },
    })
    expect((await read(server, 'c', 'aliases')).aliases).toEqual({
      '0': alias('one'),
      '1': alias('three'),
    })
    await update(server, 'c', { 'aliases/0': { name: 'two' } })
    expect((await read(server, 'c', 'aliases')).aliases).toEqual({
      '0': alias('two'),
      '1': alias('three'),
    })
    await update(server, 'c', { 'aliases/0': null })
    expect((await read(server, 'c', 'aliases')).aliases).toEqual({ '0': alias('three') })
    expect((await update(server, 'c', { 'aliases/5': null })).notUpdated.c).toEqual({
      type: 'invalidPatch',
      description: 'Invalid value for object property',
      properties: ['aliases/5'],
    })
    await update(server, 'c', { aliases: { '7': alias('x'), '3': alias('y') } })
    expect(Object.values((await read(server, 'c', 'aliases')).aliases)).toEqual([
      alias('y'),
      alias('x'),
    ])
  })

  it('leave the account alone when one of several changes is rejected', async () => {
    await using server = await openAcme()
    await create(server, {})
    const before = await read(server, 'c')
    await update(server, 'c', {
      description: 'changed',
      'aliases/0': { name: 'x', domainId: 'zz' },
    })
    expect(await read(server, 'c')).toEqual(before)
  })
})

describe('passwords', () => {
  it('are set in their place, and the new one counts at once', async () => {
    await using server = await openAcme()
    await create(server, { credentials: { '0': { '@type': 'Password', secret: goodPassword } } })
    const status = async (secret: string) =>
      (
        await server.fetch('/api/account', {
          headers: { authorization: basic('anna@acme.test', secret) },
        })
      ).status
    expect(await status(goodPassword)).toBe(200)
    expect(
      (await update(server, 'c', { 'credentials/0/secret': 'New-pass-phrase-77' })).updated,
    ).toEqual({ c: null })
    expect([await status(goodPassword), await status('New-pass-phrase-77')]).toEqual([401, 200])
    expect(
      (await update(server, 'c', { 'credentials/0/secret': 'short' })).notUpdated.c,
    ).toMatchObject({
      type: 'invalidProperties',
      properties: ['secret'],
    })
    await update(server, 'c', { 'credentials/0/secret': '****' })
    expect(await status('New-pass-phrase-77')).toBe(200)
  })

  it('can be given to an account without one, once', async () => {
    await using server = await openAcme()
    await create(server, {})
    expect(
      (
        await update(server, 'c', {
          'credentials/0': { '@type': 'Password', secret: goodPassword },
        })
      ).updated,
    ).toEqual({ c: null })
    expect(
      (
        await update(server, 'c', {
          'credentials/1': { '@type': 'Password', secret: goodPassword },
        })
      ).notUpdated.c,
    ).toMatchObject({
      description: 'Only one password credential is allowed.',
    })
  })

  it('do not reach app passwords, which a replaced list would drop', async () => {
    await using server = await openAcme()
    await create(server, { credentials: { '0': { '@type': 'Password', secret: goodPassword } } })
    const { secret } = (
      await server.call('x:AppPassword/set', {
        accountId: 'c',
        create: { p: { description: 'phone' } },
      })
    ).created.p
    const status = async () =>
      (
        await server.fetch('/api/account', {
          headers: { authorization: basic('anna@acme.test', secret) },
        })
      ).status
    expect((await read(server, 'c', 'credentials')).credentials).toMatchObject({
      '1': { '@type': 'AppPassword', secret: '****', description: 'phone' },
    })
    expect(
      (await update(server, 'c', { 'credentials/1/secret': goodPassword })).notUpdated.c,
    ).toMatchObject({ type: 'invalidPatch' })
    expect(await status()).toBe(200)
    await update(server, 'c', {
      credentials: { '0': { '@type': 'Password', secret: goodPassword } },
    })
    expect(await status()).toBe(401)
  })
})

describe('permissions', () => {
  it('change only as a whole', async () => {
    await using server = await openAcme()
    await create(server, {})
    expect(
      (await update(server, 'c', { 'permissions/disabledPermissions/authenticate': true }))
        .notUpdated.c,
    ).toEqual({
      type: 'invalidPatch',
      description: 'Invalid JSON Pointer path',
      properties: ['permissions/disabledPermissions/authenticate'],
    })
    const merge = {
      '@type': 'Merge',
      enabledPermissions: {},
      disabledPermissions: { emailSend: true },
    }
    await update(server, 'c', { permissions: merge })
    expect((await read(server, 'c', 'permissions')).permissions).toEqual(merge)
    expect(
      (await update(server, 'c', { 'permissions/disabledPermissions/authenticate': true })).updated,
    ).toEqual({ c: null })
    await update(server, 'c', { 'permissions/disabledPermissions/emailSend': null })
    expect((await read(server, 'c', 'permissions')).permissions.disabledPermissions).toEqual({
      authenticate: true,
    })
  })

  it('cannot be given away by a key that does not hold them, also not by thawing', async () => {
    await using server = await openAcme()
    await create(server, {
      permissions: {
        '@type': 'Merge',
        enabledPermissions: {},
        disabledPermissions: { authenticate: true },
      },
    })
    const names = [
      'authenticate',
      'sysAccountGet',
      'sysAccountCreate',
      'sysAccountUpdate',
      'sysDomainGet',
    ]
    const permissions = {
      '@type': 'Replace',
      permissions: Object.fromEntries(names.map((name) => [name, true])),
    }
    const { secret } = (
      await server.call('x:ApiKey/set', { create: { k: { description: 'narrow', permissions } } })
    ).created.k
    const narrow = `Bearer ${secret}`
    const rejection = {
      type: 'forbidden',
      description: expect.stringMatching(
        /^You are not authorized to grant permissions: authenticateWithAlias, .* and \d+ more$/,
      ),
    }
    const created = await server.callAs(narrow, 'x:Account/set', {
      create: { m: { '@type': 'User', name: 'ben', domainId: 'c' } },
    })
    expect(created.notCreated.m).toEqual(rejection)
    const thawed = await server.callAs(narrow, 'x:Account/set', {
      update: { c: { permissions: { '@type': 'Inherit' } } },
    })
    expect(thawed.notUpdated.c).toEqual(rejection)
    const renamed = await server.callAs(narrow, 'x:Account/set', {
      update: { c: { description: 'Anna' } },
    })
    expect(renamed.updated).toEqual({ c: null })
    expect(await server.callAs(narrow, 'x:Account/set', { destroy: ['c'] })).toEqual({
      type: 'forbidden',
      description: 'You are not authorized to destroy objects of this type',
    })
    expect(await server.callAs(narrow, 'x:Account/query', {})).toEqual({
      type: 'forbidden',
      description: 'You are not authorized to perform this action',
    })
    expect(await server.callAs(narrow, 'x:MailingList/set', { create: { l: {} } })).toMatchObject({
      description: 'You are not authorized to create, update or destroy objects of this type',
    })
  })

  it('can be given away by anyone when the rule is switched off', async () => {
    await using server = await openMail({ grantRule: false })
    const names = ['authenticate', 'sysAccountCreate', 'sysAccountUpdate', 'sysAccountDestroy']
    const permissions = {
      '@type': 'Replace',
      permissions: Object.fromEntries(names.map((name) => [name, true])),
    }
    const { secret } = (
      await server.call('x:ApiKey/set', { create: { k: { description: 'narrow', permissions } } })
    ).created.k
    expect(
      (
        await server.callAs(`Bearer ${secret}`, 'x:Account/set', {
          create: { m: { '@type': 'User', name: 'ben', domainId: 'b' } },
        })
      ).created,
    ).toBeDefined()
  })
})

describe('groups', () => {
  it('hold members that name them, and stay while they do', async () => {
    await using server = await openAcme()
    const { created } = await server.call('x:Account/set', {
      create: {
        member: { '@type': 'User', name: 'anna', domainId: 'c', memberGroupIds: { '#team': true } },
        team: { '@type': 'Group', name: 'team', domainId: 'c' },
      },
    })
    expect((await read(server, created.member.id, 'memberGroupIds')).memberGroupIds).toEqual({
      [created.team.id]: true,
    })
    expect(
      (await server.call('x:Account/query', { filter: { memberGroupIds: created.team.id } })).ids,
    ).toEqual([created.member.id])
    expect((await server.call('x:Account/query', { filter: { '@type': 'Group' } })).ids).toEqual([
      created.team.id,
    ])
    expect(
      (await server.call('x:Account/set', { destroy: [created.team.id] })).notDestroyed[
        created.team.id
      ],
    ).toMatchObject({
      type: 'objectIsLinked',
      linkedObjects: [{ object: 'Account', id: created.member.id }],
    })
    await update(server, created.member.id, { [`memberGroupIds/${created.team.id}`]: null })
    expect((await server.call('x:Account/set', { destroy: [created.team.id] })).destroyed).toEqual([
      created.team.id,
    ])
  })

  it('do not become users', async () => {
    await using server = await openAcme()
    await create(server, { '@type': 'Group', name: 'team' })
    expect((await update(server, 'c', { '@type': 'User' })).notUpdated.c).toEqual({
      type: 'invalidProperties',
      description: 'Cannot change the type of an existing account.',
      properties: ['@type'],
    })
    expect(
      (
        await update(server, 'c', {
          'credentials/0': { '@type': 'Password', secret: goodPassword },
        })
      ).notUpdated.c,
    ).toMatchObject({
      type: 'invalidPatch',
      description: 'Invalid property',
    })
  })
})

describe('mailing lists', () => {
  it('keep recipients as they come, with ids of their own', async () => {
    await using server = await openAcme()
    const list = {
      name: 'Team',
      domainId: 'c',
      description: 'Whole team',
      recipients: { 'Anna@Acme.test': true, 'no address': true },
    }
    expect((await server.call('x:MailingList/set', { create: { l: list } })).created.l).toEqual({
      id: 'b',
    })
    expect((await server.call('x:MailingList/get', { ids: null })).list).toEqual([
      {
        id: 'b',
        name: 'team',
        domainId: 'c',
        emailAddress: 'team@acme.test',
        description: 'Whole team',
        recipients: { 'Anna@Acme.test': true, 'no address': true },
        aliases: {},
        memberTenantId: null,
      },
    ])
    const patch = {
      'recipients/ben@acme.test': true,
      'recipients/no address': null,
      'recipients/a~1b@acme.test': true,
    }
    expect((await server.call('x:MailingList/set', { update: { b: patch } })).updated).toEqual({
      b: null,
    })
    expect(
      (await server.call('x:MailingList/get', { ids: ['b'], properties: ['recipients'] })).list[0]
        ?.recipients,
    ).toEqual({
      'Anna@Acme.test': true,
      'ben@acme.test': true,
      'a/b@acme.test': true,
    })
    await server.call('x:MailingList/set', {
      update: { b: { recipients: { 'x@y.test': true, 'z@y.test': false } } },
    })
    expect((await server.call('x:MailingList/get', { ids: ['b'] })).list[0]?.recipients).toEqual({
      'x@y.test': true,
    })
    expect((await server.call('x:MailingList/set', { destroy: ['b'] })).destroyed).toEqual(['b'])
  })

  it('keep the address of a mailbox that is deleted', async () => {
    await using server = await openAcme()
    await create(server, {})
    await server.call('x:MailingList/set', {
      create: { l: { name: 'team', domainId: 'c', recipients: { 'anna@acme.test': true } } },
    })
    await server.call('x:Account/set', { destroy: ['c'] })
    expect((await server.call('x:MailingList/get', { ids: ['b'] })).list[0]?.recipients).toEqual({
      'anna@acme.test': true,
    })
  })
})

describe('directory', () => {
  it('finds an account by any of its addresses', async () => {
    await using server = await openAcme()
    await create(server, { aliases: { '0': { name: 'sales', domainId: 'c' } } })
    await server.call('x:Domain/set', { update: { c: { 'aliases/acme.org': true } } })
    const find = async (filter: unknown) =>
      (await server.call('Principal/query', { accountId: 'b', filter })).ids
    for (const email of ['anna@acme.test', 'Sales@acme.test', 'anna@acme.org'])
      expect(await find({ email })).toEqual(['c'])
    expect(await find({ email: 'nobody@acme.test' })).toEqual([])
    expect(await find({ type: 'individual' })).toEqual(['b', 'c'])
    expect(await find({ operator: 'NOT', conditions: [{ email: 'anna@acme.test' }] })).toEqual([
      'b',
    ])
    expect(
      await server.call('Principal/query', { accountId: 'b', filter: { shoeSize: '43' } }),
    ).toMatchObject({
      type: 'unsupportedFilter',
    })
    expect(await server.call('Principal/get', { accountId: 'b', ids: ['c', 'zz'] })).toMatchObject({
      list: [{ id: 'c', type: 'individual', email: 'anna@acme.test' }],
      notFound: ['zz'],
    })
  })

  it('tells the quota of an account that has one', async () => {
    await using server = await openAcme()
    await create(server, { quotas: { maxDiskQuota: 1000 } })
    server.mail.setUsedDiskQuota('anna@acme.test', 400)
    expect(await server.call('Quota/get', { accountId: 'c', ids: null })).toMatchObject({
      accountId: 'c',
      list: [
        {
          id: 'a',
          resourceType: 'octets',
          used: 400,
          hardLimit: 1000,
          scope: 'account',
          name: 'anna@acme.test',
        },
      ],
      notFound: [],
    })
    expect(await server.call('Quota/get', { accountId: 'b', ids: ['a'] })).toMatchObject({
      list: [],
      notFound: ['a'],
    })
    expect(server.mail.setUsedDiskQuota('nobody@acme.test', 1)).toBe(false)
  })
})
