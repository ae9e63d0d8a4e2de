import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { demoClients, demoPassword, demoPeople, demoServiceCredentials } from '@atrium/core/demo'
import { openDatabase } from '@atrium/db/connect'
import { seedDemo } from '@atrium/db/demo'
import { startEmbeddedServer, stopLeftover } from '@atrium/db/embedded'
import { migrate } from '@atrium/db/migrate'
import { createMigratedDatabase } from '@atrium/db/provision-database'
import { seedDemoScheduling } from './dev/demo-scheduling.ts'
import { chooseDataFolder, refuseTakenPorts } from './dev/machine.ts'
import { baseFault, portsOf } from './dev/ports.ts'
import { createHousehold } from './dev/processes.ts'
import { buildIfStale, watchSources } from './dev/sources.ts'

const usage = `pnpm dev            start the whole workplace, keeping its data
pnpm dev --fresh    start anew, with the demo data only

ATRIUM_PORT_BASE=14000 pnpm dev    a second workplace beside the first
DATABASE_URL=postgres://… pnpm dev    on a PostgreSQL of yours (16 or newer)`

const { values } = parseArgs({
  options: { fresh: { type: 'boolean' }, help: { type: 'boolean', short: 'h' }, 'no-watch': { type: 'boolean' } },
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
const at = (port: number) => `http://localhost:${port}`
const began = performance.now()
// By these the API knows the portals' servers. Both are started from here, so new ones do at each start.
const appSecrets = { portal: randomBytes(32).toString('hex'), operator: randomBytes(32).toString('hex') }

const root = import.meta.dirname
const folder = await chooseDataFolder(root, base)
const household = createHousehold(join(folder, 'logs'))
let server: Awaited<ReturnType<typeof startEmbeddedServer>> | undefined
let stopWatching: () => void = () => {}
let leaving: Promise<void> | undefined
const stopping = new AbortController()

/** Ends the processes, then the database they use; whoever asks first decides the exit code. */
async function leave(code: number): Promise<void> {
  leaving ??= (async () => {
    stopping.abort()
    stopWatching()
    await household.stop()
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
household.onFailure((name, lines) => {
  if (leaving) return
  process.stderr.write(`\n${name} ended unexpectedly. Its last lines:\n${lines.map((line) => `  ${line}`).join('\n')}\n`)
  void leave(1)
})

try {
  await start()
} catch (error) {
  if (!leaving) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  await leave(1)
}

async function start(): Promise<void> {
  const external = process.env.DATABASE_URL
  // A launcher that was killed leaves its database server behind, on the very port that is looked at next.
  await stopLeftover(join(folder, 'postgres'))
  await refuseTakenPorts(Object.entries(ports).filter(([name]) => !(external && name === 'postgres')))
  if (values.fresh) await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, 'logs'), { recursive: true })
  await chmod(folder, 0o755)

  const sandbox = household.start('sandbox', 'packages/sandbox/src/main.ts', {
    ATRIUM_PORT_BASE: String(base),
    ATRIUM_SANDBOX_STATE: join(folder, 'sandbox.json'),
  })
  const builds = Promise.all([buildIfStale(root, 'portal'), buildIfStale(root, 'operator'), buildIfStale(root, 'booking')])
  // Awaited below; until then a failure must not count as one that nobody looks at.
  builds.catch(() => {})
  const database = await prepareDatabase(external)
  await sandbox.ready(at(ports.control))

  const encryptionKeys = await localEncryptionKey()
  const api = household.start('api', 'apps/api/src/main.ts', apiEnvironment(database.appUrl, encryptionKeys))
  await builds
  const portal = household.start('portal', 'apps/portal/src/server.ts', appEnvironment('portal', database.appUrl, encryptionKeys))
  const operator = household.start('operator', 'apps/operator/src/server.ts', appEnvironment('operator', database.appUrl, encryptionKeys))
  const booking = household.start('booking', 'apps/booking/src/server.ts', bookingEnvironment())
  await Promise.all([
    api.ready(`${at(ports.api)}/health/ready`),
    portal.ready(`${at(ports.portal)}/health`),
    operator.ready(`${at(ports.operator)}/health`),
    booking.ready(`${at(ports.booking)}/health`),
  ])
  if (!values['no-watch']) stopWatching = watchSources(root, { api, portal, operator, booking, sandbox })
  welcome()
  void addDemoHosts()
}

/** Takes a while, because the demo tenant is being set up; the workplace is of use without it. */
async function addDemoHosts(): Promise<void> {
  try {
    await seedDemoScheduling({ api: at(ports.api), control: at(ports.control) }, stopping.signal)
  } catch (error) {
    if (leaving) return
    process.stderr.write(`The demo hosts of Acme were not made: ${error instanceof Error ? error.message : String(error)}\n`)
  }
}

async function prepareDatabase(external: string | undefined): Promise<{ appUrl: string }> {
  let appUrl = external ?? ''
  if (external) {
    await migrate(process.env.DATABASE_MIGRATION_URL ?? external)
  } else {
    server = await startEmbeddedServer({ dataDir: join(folder, 'postgres'), port: ports.postgres })
    appUrl = (await createMigratedDatabase(server.adminUrl, 'atrium')).appUrl
  }
  const database = openDatabase({ url: appUrl, applicationName: 'atrium-dev', onError: () => {} })
  await seedDemo(database.db, 'tenants.local')
  await database.close()
  return { appUrl }
}

/** Sessions and the credentials of calendars stay readable over a restart, so the key is kept beside the data. */
async function localEncryptionKey(): Promise<string> {
  const file = join(folder, 'encryption-key')
  const kept = await readFile(file, 'utf8').catch(() => undefined)
  if (kept) return kept
  const made = `local:${randomBytes(32).toString('base64')}`
  await writeFile(file, made, { mode: 0o600 })
  return made
}

function issuer(app: keyof typeof demoClients): string {
  return `${at(ports.identity)}/application/o/${demoClients[app].slug}/`
}

function apiEnvironment(databaseUrl: string, encryptionKeys: string): Record<string, string> {
  return {
    PORT: String(ports.api),
    METRICS_PORT: String(ports.metrics),
    DATABASE_URL: databaseUrl,
    PLATFORM_TENANT_DOMAIN: 'tenants.local',
    ANSWER_CHECKS: 'all',
    MAIL_PROVISIONING_ENABLED: 'true',
    IDP_ISSUER: `${issuer('portal')},${issuer('operator')}`,
    IDP_AUDIENCE: `${demoClients.portal.clientId},${demoClients.operator.clientId}`,
    IDP_API_URL: at(ports.identity),
    IDP_API_TOKEN: demoServiceCredentials.identityToken,
    MAIL_API_URL: at(ports.mail),
    MAIL_API_KEY: demoServiceCredentials.mailApiKey,
    FILES_API_URL: at(ports.files),
    FILES_API_USER: demoServiceCredentials.filesUser,
    FILES_API_TOKEN: demoServiceCredentials.filesAppToken,
    BILLING_PAYMENTS_ENABLED: 'true',
    STRIPE_SECRET_KEY: demoServiceCredentials.stripeSecretKey,
    STRIPE_PUBLISHABLE_KEY: demoServiceCredentials.stripePublishableKey,
    STRIPE_WEBHOOK_SECRET: demoServiceCredentials.stripeWebhookSecret,
    STRIPE_API_URL: at(ports.payments),
    PORTAL_URL: at(ports.portal),
    BOOKING_URL: at(ports.booking),
    BOOKING_APP_SECRET: demoServiceCredentials.bookingAppSecret,
    PORTAL_APP_SECRET: appSecrets.portal,
    OPERATOR_APP_SECRET: appSecrets.operator,
    ENCRYPTION_KEYS: encryptionKeys,
    SMTP_URL: `smtp://localhost:${ports.smtp}`,
    DNS_SERVERS: `127.0.0.1:${ports.dns}`,
  }
}

function appEnvironment(app: 'portal' | 'operator', databaseUrl: string, encryptionKeys: string): Record<string, string> {
  return {
    PORT: String(ports[app]),
    PUBLIC_URL: at(ports[app]),
    API_URL: at(ports.api),
    DATABASE_URL: databaseUrl,
    IDP_ISSUER: issuer(app),
    OIDC_CLIENT_ID: demoClients[app].clientId,
    OIDC_CLIENT_SECRET: demoClients[app].clientSecret,
    APP_SECRET: appSecrets[app],
    ENCRYPTION_KEYS: encryptionKeys,
    ...(app === 'portal' && { MAIL_PUBLIC_HOST: 'mail.localhost' }),
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
  const people = demoPeople.map((person) => `  ${person.email.padEnd(24)} ${describe(person.email)}`)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  process.stdout.write(`
Atrium is up (${seconds} s).

  Operator portal   ${at(ports.operator)}
  Customer portal   ${at(ports.portal)}
  Booking pages     ${at(ports.booking)}/acme
  API reference     ${at(ports.api)}/docs
  Sandbox           ${at(ports.control)}    the outside systems: their records, calls, and faults to switch on
  Mail caught       ${at(ports.smtpPage)}
  Payments          ${at(ports.payments)}    stands in for Stripe: let time pass, charge, refund, dispute
  DNS               ${at(ports.dnsPage)}    where the records of a domain are published

People (password "${demoPassword}" for all):
${people.join('\n')}

Try this first:
  1. Open the customer portal, sign in as newcomer@example.test and create a workplace. Watch identity, mail and files being set up.
  2. On the sandbox page switch a fault on for "files", create another one: exactly that step shows an error.
  3. Switch the fault off and press "Retry now": the workplace becomes active.
  4. Open the operator portal as operator@atrium.test: tenants, people, and the audit log of what you just did.
  5. Open the booking pages and take a time: the mail is caught, the event stands in the host's calendar, the booking in Acme's portal.

Data and logs: ${folder}
Ctrl-C stops everything; the data stays. "pnpm dev --fresh" starts anew.
`)
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
