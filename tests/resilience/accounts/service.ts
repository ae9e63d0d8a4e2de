import { processEvent } from '@atrium/api/billing/webhooks/process'
import { demoClients, demoServiceCredentials } from '@atrium/core/demo/demo'
import { openDatabase } from '@atrium/db/platform/connect'
import { connectIntegrations } from '@atrium/integrations/connect'
import { personClaims, startIssuer } from '@atrium/testing/issuer'
import { sellerEnvironment } from '@atrium/testing/payments/billing-documents'
import { startTestApp, type TestApp, type TestResponse } from '@atrium/testing/test-app'
import { signature } from '@atrium/testing/webhooks-test-app'
import { sql } from 'kysely'
import type { LoggedObject } from './checker/books.ts'

export interface Person {
  readonly subject: string
  readonly app: 'portal' | 'operator'
}

/** An event of the payment processor as it goes over the wire. */
export interface LoggedEvent {
  readonly id: string
  readonly type: string
  /** Seconds since 1970. */
  readonly created: number
  readonly body: string
  /** What the event is about, as the processor showed it then. */
  readonly object: LoggedObject
  /** The processor's id of the customer whom it concerns; the object's own where it is nobody's. */
  readonly customer: string
}

export interface SimulatedService extends AsyncDisposable {
  readonly testApp: TestApp
  readonly taxMode: TaxMode
  /** The two operators: no payout needs more persons. */
  readonly operators: readonly [Person, Person]
  now(): Date
  /** Sets the clocks of the service, of its database's triggers and of the payment processor. */
  goTo(moment: Date): Promise<void>
  /** A REST request of this person. */
  call(person: Person, method: string, path: string, body?: object): Promise<TestResponse>
  /** Events that the processor made since the last call, oldest first. */
  newEvents(): readonly LoggedEvent[]
  /** Sends events to the service, several at once; it keeps them. */
  deliver(events: readonly LoggedEvent[]): Promise<void>
  /**
   * Works on kept events: several at once, as the service does, but those of one customer one after
   * the other in this order, so that a seed plays the same year. Returns those that failed and have
   * to be worked on again.
   */
  work(events: readonly LoggedEvent[]): Promise<LoggedEvent[]>
  /** Ends the waits after failed corrections of invoices, which the real clock counts. */
  endWaits(): Promise<void>
}

/**
 * How the installation taxes, what that makes of each country, in percent, and where businesses owe
 * the tax themselves.
 */
export const taxModes = {
  /** The processor adds a rate of its own. */
  none: { env: { TAX_MODE: 'none' }, percents: null, reverseCharged: [] },
  fixed: {
    env: {
      TAX_MODE: 'fixed_rates',
      TAX_SELLER_COUNTRY: 'DE',
      TAX_RATES: 'DE=19',
      TAX_OSS: 'false',
    },
    percents: { DE: 19, FR: 19 },
    reverseCharged: ['FR'],
  },
  computed: {
    env: { TAX_MODE: 'stripe_tax' },
    percents: { DE: 19, FR: 20 },
    reverseCharged: ['FR'],
  },
} as const satisfies Record<
  string,
  {
    env: Record<string, string>
    percents: Record<string, number> | null
    reverseCharged: string[]
  }
>
export type TaxMode = keyof typeof taxModes

/** What the simulation is not about is not connected. */
const withoutOtherSystems = {
  IDP_API_URL: '',
  IDP_API_TOKEN: '',
  MAIL_API_URL: '',
  MAIL_API_KEY: '',
  MAIL_PROVISIONING_ENABLED: 'false',
  FILES_API_URL: '',
  FILES_API_USER: '',
  FILES_API_TOKEN: '',
}

/**
 * The real service on a database of its own, with the sandbox's payment processor behind the real
 * client, all on one clock that only the simulation moves.
 */
