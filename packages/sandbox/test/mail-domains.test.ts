import { createPublicKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type MailServer, openMail } from './mail-server.ts'

const failed = (type: string, properties: string[]) => ({ type, properties })

async function createDomain(server: MailServer, name = 'acme.test'): Promise<string> {
  return (await server.call('x:Domain/set', { create: { d: { name } } })).created.d.id
}

async function zoneOf(server: MailServer, id: string): Promise<string> {
  return (
    (await server.call('x:Domain/get', { ids: [id], properties: ['dnsZoneFile'] })).list[0]
      ?.dnsZoneFile ?? ''
  )
}

function records(zone: string): string[] {
  return zone
    .replace(/\(\n([^)]*)\)/g, (_, chunks: string) => chunks.replace(/\s*\n\s*/g, ' ').trim())
    .trim()
    .split('\n')
}

describe('names', () => {
  it.each([
    ['Acme.TEST', 'acme.test'],
    [' ac me.test', 'acme.test'],
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['tenant.local', 'tenant.local'],
    ['a.b.co.uk', 'a.b.co.uk'],
  ])('stores %j as %j', async (name, stored) => {
    await using server = await openMail()
    const id = await createDomain(server, name)
    expect((await server.call('x:Domain/get', { ids: [id], properties: ['name'] })).list).toEqual([
      { id, name: stored },
    ])
  })

  it.each(['acme', 'acme.nosuchsuffix', 'acme.test.', '.test', 'a..test'])(
    'refuses %j',
    async (name) => {
      await using server = await openMail()
      const { notCreated } = await server.call('x:Domain/set', { create: { d: { name } } })
      expect(notCreated.d).toEqual({
        type: 'invalidPatch',
        description: 'Invalid domain name',
        properties: ['name'],
      })
    },
  )

  it('rejects a name or alias that another domain has', async () => {
    await using server = await openMail()
    const acme = await createDomain(server)
    await server.call('x:Domain/set', { update: { [acme]: { 'aliases/acme.example': true } } })
    const holder = { objectId: { object: 'Domain', id: acme } }
    const { notCreated } = await server.call('x:Domain/set', {
      create: {
        same: { name: 'ACME.test' },
        asAlias: { name: 'globex.test', aliases: { 'acme.test': true } },
        sameAlias: { name: 'globex.test', aliases: { 'acme.example': true } },
      },
    })
    expect(notCreated).toEqual({
      same: { ...failed('primaryKeyViolation', ['name']), ...holder },
      asAlias: { ...failed('primaryKeyViolation', ['aliases']), ...holder },
      sameAlias: { ...failed('primaryKeyViolation', ['aliases']), ...holder },
    })
    await server.call('x:Domain/set', { update: { [acme]: { aliases: { 'acme.org': true } } } })
    expect(
      (await server.call('x:Domain/set', { create: { d: { name: 'acme.org' } } })).notCreated.d,
    ).toEqual({
      ...failed('primaryKeyViolation', ['name']),
      ...holder,
    })
  })

  it('takes aliases as they come', async () => {
    await using server = await openMail()
    const id = await createDomain(server)
    await server.call('x:Domain/set', {
      update: { [id]: { aliases: { 'Not A Domain': true, dropped: false } } },
    })
    expect(
      (await server.call('x:Domain/get', { ids: [id], properties: ['aliases'] })).list[0]?.aliases,
    ).toEqual({ 'Not A Domain': true })
  })
})

