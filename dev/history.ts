import type { Config } from '@atrium/api/platform/config'
import { type DemoHistory, demoHistory } from '@atrium/core/demo/demo-history'
import { openDatabase, type Trx } from '@atrium/db/platform/connect'
import { rollUpReports } from '@atrium/db/reports/report-rollup'
import { livePaymentsHistory } from '@atrium/sandbox/payments/history'
import { createHistoricAudit } from './history/audit.ts'
import {
  billingSteps,
  dateBilling,
  endEntitlements,
  insertCustomers,
  insertInbox,
  remindOpenCases,
} from './history/billing.ts'
import { insertBookings } from './history/bookings.ts'
import { insertCompanies } from './history/companies.ts'
import { payoutSteps } from './history/payouts.ts'
import { insertRecords } from './history/records.ts'

const operatorEmail = 'operator@atrium.test'

/**
 * Fills a database that holds the demo people and tenants with what happened in the fifteen months
 * before a day: companies, their subscriptions and invoices, partners with their shares and
 * payouts, and what is kept beside it. The payment processor's events come from the sandbox, which
 * lives through the same history, and are applied by the service's own functions. All of it in one
 * transaction, by the account that owns the schema: some of it is dated by the database alone.
 */
export async function seedHistory(
  ownerUrl: string,
  { day, config }: { day: Date; config: Config },
): Promise<void> {
  const history = demoHistory(day)
  const database = openDatabase({
    url: ownerUrl,
    applicationName: 'atrium-demo-history',
    onError: () => {},
  })
  try {
    await database.db.transaction().execute((trx) => fill(trx, history, config))
    // Else the service begins with a fold of the whole history.
    await rollUpReports(database.db, history.until, async () => undefined)
  } finally {
    await database.close()
  }
}

async function fill(trx: Trx, history: DemoHistory, config: Config): Promise<void> {
  const payments = livePaymentsHistory(history)
  const audit = createHistoricAudit()
  const operator = await trx
    .selectFrom('users')
    .select(['id', 'email'])
    .where('email', '=', operatorEmail)
    .executeTakeFirstOrThrow()
  const made = await insertCompanies(trx, history, config.tenantDomain)
  await insertCustomers(trx, { payments, made })
  const steps = [
    ...billingSteps({ payments, made, config, audit }),
    ...payoutSteps({ history, operator, audit }),
  ]
  // The sort is stable: what happened in the same second stays in its order.
  for (const { run } of steps.sort((one, other) => one.at.getTime() - other.at.getTime()))
    await run(trx)
  await remindOpenCases(trx, history.until)
  await endEntitlements(trx, { config, audit, until: history.until })
  await dateBilling(trx)
  await insertInbox(trx, { payments }, history.until)
  await insertRecords(trx, { history, made, audit, operator })
  await audit.write(trx)
}

/** The bookings of a workplace whose demo hosts are there. */
export async function seedBookings(appUrl: string, day: Date): Promise<void> {
  const database = openDatabase({
    url: appUrl,
    applicationName: 'atrium-demo-history',
    onError: () => {},
  })
  try {
    await insertBookings(database.db, day)
  } finally {
    await database.close()
  }
}
