import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  commandLineClient,
  demoClients,
  demoPassword,
  demoPeople,
  demoServiceCredentials,
} from '@atrium/core/demo/demo'
import { seedDemo } from '@atrium/db/demo/demo'
import { openDatabase } from '@atrium/db/platform/connect'
import { migrate } from '@atrium/db/schema/migrate'
import { startEmbeddedServer, stopLeftover } from '@atrium/db/server/embedded'
import { createMigratedDatabase } from '@atrium/db/server/provision-database'
import { seedDemoScheduling } from './dev/demo-scheduling.ts'
import { chooseDataFolder, rejectTakenPorts } from './dev/machine.ts'
import { baseFault, inspectorOf, portsOf } from './dev/ports.ts'
import { createProcessGroup } from './dev/processes.ts'
import { otherSystemsFault, readOutsideSystems } from './dev/real-systems.ts'
import { buildIfStale, watchBookingClient } from './dev/sources.ts'

const usage = `pnpm dev            start the whole workplace, keeping its data
pnpm dev --fresh    delete the data and start with the demo data
pnpm dev --fresh --plain    the same without the history: two workplaces and their people
pnpm dev --no-watch    serve the pages as they are deployed, and ignore changes of sources

ATRIUM_PORT_BASE=14000 pnpm dev    a second workplace beside the first
DATABASE_URL=postgres://… pnpm dev    on a PostgreSQL of yours (16 or newer)
TAX_MODE=fixed_rates TAX_SELLER_COUNTRY=DE TAX_RATES=DE=19 pnpm dev --fresh    with VAT
DEV_STALWART_URL=… DEV_STALWART_API_KEY=… pnpm dev --fresh    with real systems: docs/how-to/sandbox.md`

const { values } = parseArgs({
  options: {
    fresh: { type: 'boolean' },
    plain: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
    'no-watch': { type: 'boolean' },
  },
})
if (values.help) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}

const base = Number(process.env.ATRIUM_PORT_BASE ?? 4000)
const fault = baseFault(base)
if (fault) {
  process.stderr.write(`${fault}\n`)
  process.exit(78)
}
const ports = portsOf(base)
const outside = readOutsideSystems(process.env, ports)
if ('faults' in outside) {
  process.stderr.write(`${outside.faults.join('\n')}\n`)
  process.exit(78)
}
const { systems } = outside
const allSandbox = Object.keys(systems.real).length === 0
/** Servers restart when their sources change, and pages are served from theirs. */
const watching = !values['no-watch']
const servers = ['api', 'portal', 'operator', 'booking', 'sandbox'] as const
const at = (port: number) => `http://localhost:${port}`
const began = performance.now()
// By these the API knows the portals' servers. Both are started from here, so new ones do at each
// start.
const appSecrets = {
  portal: randomBytes(32).toString('hex'),
  operator: randomBytes(32).toString('hex'),
}

const root = import.meta.dirname
const folder = await chooseDataFolder(root, base)
const processes = createProcessGroup(join(folder, 'logs'))
/** Which systems were real when the data was created. */
const systemsFile = join(folder, 'outside-systems.json')
let server: Awaited<ReturnType<typeof startEmbeddedServer>> | undefined
let stopWatching: () => void = () => {}
let leaving: Promise<void> | undefined
let up = false
const stopping = new AbortController()

/** Ends the processes, then the database they use; the first caller decides the exit code. */
async function leave(code: number): Promise<void> {
  leaving ??= (async () => {
    stopping.abort()
    stopWatching()
    await processes.stop()
    await server?.stop()
    process.exit(code)
  })()
  await leaving
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (leaving) return
    process.stdout.write('\nStopping…\n')
    void leave(0)
  })
}
processes.onFailure((name, lines) => {
  if (leaving) return
  const last = lines.map((line) => `  ${line}`).join('\n')
  process.stderr.write(`\n${name} ended unexpectedly. Its last lines:\n${last}\n`)
  if (up && watching) process.stderr.write(`[dev] ${name} starts again with the next change\n`)
  else void leave(1)
})

try {
  await start()
} catch (error) {
  if (!leaving) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  await leave(1)
}

