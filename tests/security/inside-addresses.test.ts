import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkDueDomains } from '@atrium/api/mail/domains/jobs'
import { drainOutbox } from '@atrium/api/outbox/drain'
import { checkIntegrations } from '@atrium/integrations/connect'
import { overRest } from '@atrium/testing/calls'
import { openLocations, type Places } from '@atrium/testing/matrix/world'
import { inFull, recordMeasurement, rounds } from '@atrium/testing/measurements'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { callOf, inputWith, nameOf, type TextField, textFields } from '@atrium/testing/text-fields'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { insideHosts } from './inside-addresses.ts'
import { type Listener, openListener, recordOutgoing } from './outgoing.ts'

const fourHours = 4 * 3600

let places: Places
let listener: Listener

beforeAll(async () => {
  places = await openLocations({ sandbox: { identity: { accessTokenSeconds: fourHours } } })
  listener = await openListener()
})
afterAll(async () => {
  await listener[Symbol.asyncDispose]()
  await places[Symbol.asyncDispose]()
})

/**
 * Fields that contain an address of some kind. A new one has to be reviewed by a person before it
 * is listed here.
 */
const addressFields = [
  ...['avatarUrl', 'embedOrigins', 'launchUrl', 'redirectUris', 'supportUrl', 'location', 'url'],
  ...['domain', 'domains', 'rua', 'html', 'csv'],
  ...[
    'address',
    'mailAddress',
    'alternativeEmail',
    'email',
    'guests',
    'linkTo',
    'noticeEmail',
    'ownerEmail',
    'recipients',
    'supportEmail',
    'username',
  ],
  ...['add', 'remove', 'actorEmail'],
]
const lastName = ({ path }: TextField) =>
  path.findLast((part) => part !== '[]' && part !== '{}') ?? ''
const looksLikeAddress =
  /url|uri|origin|link|domain|host$|address|email|guest|recipient|server|webhook|endpoint|callback|image|logo|avatar/i

/** The address as this field would hold it. */
function written(field: TextField, host: string, port: number): string {
  const name = lastName(field)
  if (/domain/.test(name)) return host
  if (name === 'csv') return `email,name\nsomebody@${host},Somebody\n`
  if (name === 'html')
    return `<img src="http://${host}:${port}/"><link rel="stylesheet" href="http://${host}:${port}/a.css">`
  if (/email|address|guest|recipient|rua|username|add|remove|linkTo/i.test(name))
    return `somebody@${host}`
  return `https://${host}:${port}/x?y=z`
}

/** What a process of this workplace may connect to, as `host:port`. */
function configured({ env, sandbox }: TestApp, further: readonly string[] = []): Set<string> {
  const urls = [
    env.IDP_API_URL,
    env.MAIL_API_URL,
    env.FILES_API_URL,
    env.STRIPE_API_URL,
    env.DATABASE_URL,
    sandbox.smtpUrl,
    sandbox.smtpPageUrl,
  ]
  const known = [...urls, env.IDP_ISSUER, env.IDP_CLI_ISSUER, ...further].filter(
    (url): url is string => url !== undefined && url !== '',
  )
  return new Set(known.flatMap((url) => url.split(',')).map((url) => new URL(url).host))
}

async function workOff({ app }: TestApp): Promise<void> {
  await drainOutbox(app.services)
  await checkDueDomains(app.services)
}

it('knows every field that holds an address', () => {
  const fields = textFields()
  expect(fields.length).toBeGreaterThan(200)
  const found = new Set(
    fields.filter((field) => looksLikeAddress.test(lastName(field))).map(lastName),
  )
  expect([...found].filter((name) => !addressFields.includes(name)).sort()).toEqual([])
  expect(addressFields.filter((name) => !fields.some((field) => lastName(field) === name))).toEqual(
    [],
  )
})