describe('properties', () => {
  it('starts with the defaults of the server', async () => {
    await using server = await openMail()
    const id = await createDomain(server)
    expect((await server.call('x:Domain/get', { ids: [id] })).list[0]).toMatchObject({
      id,
      name: 'acme.test',
      aliases: {},
      isEnabled: true,
      description: null,
      catchAllAddress: null,
      subAddressing: { '@type': 'Enabled' },
      reportAddressUri: 'mailto:postmaster',
      dkimManagement: {
        '@type': 'Automatic',
        algorithms: { Dkim1Ed25519Sha256: true, Dkim1RsaSha256: true },
      },
      dnsManagement: { '@type': 'Manual' },
      certificateManagement: { '@type': 'Manual' },
      memberTenantId: null,
      createdAt: '2026-08-20T10:00:00Z',
    })
  })

  it('builds the zone text only when it is asked for', async () => {
    await using server = await openMail()
    const id = await createDomain(server)
    expect(
      (await server.call('x:Domain/get', { ids: [id], properties: ['name', 'unknownName'] })).list,
    ).toEqual([{ id, name: 'acme.test' }])
    expect(
      (await server.call('x:Domain/get', { ids: [id], properties: ['unknownName'] })).list[0],
    ).toHaveProperty('dnsZoneFile')
  })

  it.each([
    [{ createdAt: '2026-01-01T00:00:00Z' }, ['createdAt'], 'Cannot modify server set property'],
    [{ dnsZoneFile: '' }, ['dnsZoneFile'], 'Cannot modify server set property'],
    [{ description: '' }, ['description'], 'Invalid value for property.'],
    [
      { isEnabled: 'yes' },
      ['isEnabled'],
      'Invalid value for boolean property (expected true or false)',
    ],
    [{ aliases: ['a.test'] }, ['aliases'], 'Invalid value for object property'],
    [{ colour: 'red' }, ['colour'], 'Invalid property'],
    [
      { 'dkimManagement/rotateAfter/x': 1 },
      ['dkimManagement/rotateAfter/x'],
      'Invalid JSON Pointer path',
    ],
    [{ subAddressing: {} }, ['subAddressing'], "Missing or invalid '@type' property in object"],
    [{ catchAllAddress: 'nobody' }, ['catchAllAddress'], 'Invalid email address'],
  ])('refuses the update %j', async (patch, properties, description) => {
    await using server = await openMail()
    const id = await createDomain(server)
    expect((await server.call('x:Domain/set', { update: { [id]: patch } })).notUpdated).toEqual({
      [id]: { type: 'invalidPatch', description, properties },
    })
  })

  it('rejects references to what is not there', async () => {
    await using server = await openMail()
    const { notCreated } = await server.call('x:Domain/set', {
      create: { d: { name: 'acme.test', memberTenantId: 'zz' } },
    })
    expect(notCreated.d).toEqual({
      type: 'invalidForeignKey',
      objectId: { object: 'Tenant', id: 'zz' },
    })
  })
})

describe('DKIM', () => {
  it('has no key at first, then an Ed25519 key, then an RSA key', async () => {
    await using server = await openMail({ dkimDelayMs: 1_000 })
    const id = await createDomain(server)
    const types = async () => {
      const [, got] = await server.jmap(
        [
          'x:DkimSignature/query',
          { filter: { domainId: id }, sort: [{ property: 'id', isAscending: true }] },
          '0',
        ],
        [
          'x:DkimSignature/get',
          { '#ids': { resultOf: '0', name: 'x:DkimSignature/query', path: '/ids' } },
          '1',
        ],
      )
      return got[1].list
    }
    expect(await types()).toEqual([])
    server.advance(1_000)
    expect((await types()).map((key) => key['@type'])).toEqual(['Dkim1Ed25519Sha256'])
    server.advance(1_000)
    const keys = await types()
    expect(keys).toMatchObject([
      {
        '@type': 'Dkim1Ed25519Sha256',
        selector: 'v1-ed25519-20260820',
        stage: 'active',
        domainId: id,
        privateKey: { '@type': 'Text', secret: '****' },
      },
      { '@type': 'Dkim1RsaSha256', selector: 'v1-rsa-20260820', stage: 'active', domainId: id },
    ])
    expect(Buffer.from(keys[0]?.publicKey ?? '', 'base64')).toHaveLength(32)
    const rsa = createPublicKey({
      key: Buffer.from(keys[1]?.publicKey ?? '', 'base64'),
      format: 'der',
      type: 'spki',
    })
    expect(rsa.asymmetricKeyDetails?.modulusLength).toBe(2048)
    expect(keys[0]?.id).toMatch(/^[a-z792013]{12}$/)
  })

  it('makes no keys under manual management, and makes them once it turns automatic', async () => {
    await using server = await openMail()
    const { created } = await server.call('x:Domain/set', {
      create: { d: { name: 'acme.test', dkimManagement: { '@type': 'Manual' } } },
    })
    server.advance(10_000)
    expect((await server.call('x:DkimSignature/query', {})).ids).toEqual([])
    await server.call('x:Domain/set', {
      update: {
        [created.d.id]: {
          dkimManagement: { '@type': 'Automatic', algorithms: { Dkim1Ed25519Sha256: true } },
        },
      },
    })
    server.advance(10_000)
    expect(
      (await server.call('x:DkimSignature/query', { filter: { domainId: created.d.id } })).ids,
    ).toHaveLength(1)
  })

  it('rejects a key that it cannot read', async () => {
    await using server = await openMail()
    const signature = {
      '@type': 'Dkim1RsaSha256',
      domainId: 'b',
      selector: 's1',
      privateKey: { '@type': 'Text', secret: 'nonsense' },
    }
    expect(
      (await server.call('x:DkimSignature/set', { create: { s: signature } })).notCreated.s,
    ).toMatchObject({
      type: 'invalidProperties',
      description: expect.stringContaining('Failed to validate DKIM signature'),
    })
  })

  it('changes the stage of a key and keeps its private half when the mask comes back', async () => {
    await using server = await openMail()
    const id = await createDomain(server)
    server.advance(10_000)
    const [key = ''] = (await server.call('x:DkimSignature/query', { filter: { domainId: id } }))
      .ids
    const before = (await server.call('x:DkimSignature/get', { ids: [key] })).list[0]
    const patch = { stage: 'retired', 'privateKey/secret': '****' }
    expect(
      (await server.call('x:DkimSignature/set', { update: { [key]: patch } })).updated,
    ).toEqual({ [key]: null })
    expect((await server.call('x:DkimSignature/get', { ids: [key] })).list[0]).toEqual({
      ...before,
      stage: 'retired',
    })
  })
})

