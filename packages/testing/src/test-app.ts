import { createHash, randomBytes } from 'node:crypto'
import { type App, createApp } from '@atrium/api/app'
import type { Clock } from '@atrium/api/platform/clock'
import { type Config, readConfig } from '@atrium/api/platform/config'
import { createLogger } from '@atrium/api/platform/log'
import { createUpstreamCalls } from '@atrium/api/platform/upstream-calls'
import { runProvisioning } from '@atrium/api/provisioning/run'
import type { AppRouter } from '@atrium/api/router'
import { undeclaredError } from '@atrium/api/rpc/procedure'
import type { AuditAction } from '@atrium/core/audit/audit'
import { commandLineClient, demoClients, demoServiceCredentials } from '@atrium/core/demo/demo'
import { limitNames, limits } from '@atrium/core/platform/limits'
import { seedDemo } from '@atrium/db/demo/demo'
import { type Database, openDatabase } from '@atrium/db/platform/connect'
import type { ReplicaRead } from '@atrium/db/platform/replica'
import type { DatabaseAccounts } from '@atrium/db/server/provision-database'
import { connectIntegrations, type Integrations } from '@atrium/integrations/connect'
import { type Sandbox, type StartOptions, startSandbox } from '@atrium/sandbox/start'
import { createTRPCClient, httpLink } from '@trpc/client'
import superjson from 'superjson'
import { undocumented } from './documented.ts'
import { faultsOfDatabase } from './event-schemas.ts'
import { copyDatabase } from './postgres/database.ts'
import { tenantIdOf } from './records.ts'
import {
  secretsOfEnvironment,
  secretsOfRequest,
  shownInAudit,
  shownInLog,
  shows,
} from './shown-secrets.ts'

export interface TestResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire brought
  body: any
}

export interface RequestOptions {
  token?: string | undefined
  body?: unknown
  headers?: Record<string, string>
}

/** The real app on a database of its own, with the sandbox as the outside world. */
export interface TestApp extends AsyncDisposable {
  app: App
  config: Config
  /** What `config` was read from; a process of its own can be started with it. */
  env: Readonly<Record<string, string>>
  database: Database
  /** The account that may change what the service may not. */
  ownerUrl: string
  sandbox: Sandbox
  /** Events of the payment processor, which wait here until a test sends them. */
  webhooks: {
    /** Ids of events that the service has not taken yet, oldest first. */
    pending(): readonly string[]
    /**
     * Sends these to the service, in this order, also a second time; without ids all that wait.
     * Returns the statuses.
     */
    deliver(ids?: readonly string[]): Promise<readonly number[]>
  }
  /** Everything the service logged, one JSON line each. */
  logLines: string[]
  /** Where each read went that a replica may serve. */
  replicaReads: ReplicaRead[]
  /** An access token of a demo person, exactly as signing in would give it. */
  token(email: string, app?: 'portal' | 'operator'): Promise<string>
  /** A REST request through the app. The body is parsed where it is JSON. */
  request(method: string, path: string, options?: RequestOptions): Promise<TestResponse>
  /** A tRPC client for a token, over the app. */
  trpc(token?: string): ReturnType<typeof createTRPCClient<AppRouter>>
  /** Actions in the audit log, oldest first. */
  auditActions(): Promise<string[]>
}

/** Where the job engine runs it may come first; then its run is waited for. */
async function provision(app: App, tenantId: string): Promise<void> {
  for (let i = 0; i < 200 && !(await runProvisioning(app.services, tenantId, 'unfinished')); i++)
    await new Promise((done) => setTimeout(done, 50))
}

/** Makes the tenant the proven owner of a domain, as a check of its records would. */
export async function proveDomain(testApp: TestApp, slug: string, name: string): Promise<void> {
  const { db } = testApp.database
  const id = await tenantIdOf(db, slug)
  await db.insertInto('proven_domains').values({ tenant_id: id, name }).execute()
  await db.insertInto('domains').values({ tenant_id: id, name, verified_at: new Date() }).execute()
}

/** A few demo people create all the workplaces of a file. */
const manyWorkplaces = 'workplaces_person_day=1000,workplaces_person=1000'

/** All limits but those of visitors' addresses, which have tests of their own. */
const manyChanges = limitNames
  .filter((name) => !['address', 'network'].includes(limits[name].per))
  .map((name) => `${name}=1000000`)
  .join()