it('connects to nothing that a person named, in any text of any call', async () => {
  const { testApp } = places
  const allowed = configured(testApp)
  expect(insideHosts.length).toBeGreaterThanOrEqual(60)
  const named = textFields().filter((field) => addressFields.includes(lastName(field)))
  const others = textFields().filter((field) => !addressFields.includes(lastName(field)))
  const counts = { calls: 0, taken: 0, refused: 0 }
  let turn = 0
  using outgoing = recordOutgoing()
  async function tryField(field: TextField, hosts: readonly string[]) {
    const { row, caller } = callOf(field)
    let world: Awaited<ReturnType<Places['build']>> | undefined
    for (const host of hosts) {
      world ??= await places.build(caller)
      const input = await inputWith(field, row, world, written(field, host, listener.port)).catch(
        () => undefined,
      )
      const answer = input && (await overRest(testApp, field.procedure, input, world.token))
      // A row that was put in place for the call before may be in the way of the next one.
      if (!answer || answer.status < 400 || answer.status === 409) world = undefined
      counts.calls += 1
      if (answer && answer.status < 400) counts.taken += 1
      else counts.refused += 1
      // 502 to 504 are an upstream system's; these hosts have no calendar, for one.
      expect(answer?.status ?? 0, nameOf(field)).not.toBe(500)
    }
  }
  const next = (count: number) =>
    Array.from({ length: count }, () => insideHosts[turn++ % insideHosts.length] ?? '')
  for (const field of named) await tryField(field, inFull ? insideHosts : next(2))
  for (const field of others) await tryField(field, next(inFull ? 3 : 0))
  await workOff(testApp)
  const outsiders = outgoing.tried.filter((destination) => !allowed.has(destination))
  await recordMeasurement({
    target: 'S7',
    what: `${insideHosts.length} addresses over ${named.length} fields that hold one${inFull ? `, some over ${others.length} other texts` : ', a few each'}`,
    measured: `${counts.calls} calls, ${counts.taken} kept as data, ${counts.refused} refused; ${listener.connections()} connections inside, ${outsiders.length} to anywhere that is not configured, of ${outgoing.tried.length}`,
    reached: outsiders.length === 0 && listener.connections() === 0 && counts.taken > 0,
  })
  expect([...new Set(outsiders)]).toEqual([])
  expect(listener.connections()).toBe(0)
  expect(counts.taken).toBeGreaterThan(0)
})

/** Headers by which a request tells where it came from or went to. */
const headers = [
  'host',
  'x-forwarded-host',
  'x-forwarded-server',
  'forwarded',
  'origin',
  'referer',
  'x-original-url',
  'x-rewrite-url',
  'true-client-ip',
  'x-wap-profile',
  'webhook-request-origin',
]

it('connects to nothing that a header names', async () => {
  const { testApp } = places
  const allowed = configured(testApp)
  const world = await places.build('operator')
  using outgoing = recordOutgoing()
  let sent = 0
  for (const host of insideHosts.filter(
    (one, index) => /^[\x21-\x7e]+$/.test(one) && index % rounds(6, 1) === 0,
  )) {
    for (const name of headers) {
      const value =
        name === 'forwarded'
          ? `host="${host.replaceAll('\\', '')}:${listener.port}"`
          : `http://${host}:${listener.port}/`
      const { status } = await testApp.request('GET', `/tenants/${world.slug}`, {
        token: world.token,
        headers: { [name]: value },
      })
      expect(status, `${name}: ${value}`).toBe(200)
      sent += 1
    }
  }
  const outsiders = outgoing.tried.filter((destination) => !allowed.has(destination))
  await recordMeasurement({
    target: 'S7',
    what: `${headers.length} headers that name an address`,
    measured: `${sent} requests, ${outsiders.length + listener.connections()} connections`,
    reached: outsiders.length === 0 && listener.connections() === 0,
  })
  expect(outsiders).toEqual([])
  expect(listener.connections()).toBe(0)
})