describe('zone text', () => {
  it('lists the records in the order of the server, DMARC always with reject', async () => {
    await using server = await openMail({ hostname: 'mail.example.org' })
    const id = await createDomain(server)
    server.advance(10_000)
    const zone = await zoneOf(server, id)
    const lines = records(zone)
    expect(
      lines.map((line) =>
        line
          .split(' IN ')
          .map((part, index) => (index === 0 ? part : part.split(' ')[0]))
          .join(' '),
      ),
    ).toEqual([
      'v1-ed25519-20260820._domainkey.acme.test. TXT',
      'v1-rsa-20260820._domainkey.acme.test. TXT',
      'acme.test. TXT',
      'acme.test. MX',
      '_dmarc.acme.test. TXT',
      '_caldavs._tcp.acme.test. SRV',
      '_carddavs._tcp.acme.test. SRV',
      '_imaps._tcp.acme.test. SRV',
      '_jmap._tcp.acme.test. SRV',
      '_pop3s._tcp.acme.test. SRV',
      '_submissions._tcp.acme.test. SRV',
      'mta-sts.acme.test. CNAME',
      '_mta-sts.acme.test. TXT',
      '_smtp._tls.acme.test. TXT',
      'ua-auto-config.acme.test. CNAME',
      '_ua-auto-config.acme.test. TXT',
      'autoconfig.acme.test. CNAME',
      'autodiscover.acme.test. CNAME',
    ])
    expect(zone).toContain(
      'acme.test. IN TXT "v=spf1 mx -all"\nacme.test. IN MX 10 mail.example.org.\n',
    )
    expect(zone).toContain(
      '_dmarc.acme.test. IN TXT "v=DMARC1; p=reject; rua=mailto:postmaster@acme.test"\n',
    )
    expect(zone).toContain('_imaps._tcp.acme.test. IN SRV 0 1 993 mail.example.org.\n')
    expect(zone).toMatch(
      /\nmta-sts\.acme\.test\. IN CNAME mail\.example\.org\.\n_mta-sts\.acme\.test\. IN TXT "v=STSv1; id=\d{1,20}"\n/,
    )
    expect(zone).toMatch(
      /v1-rsa-20260820\._domainkey\.acme\.test\. IN TXT \(\n {4}"v=DKIM1; k=rsa; h=sha256; p=[^"]{227}"\n {4}"[^"]+"\n\)\n/,
    )
  })

  it('drops the report records without a report address and takes a whole one as it is', async () => {
    await using server = await openMail()
    const id = await createDomain(server)
    const zone = async (uri: string | null) => {
      await server.call('x:Domain/set', { update: { [id]: { reportAddressUri: uri } } })
      return zoneOf(server, id)
    }
    expect(await zone('mailto:dmarc@other.test')).toContain('rua=mailto:dmarc@other.test"')
    expect(await zone(null)).not.toMatch(/_dmarc|_smtp\._tls/)
  })

  it('gives the host of the server its own SPF record when it lies in the domain', async () => {
    await using server = await openMail()
    const zone = await zoneOf(server, 'b')
    expect(zone).toMatch(/^mail\.atrium\.test\. IN TXT "v=spf1 a -all"\n/)
  })
})