async function start(): Promise<void> {
  const external = process.env.DATABASE_URL
  // A launcher that was killed leaves its database server behind, on the very port that is looked
  // at next.
  await stopLeftover(join(folder, 'postgres'))
  await rejectTakenPorts([
    ...Object.entries(ports).filter(([name]) => !(external && name === 'postgres')),
    ...(watching
      ? servers.map((name): [string, number] => [`${name} inspector`, inspectorOf(ports, name)])
      : []),
  ])
  if (values.fresh) await rm(folder, { recursive: true, force: true })
  await keepToSystems()
  await mkdir(join(folder, 'logs'), { recursive: true })
  await chmod(folder, 0o755)
  await writeFile(systemsFile, JSON.stringify(systems.real))

  const historyDay = await dayOfHistory()
  const run = (
    name: (typeof servers)[number],
    script: string,
    environment: Record<string, string>,
  ) =>
    processes.start(name, {
      script,
      // No balancer has to see that a server stops.
      environment: { SHUTDOWN_DRAIN_SECONDS: '0.5', ...environment },
      ...(watching && { watch: { inspectorPort: inspectorOf(ports, name) } }),
    })

  const sandbox = run('sandbox', 'packages/sandbox/src/main.ts', {
    ATRIUM_PORT_BASE: String(base),
    ATRIUM_SANDBOX_STATE: join(folder, 'sandbox.json'),
    ...(historyDay && { ATRIUM_DEMO_DAY: historyDay }),
  })
  const builds = Promise.all(
    (watching ? (['booking'] as const) : (['portal', 'operator', 'booking'] as const)).map((app) =>
      buildIfStale(root, app),
    ),
  )
  // Awaited below; until then a failure must not count as an unhandled rejection.
  builds.catch(() => {})
  const encryptionKeys = await localEncryptionKey()
  const database = await prepareDatabase(external, { historyDay, encryptionKeys })
  await sandbox.ready(at(ports.control))

  const api = run('api', 'apps/api/src/main.ts', apiEnvironment(database.appUrl, encryptionKeys))
  await builds
  const runPortal = (app: 'portal' | 'operator') =>
    run(
      app,
      watching ? `apps/${app}/dev.ts` : `apps/${app}/src/server.ts`,
      appEnvironment(app, database.appUrl, encryptionKeys),
    )
  const portal = runPortal('portal')
  const operator = runPortal('operator')
  const booking = run('booking', 'apps/booking/src/server.ts', bookingEnvironment())
  await Promise.all([
    api.ready(`${at(ports.api)}/health/ready`),
    portal.ready(`${at(ports.portal)}/health`),
    operator.ready(`${at(ports.operator)}/health`),
    booking.ready(`${at(ports.booking)}/health`),
  ])
  up = true
  if (watching) stopWatching = watchBookingClient(root, booking)
  welcome()
  // Hosts sign in at the sandbox and have their calendars there.
  if (allSandbox) void addDemoHosts(database.appUrl, historyDay)
}

/** Throws a plain line when the data names objects of other servers than those of this start. */
async function keepToSystems(): Promise<void> {
  const started = await stat(join(folder, 'sandbox.json')).catch(() => undefined)
  const kept = await readFile(systemsFile, 'utf8').catch(() => (started ? '{}' : undefined))
  const fault = otherSystemsFault(kept, systems, folder)
  if (fault) throw new Error(fault)
}

/** Takes a while, because the demo tenant is being set up; the workplace is of use without it. */
async function addDemoHosts(appUrl: string, historyDay: string | undefined): Promise<void> {
  try {
    await seedDemoScheduling({ api: at(ports.api), control: at(ports.control) }, stopping.signal)
    if (historyDay)
      await (await import('./dev/history.ts')).seedBookings(appUrl, new Date(historyDay))
  } catch (error) {
    if (leaving) return
    process.stderr.write(
      `The demo hosts of Acme were not made: ${error instanceof Error ? error.message : String(error)}\n`,
    )
  }
}

interface Preparing {
  historyDay: string | undefined
  encryptionKeys: string
}

async function prepareDatabase(
  external: string | undefined,
  { historyDay, encryptionKeys }: Preparing,
): Promise<{ appUrl: string }> {
  let accounts = {
    appUrl: external ?? '',
    ownerUrl: process.env.DATABASE_MIGRATION_URL ?? external ?? '',
  }
  if (external) {
    await migrate(accounts.ownerUrl)
  } else {
    server = await startEmbeddedServer({ dataDir: join(folder, 'postgres'), port: ports.postgres })
    accounts = await createMigratedDatabase(server.adminUrl, 'atrium')
  }
  const { appUrl, ownerUrl } = accounts
  const database = openDatabase({ url: appUrl, applicationName: 'atrium-dev', onError: () => {} })
  const made = await seedDemo(
    database.db,
    'tenants.local',
    historyDay ? monthsBefore(historyDay, 11) : undefined,
  )
  await database.close()
  if (made.length > 0 && historyDay) {
    // Loaded for the first start alone.
    const [{ seedHistory }, { readConfig }] = await Promise.all([
      import('./dev/history.ts'),
      import('@atrium/api/platform/config'),
    ])
    await seedHistory(ownerUrl, {
      day: new Date(historyDay),
      config: readConfig(apiEnvironment(appUrl, encryptionKeys)),
    })
  }
  return { appUrl }
}

