import { readProcessorBalance } from '@atrium/api/billing/bookkeeping/read-balance'
import { issuePendingDocuments } from '@atrium/api/billing/documents/issue-pending'
import { followDueEntitlements } from '@atrium/api/billing/entitlements/follow'
import { runDunning } from '@atrium/api/billing/invoices/dunning'
import { reconcileBilling } from '@atrium/api/billing/invoices/reconcile'
import { carryOutCorrections } from '@atrium/api/billing/operator-invoices/carry-out'
import { createMonthlyPayouts } from '@atrium/api/billing/payouts/create'
import { applyDueSubscriptions } from '@atrium/api/billing/subscriptions/due'
import { refreshReports } from '@atrium/api/reports/jobs'
import type { Simulation } from './simulation.ts'

/** The jobs of the day. Each finds for itself what is due. */
export async function runJobs({ service, random }: Simulation): Promise<void> {
  const { services } = service.testApp.app
  await applyDueSubscriptions(services)
  await runDunning(services)
  await followDueEntitlements(services)
  await createMonthlyPayouts(services)
  await service.endWaits()
  await carryOutCorrections(services)
  if (random.chance(0.1)) await refreshReports(services)
}

/** The comparison with the processor, which finds what events did not tell. */
export async function runNightlyJobs({ service }: Simulation): Promise<void> {
  const { services } = service.testApp.app
  await reconcileBilling(services)
  await issuePendingDocuments(services)
}

/**
 * Reads the account at the processor. Once, in the end: a reading begins where the one before ended
 * by the clock of the database, which is not simulated.
 */
export async function readProcessorAccount({ service }: Simulation): Promise<void> {
  await readProcessorBalance(service.testApp.app.services)
}