/** What a domain's own name servers can answer, each of which names a place inside. */
const responses: readonly { type: string; name?: string; value: string }[] = [
  { type: 'A', value: '127.0.0.1' },
  { type: 'A', value: '169.254.169.254' },
  { type: 'AAAA', value: '::1' },
  { type: 'AAAA', value: '::ffff:127.0.0.1' },
  { type: 'MX', value: '10 localhost' },
  { type: 'MX', value: '10 inside.rebind.example.com' },
  { type: 'CNAME', name: 'autoconfig', value: 'localhost' },
  { type: 'CNAME', name: '_dmarc', value: 'inside.rebind.example.com' },
  { type: 'SRV', name: '_imaps._tcp', value: '0 1 993 localhost' },
  { type: 'SRV', name: '_submissions._tcp', value: '0 1 465 inside.rebind.example.com' },
  { type: 'SRV', name: '_caldavs._tcp', value: '0 1 443 localhost' },
  {
    type: 'TXT',
    value: 'v=spf1 ip4:127.0.0.1 include:localhost redirect=inside.rebind.example.com',
  },
  {
    type: 'TXT',
    value: 'v=spf1 a:localhost mx:localhost exists:%{i}.localhost ptr:localhost -all',
  },
  { type: 'TXT', name: '_mta-sts', value: 'v=STSv1; id=1' },
  {
    type: 'TXT',
    name: '_dmarc',
    value:
      'v=DMARC1; p=none; rua=https://127.0.0.1/,mailto:a@[127.0.0.1]; ruf=http://169.254.169.254/',
  },
  { type: 'CNAME', name: 'mta-sts', value: 'localhost' },
  { type: 'TXT', name: '_smtp._tls', value: 'v=TLSRPTv1; rua=https://127.0.0.1/report' },
]

it('only queries DNS about a domain, whatever the records name, and even if they change between two lookups', async () => {
  await using testApp = await startTestApp({
    mailer: true,
    manyChanges: true,
    sandbox: { identity: { accessTokenSeconds: fourHours } },
  })
  const owner = await testApp.token('owner@acme.test')
  const allowed = configured(testApp)
  using outgoing = recordOutgoing()
  const added = await testApp.request('POST', '/tenants/acme/domains', {
    token: owner,
    body: { domain: 'rebind.example.com' },
  })
  expect(added.status).toBe(201)
  let looks = 0
  for (const address of ['192.0.2.7', '127.0.0.1', '192.0.2.7', '169.254.169.254'].slice(
    0,
    rounds(2, 4),
  )) {
    for (const { type, name, value } of responses) {
      const at = name === undefined ? 'rebind.example.com' : `${name}.rebind.example.com`
      testApp.sandbox.dns.zones.put('rebind.example.com', [
        { name: at, type, value },
        { name: 'inside.rebind.example.com', type: 'A', value: address },
      ])
      const { status } = await testApp.request(
        'POST',
        '/tenants/acme/domains/rebind.example.com/recheck',
        { token: owner },
      )
      expect(status, `${type} ${value}`).toBe(200)
      looks += 1
    }
  }
  await workOff(testApp)
  const asked = testApp.sandbox.state().dns.calls.length
  const outsiders = outgoing.tried.filter((destination) => !allowed.has(destination))
  await recordMeasurement({
    target: 'S7',
    what: 'answers of DNS that lead inside, changing between two looks',
    measured: `${looks} looks at ${responses.length} kinds of records, ${asked} questions to the configured resolver, ${outsiders.length} connections elsewhere`,
    reached: outsiders.length === 0 && asked > 0,
  })
  expect(outsiders).toEqual([])
  expect(asked).toBeGreaterThan(0)
})

it('follows no redirect of an upstream system to the inside', async () => {
  const location = `http://127.0.0.1:${listener.port}/`
  const statuses = [301, 302, 303, 307, 308]
  let redirected = 0
  const server = createServer((_, response) => {
    response.writeHead(statuses[redirected++ % statuses.length] ?? 302, { location }).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    await using testApp = await startTestApp({
      provisioned: false,
      env: { IDP_API_URL: url, MAIL_API_URL: url, FILES_API_URL: url, STRIPE_API_URL: url },
    })
    const before = listener.connections()
    for (let round = 0; round < statuses.length; round++)
      await checkIntegrations(testApp.app.services.systems, { deadlineMs: 5_000 })
    const token = await testApp.token('operator@atrium.test')
    await testApp.request('POST', '/tenants/acme/reconcile', { token })
    await recordMeasurement({
      target: 'S7',
      what: 'redirects of upstream systems to the inside',
      measured: `${redirected} redirects, ${listener.connections() - before} followed`,
      reached: redirected > statuses.length && listener.connections() === before,
    })
    expect(redirected).toBeGreaterThan(statuses.length)
    expect(listener.connections()).toBe(before)
  } finally {
    await new Promise((done) => server.close(done))
  }
})