function monthsBefore(day: string, months: number): Date {
  const at = new Date(day)
  // On a day that every month has.
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - months, 3, 9))
}

/**
 * The day with which the demo history ends: the one of the first start, because database and
 * sandbox keep what they hold. Undefined for a workplace without a history.
 */
async function dayOfHistory(): Promise<string | undefined> {
  // The events of a history happened in the sandbox.
  if (values.plain || !allSandbox) return undefined
  const file = join(folder, 'demo-day')
  const kept = await readFile(file, 'utf8').catch(() => undefined)
  if (kept) return kept
  const started = await stat(join(folder, 'sandbox.json')).catch(() => undefined)
  if (started) return undefined
  const today = new Date().toISOString().slice(0, 10)
  await writeFile(file, today)
  return today
}

/**
 * Sessions and the credentials of calendars stay readable over a restart, so the key is kept beside
 * the data.
 */
async function localEncryptionKey(): Promise<string> {
  const file = join(folder, 'encryption-key')
  const kept = await readFile(file, 'utf8').catch(() => undefined)
  if (kept) return kept
  const made = `local:${randomBytes(32).toString('base64')}`
  await writeFile(file, made, { mode: 0o600 })
  return made
}

function issuer(app: keyof typeof demoClients): string {
  return `${systems.identity.url}/application/o/${demoClients[app].slug}/`
}

function apiEnvironment(databaseUrl: string, encryptionKeys: string): Record<string, string> {
  return {
    PORT: String(ports.api),
    METRICS_PORT: String(ports.metrics),
    DATABASE_URL: databaseUrl,
    PLATFORM_TENANT_DOMAIN: 'tenants.local',
    MAIL_PROVISIONING_ENABLED: 'true',
    IDP_ISSUER: `${issuer('portal')},${issuer('operator')}`,
    IDP_AUDIENCE: `${systems.identity.portal.clientId},${systems.identity.operator.clientId}`,
    IDP_CLI_ISSUER: `${systems.identity.url}/application/o/${commandLineClient.slug}/`,
    IDP_CLI_AUDIENCE: commandLineClient.clientId,
    IDP_API_URL: systems.identity.url,
    IDP_API_TOKEN: systems.identity.token,
    MAIL_API_URL: systems.mail.url,
    MAIL_API_KEY: systems.mail.apiKey,
    FILES_API_URL: systems.files.url,
    FILES_API_USER: systems.files.user,
    FILES_API_TOKEN: systems.files.appToken,
    BILLING_PAYMENTS_ENABLED: 'true',
    STRIPE_SECRET_KEY: demoServiceCredentials.stripeSecretKey,
    STRIPE_PUBLISHABLE_KEY: demoServiceCredentials.stripePublishableKey,
    STRIPE_WEBHOOK_SECRET: demoServiceCredentials.stripeWebhookSecret,
    STRIPE_API_URL: at(ports.payments),
    SELLER_NAME: 'Atrium Demo GmbH',
    SELLER_ADDRESS_LINE1: 'Musterstraße 1',
    SELLER_POSTAL_CODE: '10115',
    SELLER_CITY: 'Berlin',
    SELLER_COUNTRY: 'DE',
    SELLER_VAT_NUMBER: 'DE136695976',
    SELLER_EMAIL: 'billing@atrium.test',
    SELLER_CONTACT_NAME: 'Accounting',
    SELLER_CONTACT_PHONE: '+49 30 1234567',
    ...taxEnvironment(),
    PORTAL_URL: at(ports.portal),
    OPERATOR_URL: at(ports.operator),
    BOOKING_URL: at(ports.booking),
    BOOKING_APP_SECRET: demoServiceCredentials.bookingAppSecret,
    PORTAL_APP_SECRET: appSecrets.portal,
    OPERATOR_APP_SECRET: appSecrets.operator,
    ENCRYPTION_KEYS: encryptionKeys,
    // Receivers of webhooks on this machine.
    WEBHOOK_ADDRESSES: '127.0.0.1,::1',
    SMTP_URL: `smtp://localhost:${ports.smtp}`,
    DNS_SERVERS: `127.0.0.1:${ports.dns}`,
  }
}

