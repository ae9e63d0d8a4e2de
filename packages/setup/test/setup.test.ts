import { readConfig } from '@atrium/api/platform/config'
import { readAppConfig } from '@atrium/bff/config'
import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { opencloud } from '@atrium/integrations/files/opencloud'
import { authentik } from '@atrium/integrations/identity/authentik'
import { stalwart } from '@atrium/integrations/mail/stalwart'
import { afterEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { SetupError } from '../src/context.ts'
import { plannedFiles } from '../src/files.ts'
import { parseSettings } from '../src/settings.ts'
import { planSetup, setUp } from '../src/setup.ts'
import { startWorkplace, type Workplace } from './workplace.ts'

let workplace: Workplace
afterEach(() => workplace.close())

const settingsOf = (name: string) =>
  parseSettings(workplace.files.content.get(`secrets/${name}`) ?? '')
const identityRecords = () =>
  workplace.sandbox.state().identity.records as {
    users: { username: string; groups: string[]; pk: number }[]
    groups: { pk: string; name: string }[]
    providers: { name: string; redirect_uris: { url: string }[] }[]
  }

describe('setting up on a new server', () => {
  it('ends with a workplace whose three systems accept the credentials that it wrote', async () => {
    workplace = await startWorkplace()
    workplace.publish()
    await setUp(workplace.context)

    const api = settingsOf('api.env')
    const { identityUrl, mailUrl, filesUrl } = workplace.sandbox
    const identity = authentik({ baseUrl: identityUrl, token: api.IDP_API_TOKEN ?? '' })
    await expect(identity.check()).resolves.toHaveProperty('version')
    const mail = stalwart({ baseUrl: mailUrl, apiKey: api.MAIL_API_KEY ?? '' })
    await mail.check()
    // Makes a domain, a mailbox and a list, as a tenant does.
    await mail.tryRights()
    const [user = '', appToken = ''] = [api.FILES_API_USER, api.FILES_API_TOKEN]
    await opencloud({ baseUrl: filesUrl, user, appToken }).check()
    expect(await mail.findAccount('no-reply@platform.workplace.test')).toBeDefined()
    expect(identityRecords().providers.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['atrium-portal', 'atrium-operator', 'opencloud']),
    )
  })

  it('writes settings that every program takes in production', async () => {
    workplace = await startWorkplace({ profiles: ['pooler'] })
    workplace.publish()
    await setUp(workplace.context)
    const production = { NODE_ENV: 'production', PORT: '4000' }
    const api = readConfig({ ...production, ...settingsOf('api.env') })
    expect(api).toMatchObject({ shutdownDrainSeconds: 5 })
    for (const app of ['portal', 'operator'] as const)
      expect(() => readAppConfig(app, { ...production, ...settingsOf(`${app}.env`) })).not.toThrow()
    expect(settingsOf('api.env').DATABASE_URL).toContain('@pgbouncer:6432/')
    expect(settingsOf('api.env').DATABASE_DIRECT_URL).toContain('@postgres/')
    expect(settingsOf('booking.env').BOOKING_APP_SECRET).toBe(
      settingsOf('api.env').BOOKING_APP_SECRET,
    )
    expect(settingsOf('portal.env').APP_SECRET).toBe(settingsOf('api.env').PORTAL_APP_SECRET)
  })

  it('writes every secret that compose.yaml mounts, before a part that mounts it starts', async () => {
    workplace = await startWorkplace()
    workplace.publish()
    const { services, secrets } = parse(await workplace.context.readAsset('compose.yaml'), {
      merge: true,
    }) as {
      services: Record<string, { secrets?: (string | { source: string })[] }>
      secrets: Record<string, { file: string }>
    }
    const { docker, files } = workplace.context
    const missing: string[] = []
    const compose: typeof docker.compose = async (args, environment) => {
      const named = args.filter((one) => Object.hasOwn(services, one))
      const started = args[0] !== 'up' ? [] : named.length > 0 ? named : Object.keys(services)
      for (const service of started)
        for (const secret of services[service]?.secrets ?? []) {
          const file = secrets[typeof secret === 'string' ? secret : secret.source]?.file ?? ''
          if (!(await files.exists(file))) missing.push(`${service}: ${file}`)
        }
      await docker.compose(args, environment)
    }
    await setUp({ ...workplace.context, docker: { ...docker, compose } })
    expect(missing).toEqual([])
    for (const { file } of Object.values(secrets)) expect(await files.exists(file), file).toBe(true)
  })

  it('makes the first operator and shows a link at the public address', async () => {
    workplace = await startWorkplace()
    workplace.publish()
    await setUp(workplace.context)
    const { users, groups } = identityRecords()
    const operator = users.find(({ username }) => username === 'olga@workplace.test')
    const group = groups.find(({ name }) => name === 'platform-admins')
    expect(operator?.groups).toContain(group?.pk)
    const link = workplace.said.find((line) => line.includes('flow_token')) ?? ''
    expect(link.trim()).toMatch(
      /^https:\/\/id\.workplace\.test\/if\/flow\/atrium-recovery\/\?flow_token=/,
    )
  })

  it("leaves the operator's address to the operator", async () => {
    workplace = await startWorkplace()
    workplace.publish()
    await setUp(workplace.context)
    const variables = parseSettings(workplace.files.content.get('.env') ?? '')
    const { services } = parse(await workplace.context.readAsset('compose.yaml'), {
      merge: true,
    }) as { services: Record<string, { environment: Record<string, string> }> }
    const given = services['authentik-worker']?.environment.AUTHENTIK_BOOTSTRAP_EMAIL
    expect(given?.replace(/\$\{(\w+):\?\}/g, (_, name) => variables[name] ?? '')).toBe(
      'akadmin@platform.workplace.test',
    )
  })

  it('tells Stalwart its certificate and that a proxy names the client', async () => {
    workplace = await startWorkplace()
    workplace.publish()
    await setUp(workplace.context)
    const mail = workplace.sandbox.state().mail.records as {
      settings: Record<string, Record<string, unknown>>
      certificates: { certificate: { filePath: string } }[]
    }
    expect(mail.settings.Http).toEqual({ useXForwarded: true })
    expect(mail.settings.Bootstrap).toMatchObject({
      requestTlsCertificate: false,
      dataStore: { '@type': 'PostgreSql', authSecret: { '@type': 'File' } },
    })
    expect(mail.certificates).toHaveLength(1)
    expect(mail.certificates[0]?.certificate.filePath).toMatch(
      /^\/certificates\/.*\/mail\.workplace\.test\.crt$/,
    )
  })

  it('prints the records of the mail, keys included', async () => {
    workplace = await startWorkplace()
    workplace.publish()
    await setUp(workplace.context)
    const said = workplace.said.join('\n')
    expect(said).toMatch(/\*\.tenants\.workplace\.test\. +3600 IN MX +10 mail\.workplace\.test\./)
    expect(said).toMatch(/_domainkey\.platform\.workplace\.test\. +3600 IN TXT +"v=DKIM1/)
    // A key of 2,048 bits needs more than one text of 255 bytes.
    expect(said).toMatch(/" "/)
  })

  it('never prints a secret', async () => {
    workplace = await startWorkplace()
    workplace.publish()
    await setUp(workplace.context)
    const said = workplace.said.join('\n')
    for (const [path, content] of workplace.files.content)
      if (/password|secret|token|key|passphrase|mail-admin/.test(path))
        expect(said, path).not.toContain(content.trim())
  })
})

describe('running it again', () => {
  it('changes no file and makes nothing twice', async () => {
    workplace = await startWorkplace()
    workplace.publish()
    await setUp(workplace.context)
    const before = new Map(workplace.files.content)
    const counts = () => ({
      users: identityRecords().users.length,
      providers: identityRecords().providers.length,
      mail: (workplace.sandbox.state().mail.records as { Account: unknown[] }).Account.length,
      files: (workplace.sandbox.state().files.records as { users: unknown[] }).users.length,
    })
    const counted = counts()
    await setUp(workplace.context)
    expect(workplace.files.content).toEqual(before)
    expect(counts()).toEqual(counted)
  })

  it('shows a link until the operator has signed in', async () => {
    workplace = await startWorkplace()
    workplace.publish()
    workplace.sandbox.fault({
      system: 'mail',
      match: 'x:DkimSignature/query',
      mode: 'error',
      status: 401,
      times: 1,
    })
    await expect(setUp(workplace.context)).rejects.toMatchObject({ system: 'mail' })
    expect(workplace.said.join('\n')).not.toContain('flow_token')
    await setUp(workplace.context)
    expect(workplace.said.join('\n')).toContain('flow_token')

    const operator = workplace.sandbox.identity.findUser('olga@workplace.test')
    if (operator) operator.last_login = new Date().toISOString()
    workplace.said.length = 0
    await setUp(workplace.context)
    expect(workplace.said.join('\n')).not.toContain('flow_token')
  })

  it('keeps settings that an operator added, and images that have a digest', async () => {
    workplace = await startWorkplace()
    workplace.publish()
    await setUp(workplace.context)
    const { content } = workplace.files
    expect(content.get('.env')).toMatch(/^CADDY_IMAGE=caddy:[\d.]+@sha256:0{64}$/m)
    content.set(
      'secrets/api.env',
      `# ours\nSTRIPE_SECRET_KEY=sk_test_5e1fa0\n${content.get('secrets/api.env')}`,
    )
    const edited = content.get('secrets/api.env')
    await setUp(workplace.context)
    expect(content.get('secrets/api.env')).toBe(edited)
  })

  it('replaces a key and a token that were removed', async () => {
    workplace = await startWorkplace()
    workplace.publish()
    await setUp(workplace.context)
    workplace.files.content.set('secrets/mail-api-key', 'API_gone')
    workplace.files.content.set('secrets/files-token', 'gonegonegone')
    await setUp(workplace.context)
    const api = settingsOf('api.env')
    expect(api.MAIL_API_KEY).not.toBe('API_gone')
    await stalwart({
      baseUrl: workplace.sandbox.mailUrl,
      apiKey: api.MAIL_API_KEY ?? '',
    }).check()
    expect(api.FILES_API_TOKEN).not.toBe('gonegonegone')
  })

  it.each([
    ['identity', 'POST /api/v3/core/users/'],
    ['mail', 'x:Bootstrap/set'],
    ['mail', 'x:ApiKey/set'],
    ['mail', 'x:Certificate/set'],
    ['files', 'POST /graph/v1.0/users'],
  ] as const)('goes on where %s failed at %s', async (system, match) => {
    workplace = await startWorkplace()
    workplace.publish()
    workplace.sandbox.fault({ system, match, mode: 'error', status: 500, times: 1 })
    await expect(setUp(workplace.context)).rejects.toMatchObject({ system })
    await setUp(workplace.context)
    const api = settingsOf('api.env')
    await stalwart({
      baseUrl: workplace.sandbox.mailUrl,
      apiKey: api.MAIL_API_KEY ?? '',
    }).check()
    expect(
      identityRecords().users.filter(({ username }) => username === 'olga@workplace.test'),
    ).toHaveLength(1)
  })
})

describe('what it waits for', () => {
  it('starts nothing before DNS holds every name, and says which ones are missing', async () => {
    workplace = await startWorkplace()
    const done = setUp(workplace.context)
    await expect
      .poll(() => workplace.said.join('\n'), { timeout: 20_000 })
      .toMatch(/portal\.workplace\.test\. +3600 IN A +192\.0\.2\.10/)
    expect(workplace.commands).toEqual([])
    workplace.publish()
    await done
    expect(workplace.said).toContain('DNS is complete')
  })

  it('gives up after a while, to be run again', async () => {
    workplace = await startWorkplace()
    const { context } = workplace
    await expect(
      setUp({ ...context, patience: { ...context.patience, dnsTimeoutMs: 30 } }),
    ).rejects.toThrow('DNS does not hold the records yet')
    expect(workplace.commands).toEqual([])
  })

  it('says what to look at when no certificate comes', async () => {
    const exec = async (service: string) => (service === 'caddy' ? 'no\n' : '')
    workplace = await startWorkplace({}, { exec })
    workplace.publish()
    const { context } = workplace
    await expect(
      setUp({ ...context, patience: { ...context.patience, timeoutMs: 300 } }),
    ).rejects.toThrow(/no certificate for mail\.workplace\.test/)
  })
})

describe('parts that start slowly', () => {
  it('are asked again: authentik fails while it applies blueprints of its own', async () => {
    workplace = await startWorkplace()
    workplace.publish()
    workplace.sandbox.fault({
      system: 'identity',
      match: 'POST /api/v3/managed/blueprints/',
      mode: 'error',
      status: 405,
      times: 2,
    })
    await setUp(workplace.context)
    expect(workplace.sandbox.identity.findUser('olga@workplace.test')).toBeDefined()
  })

  it('are waited for: authentik makes its token, OpenCloud its services, a while later', async () => {
    let calls = 0
    const exec = async (service: string, command: readonly string[]) => {
      if (service === 'caddy') return 'yes\n'
      calls += 1
      if (calls === 1) throw new Error('docker compose exec … ended with status 1')
      const username = command[command.indexOf('--user-name') + 1] ?? ''
      return ` token: ${workplace.sandbox.files.createAppToken(username, 3_600_000)}\n`
    }
    workplace = await startWorkplace({}, { exec })
    workplace.publish()
    workplace.sandbox.fault({
      system: 'identity',
      match: 'GET /api/v3/core/users/me/',
      mode: 'error',
      status: 403,
      times: 2,
    })
    await setUp(workplace.context)
    expect(calls).toBe(3)
  })

  it('are given up after a while, with the next step', async () => {
    workplace = await startWorkplace()
    workplace.publish()
    workplace.files.content.set('secrets/authentik-setup-token', 'of-another-installation')
    const { context } = workplace
    await expect(
      setUp({ ...context, patience: { ...context.patience, timeoutMs: 100 } }),
    ).rejects.toThrow(/secrets\/authentik-setup-token.*superuser/)
  })
})

describe('what it cannot do', () => {
  it('stops at a Docker Compose that is too old', async () => {
    workplace = await startWorkplace({}, { composeVersion: async () => '2.17.3' })
    await expect(setUp(workplace.context)).rejects.toThrow('too old')
    expect(workplace.files.content.has('.env')).toBe(false)
  })

  it('asks for the address of a server that has none of its own', async () => {
    workplace = await startWorkplace()
    await expect(setUp({ ...workplace.context, addresses: {} })).rejects.toThrow('addresses.ipv4')
  })

  it('makes no operator who could not sign in, because another identity has the address', async () => {
    workplace = await startWorkplace()
    workplace.publish()
    const made = await fetch(`${workplace.sandbox.identityUrl}/api/v3/core/users/`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${demoServiceCredentials.identityAdminToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ username: 'olga', name: 'Olga', email: 'olga@workplace.test' }),
    })
    expect(made.status).toBe(201)
    await expect(setUp(workplace.context)).rejects.toThrow(
      'The identity olga has the address olga@workplace.test too',
    )
    const names = identityRecords().users.map(({ username }) => username)
    expect(names).toContain('olga')
    expect(names).not.toContain('olga@workplace.test')
  })

  it('asks for the administrator of a mail server that was set up by hand', async () => {
    workplace = await startWorkplace()
    workplace.publish()
    await setUp(workplace.context)
    workplace.files.content.delete('secrets/mail-admin')
    await expect(setUp(workplace.context)).rejects.toThrow(SetupError)
  })

  it('reports what OpenCloud says when it makes no token', async () => {
    const exec = async (service: string) => (service === 'caddy' ? 'yes\n' : 'permission denied\n')
    workplace = await startWorkplace({}, { exec })
    workplace.publish()
    const { context } = workplace
    await expect(
      setUp({ ...context, patience: { ...context.patience, timeoutMs: 100 } }),
    ).rejects.toThrow('no app token for admin')
  })
})

describe('a dry run', () => {
  it('shows files and records, and changes nothing', async () => {
    workplace = await startWorkplace()
    const before = new Map(workplace.files.content)
    const planned = plannedFiles(workplace.files)
    await planSetup({ ...workplace.context, files: planned }, planned.written)
    expect(workplace.files.content).toEqual(before)
    expect(workplace.commands).toEqual([])
    const said = workplace.said.join('\n')
    expect(said).toContain('  secrets/pgbackrest.conf')
    expect(said).toContain('PORTAL_HOST=portal.workplace.test')
    expect(said).toMatch(/mail\.workplace\.test\. +3600 IN A/)
  })
})