export interface TestAppOptions {
  /**
   * For a file in which one person makes more changes in a minute than the default limits allow.
   */
  manyChanges?: true
  /**
   * For a file that writes entries of its own into the audit log, which no schema describes: their
   * types, or all.
   */
  ownEvents?: true | readonly AuditAction[]
  /** Provision the demo tenants; without, they stay pending. Default true. */
  provisioned?: boolean
  /** Start job engine and listeners. Default false: most tests need neither. */
  started?: boolean
  clock?: Clock
  env?: Record<string, string>
  /**
   * A migrated database of the caller's, on a server that the caller may stop. Default: a copy on
   * the server of the run.
   */
  accounts?: DatabaseAccounts
  /** Ordinary connections to the database. Default: as `openDatabase` has it. */
  poolSize?: number
  /** Send mail, to the sandbox. Default false: nothing is sent, and the queue keeps it. */
  mailer?: boolean
  sandbox?: StartOptions
  integrations?: (
    integrations: Integrations,
    config: Config,
  ) => Integrations | Promise<Integrations>
}

/**
 * An encryption key in base64 that looks random and is the same in each run, another one for each
 * number.
 */
export const testKey = (number: number) =>
  createHash('sha256').update(`key ${number} of the tests`).digest('base64')

export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const accounts: DatabaseAccounts & Partial<AsyncDisposable> =
    options.accounts ?? (await copyDatabase())
  const { clock } = options
  const sandbox = await startSandbox({
    ...options.sandbox,
    payments: { ...(clock && { now: () => clock.now().getTime() }), ...options.sandbox?.payments },
  })
  const env = {
    PORT: '0',
    DATABASE_URL: accounts.appUrl,
    IDP_ISSUER: `${sandbox.issuers.portal},${sandbox.issuers.operator}`,
    IDP_AUDIENCE: `${demoClients.portal.clientId},${demoClients.operator.clientId}`,
    // A test with issuers of its own is about those alone.
    ...(options.env?.IDP_ISSUER === undefined && {
      IDP_CLI_ISSUER: sandbox.issuers.commandLine,
      IDP_CLI_AUDIENCE: commandLineClient.clientId,
    }),
    IDP_API_URL: sandbox.identityUrl,
    IDP_API_TOKEN: demoServiceCredentials.identityToken,
    MAIL_PROVISIONING_ENABLED: 'true',
    MAIL_API_URL: sandbox.mailUrl,
    MAIL_API_KEY: demoServiceCredentials.mailApiKey,
    FILES_API_URL: sandbox.filesUrl,
    FILES_API_USER: demoServiceCredentials.filesUser,
    FILES_API_TOKEN: demoServiceCredentials.filesAppToken,
    BILLING_PAYMENTS_ENABLED: 'true',
    STRIPE_SECRET_KEY: demoServiceCredentials.stripeSecretKey,
    STRIPE_PUBLISHABLE_KEY: demoServiceCredentials.stripePublishableKey,
    STRIPE_WEBHOOK_SECRET: demoServiceCredentials.stripeWebhookSecret,
    STRIPE_API_URL: sandbox.paymentsUrl,
    // VAT numbers are checked where a test is about tax.
    ...(options.env?.TAX_MODE !== undefined && { VIES_API_URL: sandbox.viesUrl }),
    DNS_SERVERS: sandbox.dnsServer,
    BOOKING_URL: 'http://booking.test',
    PORTAL_URL: 'https://portal.test',
    OPERATOR_URL: 'https://operator.test',
    BOOKING_APP_SECRET: 'secret-of-the-booking-app-in-tests',
    PORTAL_APP_SECRET: 'secret-of-the-customer-portal-in-tests',
    OPERATOR_APP_SECRET: 'secret-of-the-operator-portal-in-tests',
    ENCRYPTION_KEYS: `test:${testKey(7)}`,
    // Most tests are not about the limits of the free plan.
    FREE_PLAN_SEATS: '1000',
    LOG_LEVEL: 'info',
    LIMITS: options.manyChanges ? manyChanges : manyWorkplaces,
    ...(options.mailer
      ? { SMTP_URL: sandbox.smtpUrl, SMTP_FROM: 'Atrium <no-reply@atrium.test>' }
      : {}),
    ...options.env,
  }
  // An empty text takes a variable out, as a line that is left out of the environment.
  for (const [name, value] of Object.entries(env))
    if (value === '') Reflect.deleteProperty(env, name)
  const config = readConfig(env)
  const logLines: string[] = []
  const log = createLogger(config.logLevel, { write: (line: string) => void logLines.push(line) })
  const replicaReads: ReplicaRead[] = []
  const database = openDatabase({
    url: config.databaseUrl,
    directUrl: config.databaseDirectUrl ?? undefined,
    replicaUrl: config.databaseReplicaUrl,
    onReplicaRead: (where) => replicaReads.push(where),
    ...(options.poolSize === undefined ? {} : { poolSize: options.poolSize }),
    applicationName: `test-${randomBytes(4).toString('hex')}`,
    onError: () => {},
  })
  const upstreamCalls = createUpstreamCalls()
  const connected = await connectIntegrations({
    identity: config.identity,
    mail: config.mail,
    files: config.files,
    smtp: config.smtp,
    payments: config.payments,
    vies: config.vies,
    dns: config.dns,
    onCall: upstreamCalls.observe,
  })
  const integrations = (await options.integrations?.(connected, config)) ?? connected
  const created = createApp({
    config,
    database,
    integrations,
    upstreamCalls,
    log,
    ...(options.clock ? { clock: options.clock } : {}),
  })
  const surprises = new Set<string>()
  const app: App = {
    ...created,
    async fetch(request, ...rest) {
      const response = await created.fetch(request, ...rest)
      const surprise = undocumented(request.method, request.url, response.status)
      if (surprise) surprises.add(surprise)
      return response
    },
  }
  sandbox.payments.webhooks.hold()
  sandbox.payments.webhooks.sendBy(async ({ body, headers }) => {
    const response = await app.fetch(
      new Request('http://api.test/webhooks/stripe', { method: 'POST', body, headers }),
      {},
    )
    return response.status
  })
  const secrets = secretsOfEnvironment(env)
  const shown = new Set<string>()
  const tenantIds = await seedDemo(database.db, config.tenantDomain)
  if (options.started) await app.start()
  else await app.services.jobs.startSending()
  if (options.provisioned ?? true) for (const id of tenantIds) await provision(app, id)

  async function request(
    method: string,
    path: string,
    { token, body, headers }: RequestOptions = {},
  ): Promise<TestResponse> {
    const response = await app.fetch(
      new Request(`http://api.test${path}`, {
        method,
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
      {},
    )
    const text = await response.text()
    if (response.status >= 400) {
      for (const secret of [...secrets, ...secretsOfRequest(token)])
        if (shows(text, secret))
          shown.add(`answer ${response.status} to ${method} ${path}: ${secret.what}`)
    }
    const json = /[/+]json\b/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      body: json && text !== '' ? JSON.parse(text) : text,
    }
  }

  return {
    app,
    config,
    env,
    database,
    ownerUrl: accounts.ownerUrl,
    sandbox,
    webhooks: {
      pending: () => sandbox.payments.webhooks.pending(),
      deliver: (ids = sandbox.payments.webhooks.pending()) =>
        sandbox.payments.webhooks.deliver(ids),
    },
    logLines,
    replicaReads,
    token: (email, forApp = email.startsWith('operator@') ? 'operator' : 'portal') =>
      sandbox.token(email, forApp),
    request,
    trpc: (token) =>
      createTRPCClient<AppRouter>({
        links: [
          httpLink({
            url: 'http://api.test/trpc',
            transformer: superjson,
            headers: token ? { authorization: `Bearer ${token}` } : {},
            fetch: async (url, init) => app.fetch(new Request(url, init as RequestInit), {}),
          }),
        ],
      }),
    async auditActions() {
      const rows = await database.db
        .selectFrom('audit_events')
        .select('action')
        .orderBy('at')
        .orderBy('id')
        .execute()
      return rows.map((row) => row.action)
    },
    async [Symbol.asyncDispose]() {
      await app.stop()
      try {
        for (const found of shownInLog(logLines, secrets)) shown.add(found)
        const calls = JSON.stringify(Object.values(sandbox.state()).map((system) => system.calls))
        for (const secret of secrets)
          if (shows(calls, secret)) shown.add(`call of an upstream system: ${secret.what}`)
        // A server of the caller's may be gone by now.
        if (accounts !== options.accounts) {
          for (const found of await shownInAudit(database, secrets)) shown.add(found)
          const faults = await faultsOfDatabase(database, options.ownEvents)
          for (const fault of faults) surprises.add(fault)
        }
      } finally {
        await database.close()
        await sandbox.close()
        if (accounts !== options.accounts) await accounts[Symbol.asyncDispose]?.()
      }
      for (const line of logLines) if (line.includes(undeclaredError)) surprises.add(line)
      if (surprises.size > 0)
        throw new Error(
          `responses or events that the API description does not name:\n${[...surprises].join('\n')}`,
        )
      if (shown.size > 0) throw new Error(`secrets were shown:\n${[...shown].join('\n')}`)
    },
  }
}