/** Without a `TAX_MODE` the seller of the demo is a small business that charges no VAT. */
function taxEnvironment(): Record<string, string> {
  const mode = process.env.TAX_MODE ?? 'none'
  if (mode === 'none') return { SELLER_TAX_EXEMPTION: 'Kleinunternehmer, § 19 UStG' }
  return { VIES_API_URL: at(ports.vies) }
}

function appEnvironment(
  app: 'portal' | 'operator',
  databaseUrl: string,
  encryptionKeys: string,
): Record<string, string> {
  return {
    PORT: String(ports[app]),
    PUBLIC_URL: at(ports[app]),
    API_URL: at(ports.api),
    DATABASE_URL: databaseUrl,
    IDP_ISSUER: issuer(app),
    OIDC_CLIENT_ID: systems.identity[app].clientId,
    OIDC_CLIENT_SECRET: systems.identity[app].clientSecret,
    APP_SECRET: appSecrets[app],
    ENCRYPTION_KEYS: encryptionKeys,
    ...(app === 'portal' && {
      API_PUBLIC_URL: at(ports.api),
      MAIL_PUBLIC_HOST: 'mail.localhost',
    }),
  }
}

function bookingEnvironment(): Record<string, string> {
  return {
    PORT: String(ports.booking),
    PUBLIC_URL: at(ports.booking),
    API_URL: at(ports.api),
    BOOKING_APP_SECRET: demoServiceCredentials.bookingAppSecret,
    // So that several visitors can be tried from one machine: limits are per address.
    TRUSTED_PROXY_HOPS: '1',
  }
}

function welcome(): void {
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  process.stdout.write(`
Atrium is up (${seconds} s).

  Operator portal   ${at(ports.operator)}
  Customer portal   ${at(ports.portal)}
  Booking pages     ${at(ports.booking)}/acme
  API reference     ${at(ports.api)}/docs
  Sandbox           ${at(ports.control)}    the upstream systems: their records, calls, and faults to switch on
  Mail caught       ${at(ports.smtpPage)}
  Payments          ${at(ports.payments)}    stands in for Stripe: let time pass, charge, refund, dispute
  DNS               ${at(ports.dnsPage)}    where the records of a domain are published

${allSandbox ? guide() : realGuide()}
${watching ? watchGuide() : ''}Data and logs: ${folder}
Ctrl-C stops everything; the data stays. "pnpm dev --fresh" starts with an empty database.
`)
}

function watchGuide(): string {
  const inspectors = servers.map((name) => `${name} ${inspectorOf(ports, name)}`).join(', ')
  return `Changes of sources show at once: pages are replaced in the browser, servers restart.
Inspector ports: ${inspectors}
`
}

function guide(): string {
  const people = demoPeople.map(
    (person) => `  ${person.email.padEnd(24)} ${describe(person.email)}`,
  )
  return `People (password "${demoPassword}" for all):
${people.join('\n')}

Try this first:
  1. Open the customer portal, sign in as newcomer@example.test and create a workplace. Watch identity, mail and files being set up.
  2. On the sandbox page switch a fault on for "files", create another one: exactly that step shows an error.
  3. Switch the fault off and press "Retry now": the workplace becomes active.
  4. Open the operator portal as operator@atrium.test: tenants, people, and the audit log of what you just did.
  5. Open the booking pages and take a time: the mail is caught, the event stands in the host's calendar, the booking in Acme's portal.
`
}

/**
 * The demo's people and workplaces are the sandbox's. People who sign in at a real authentik begin
 * with a workplace of their own.
 */
function realGuide(): string {
  const named = Object.entries(systems.real).map(([system, url]) => `  ${system.padEnd(10)} ${url}`)
  const people = systems.real.identity
    ? `People are those of ${systems.real.identity}.`
    : `People: ${demoPeople.map(({ email }) => email).join(', ')} (password "${demoPassword}")`
  return `Real upstream systems:
${named.join('\n')}

${people}
`
}

function describe(email: string): string {
  const roles: Record<string, string> = {
    'operator@atrium.test': 'platform administrator (operator portal)',
    'owner@acme.test': 'owner of Acme Engineering',
    'admin@acme.test': 'admin of Acme Engineering',
    'member@acme.test': 'member of Acme Engineering',
    'owner@globex.test': 'owner of Globex',
    'partner@north.test': 'staff of the partner North Cloud Services',
    'newcomer@example.test': 'has no workplace yet',
  }
  return roles[email] ?? ''
}