export async function startSimulatedService(
  start: Date,
  taxMode: TaxMode,
): Promise<SimulatedService> {
  let now = start
  const issuer = await startIssuer(() => now)
  const testApp = await startTestApp({
    provisioned: false,
    manyChanges: true,
    clock: { now: () => now },
    env: {
      ...withoutOtherSystems,
      ...sellerEnvironment,
      ...taxModes[taxMode].env,
      IDP_ISSUER: issuer.url,
      FREE_PLAN_SEATS: '5',
      LOG_LEVEL: 'error',
    },
    integrations: async (connected, { payments }) => {
      const patient = await connectIntegrations({
        identity: null,
        mail: null,
        files: null,
        smtp: null,
        payments,
        policy: {
          deadlineMs: 20_000,
          operationDeadlineMs: 60_000,
          retries: 1,
          backoffMs: { initial: 1, max: 2 },
          circuit: { failures: 1_000_000, openMs: 1 },
        },
      })
      return { ...connected, payments: patient.payments }
    },
  })
  const owner = openDatabase({ url: testApp.ownerUrl, applicationName: 'clock', onError: () => {} })
  const { db } = testApp.database
  await simulateDatabaseTime()
  // The demo's own subscription began by the clock of the machine.
  await sql`truncate subscriptions, subscription_history, report_changes cascade`.execute(owner.db)
  await db
    .updateTable('users')
    .set({ platform_admin: true })
    .where('email', '=', 'owner@globex.test')
    .execute()

  /** Triggers and defaults take the simulated time; what orders readings keeps the real one. */
  async function simulateDatabaseTime(): Promise<void> {
    await sql`create table simulated_time (now timestamptz not null)`.execute(owner.db)
    await sql`insert into simulated_time values (${now})`.execute(owner.db)
    await sql`create function simulated_now() returns timestamptz language sql stable security definer
      set search_path = public as 'select now from simulated_time'`.execute(owner.db)
    const { rows } = await sql<{ definition: string }>`
      select pg_get_functiondef(p.oid) as definition from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = 'public'
        and p.proname in ('keep_tenant_partners', 'keep_subscription_history_of_tenant')`.execute(
      owner.db,
    )
    if (rows.filter(({ definition }) => definition.includes('now()')).length !== 2)
      throw new Error('the triggers that keep partners have changed')
    for (const { definition } of rows)
      await sql.raw(definition.replaceAll('now()', 'simulated_now()')).execute(owner.db)
    await sql`alter table tenant_partners alter column valid_from set default simulated_now()`.execute(
      owner.db,
    )
  }

  const [olive, gero] = ['operator@atrium.test', 'owner@globex.test'].map(
    (email): Person => ({ subject: String(personClaims(email).sub), app: 'operator' }),
  )
  if (!olive || !gero) throw new Error('the demo has two operators')
  const tokens = new Map<string, { token: string; until: number }>()
  async function tokenOf({ subject, app }: Person): Promise<string> {
    const key = `${app} ${subject}`
    const known = tokens.get(key)
    if (known && known.until > now.getTime()) return known.token
    const issued = Math.floor(now.getTime() / 1000)
    const token = await issuer.sign({
      sub: subject,
      aud: demoClients[app].clientId,
      groups: undefined,
      exp: issued + 80_000,
    })
    tokens.set(key, { token, until: now.getTime() + 79_000_000 })
    return token
  }

  async function deliver({ body }: LoggedEvent): Promise<void> {
    const header = signature(
      body,
      Math.floor(now.getTime() / 1000),
      demoServiceCredentials.stripeWebhookSecret,
    )
    const response = await testApp.app.fetch(
      new Request('http://api.test/webhooks/stripe', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', 'stripe-signature': header },
      }),
      {},
    )
    if (response.status !== 200) throw new Error(`an event was answered ${response.status}`)
  }

  let seen: string | undefined
  return {
    testApp,
    taxMode,
    operators: [olive, gero],
    now: () => now,
    async goTo(moment) {
      if (moment < now) throw new Error('time does not run backwards')
      now = moment
      await sql`update simulated_time set now = ${moment}`.execute(owner.db)
    },
    call: async (person, method, path, body) =>
      testApp.request(method, path, { token: await tokenOf(person), ...(body ? { body } : {}) }),
    newEvents() {
      const all = testApp.sandbox.payments.events()
      const after = seen === undefined ? 0 : all.findIndex(({ id }) => id === seen) + 1
      if (seen !== undefined && after === 0)
        throw new Error('the processor made more events at once than it keeps')
      seen = all.at(-1)?.id ?? seen
      return all.slice(after).map(toLogged)
    },
    deliver: (events) => allOf(events, deliver),
    async work(events) {
      const ids = events.map(({ id }) => id)
      if (ids.length === 0) return []
      // The wait after a failed try is over: it is counted by the real clock.
      await sql`update webhook_inbox set next_at = null
        where id = any(${ids}) and state = 'failed' and next_at is not null`.execute(db)
      const perCustomer = [...Map.groupBy(events, ({ customer }) => customer).values()]
      await allOf(perCustomer, async (own) => {
        for (const { id } of own) await processEvent(testApp.app.services, id)
      })
      const left = await db
        .selectFrom('webhook_inbox')
        .select('id')
        .where('id', 'in', ids)
        .where('state', 'in', ['failed', 'parked'])
        .execute()
      const again = new Set(left.map(({ id }) => id))
      return events.filter(({ id }) => again.has(id))
    },
    async endWaits() {
      await sql`update invoice_corrections set next_at = now() where state = 'approved'`.execute(db)
    },
    async [Symbol.asyncDispose]() {
      await owner.close()
      await testApp[Symbol.asyncDispose]()
      await issuer[Symbol.asyncDispose]()
    },
  }
}

function toLogged({
  id,
  type,
  created,
  body,
}: Omit<LoggedEvent, 'object' | 'customer'>): LoggedEvent {
  const { object } = JSON.parse(body).data
  return { id, type, created, body, object, customer: object.customer ?? object.id ?? type }
}

/** As many as the service works on at once. */
const atOnce = 4

async function allOf<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of waiting) await work(item)
    }),
  )
}