describe('removal', () => {
  it('is rejected while anything points to the domain, and names all of it in order', async () => {
    await using server = await openMail()
    const id = await createDomain(server)
    server.advance(10_000)
    const [, accounts] = await server.jmap(
      ['Core/echo', {}, '0'],
      ['x:Account/set', { create: { m: { '@type': 'User', name: 'anna', domainId: id } } }, '1'],
    )
    await server.call('x:Account/set', {
      create: {
        g: {
          '@type': 'Group',
          name: 'team',
          domainId: 'b',
          aliases: { '0': { name: 'team', domainId: id } },
        },
      },
    })
    await server.call('x:MailingList/set', { create: { l: { name: 'list', domainId: id } } })
    const keys = (
      await server.call('x:DkimSignature/query', {
        filter: { domainId: id },
        sort: [{ property: 'id', isAscending: true }],
      })
    ).ids
    expect((await server.call('x:Domain/set', { destroy: [id] })).notDestroyed).toEqual({
      [id]: {
        type: 'objectIsLinked',
        objectId: { object: 'Domain', id },
        linkedObjects: [
          { object: 'Account', id: accounts[1].created.m.id },
          { object: 'Account', id: 'd' },
          { object: 'DkimSignature', id: keys[0] },
          { object: 'DkimSignature', id: keys[1] },
          { object: 'MailingList', id: 'b' },
        ],
      },
    })
  })

  it('goes through once the signatures are destroyed, in one request', async () => {
    await using server = await openMail()
    const id = await createDomain(server)
    server.advance(10_000)
    const { ids } = await server.call('x:DkimSignature/query', { filter: { domainId: id } })
    const [signatures, domain] = await server.jmap(
      ['x:DkimSignature/set', { destroy: ids }, '0'],
      ['x:Domain/set', { destroy: [id] }, '1'],
    )
    expect(signatures[1].destroyed).toEqual(ids)
    expect(domain[1]).toEqual({ accountId: 'b', destroyed: [id] })
    expect((await server.call('x:Domain/set', { destroy: [id] })).notDestroyed).toEqual({
      [id]: { type: 'notFound' },
    })
    server.advance(10_000)
    expect((await server.call('x:DkimSignature/query', { filter: { domainId: id } })).ids).toEqual(
      [],
    )
    expect(await createDomain(server)).not.toBe(id)
  })

  it('meets a key that was made in between', async () => {
    await using server = await openMail({ dkimDelayMs: 1_000 })
    const id = await createDomain(server)
    server.advance(1_000)
    const first = (await server.call('x:DkimSignature/query', { filter: { domainId: id } })).ids
    expect(first).toHaveLength(1)
    server.advance(1_000)
    const [, domain] = await server.jmap(
      ['x:DkimSignature/set', { destroy: first }, '0'],
      ['x:Domain/set', { destroy: [id] }, '1'],
    )
    expect(domain[1].notDestroyed[id]).toMatchObject({
      type: 'objectIsLinked',
      linkedObjects: [{ object: 'DkimSignature' }],
    })
  })

  it('never takes the default domain', async () => {
    await using server = await openMail()
    const linkedObjects = expect.arrayContaining([{ object: 'SystemSettings', id: 'singleton' }])
    expect((await server.call('x:Domain/set', { destroy: ['b'] })).notDestroyed.b).toMatchObject({
      type: 'objectIsLinked',
      linkedObjects,
    })
  })
})
