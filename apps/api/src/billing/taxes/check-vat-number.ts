import { isRegisteredInVies, viesPrefixes } from '@atrium/core/billing/taxes'
import { failureText } from '@atrium/core/platform/failure-text'
import { findCustomerTenant } from '@atrium/db/billing/payment-customers'
import {
  claimVatCheckTasks,
  deleteVatCheckTask,
  failVatCheckTask,
  findVatCheckTask,
  insertVatCheck,
  scheduleUncheckedNumbers,
  scheduleVatCheck,
} from '@atrium/db/billing/vat-checks'
import type { Trx } from '@atrium/db/platform/connect'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Config } from '../../platform/config.ts'
import { retryDelaySeconds } from '../../platform/retry-delay.ts'
import type { Services } from '../../rpc/services.ts'
import { tellBillingInfo } from '../invoices/tax-id.ts'

/** A number can lose its validity at any time, so each is asked about again. */
const recheckDays = 30
/** Seconds until a question without an answer is asked again for the first time. */
const firstRetrySeconds = 300
const mostAtOnce = 20
/** Longer than one question with all its tries. */
const leaseMs = 120_000

/** Whether the register is to be asked about this number. */
export function isChecked({ vies }: Pick<Config, 'vies'>, vatNumber: string | null): boolean {
  return vies !== null && vatNumber !== null && isRegisteredInVies(vatNumber)
}

/** Schedules the check of a changed number, and drops the task of an earlier check. */
export async function putUpForCheck(
  trx: Trx,
  config: Pick<Config, 'vies'>,
  { tenantId, vatNumber, now }: { tenantId: string; vatNumber: string | null; now: Date },
): Promise<void> {
  if (isChecked(config, vatNumber)) await scheduleVatCheck(trx, tenantId, now)
  else await deleteVatCheckTask(trx, tenantId)
}

/**
 * Asks the register about the tenant's number and keeps the answer. Without an answer the last one
 * stays and the question is asked again later. Returns whether the register answered.
 */
export async function checkVatNumber(
  services: Services,
  tenantId: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const { db } = services.database
  const { vatRegistry } = services.systems
  const vatNumber = (await findCustomerTenant(db, tenantId))?.vatNumber ?? null
  if (vatRegistry === null || vatNumber === null || !isChecked(services.config, vatNumber)) {
    await deleteVatCheckTask(db, tenantId)
    return false
  }
  const requester = services.config.vies?.requester ?? null
  try {
    const result = await vatRegistry.checkNumber(vatNumber, { signal })
    await insertVatCheck(db, tenantId, { ...result, vatNumber, requester })
    await scheduleVatCheck(db, tenantId, daysAfter(services.clock.now(), recheckDays))
    return true
  } catch (error) {
    if (!(error instanceof UpstreamError) && !signal?.aborted) throw error
    await putOff(services, tenantId, error instanceof UpstreamError ? error.message : tooSlow)
    return false
  }
}

const tooSlow = failureText({ system: 'vies', call: 'checkNumber', kind: 'timeout' })

async function putOff(services: Services, tenantId: string, error: string): Promise<void> {
  const { db } = services.database
  const now = services.clock.now()
  const attempts = ((await findVatCheckTask(db, tenantId))?.attempts ?? 0) + 1
  const nextAt = new Date(now.getTime() + retryDelaySeconds(attempts, firstRetrySeconds) * 1_000)
  await failVatCheckTask(db, tenantId, { attempts, error, failedAt: now, nextAt })
}

/**
 * Asks about the numbers that are due, and has sales taxed by the answers. One that fails does not
 * hold up the others.
 */
export async function checkDueVatNumbers(services: Services): Promise<void> {
  if (services.systems.vatRegistry === null) return
  const now = services.clock.now()
  const leaseUntil = new Date(now.getTime() + leaseMs)
  const { db } = services.database
  await scheduleUncheckedNumbers(db, { prefixes: viesPrefixes, now, limit: mostAtOnce })
  const due = await claimVatCheckTasks(db, { now, leaseUntil, limit: mostAtOnce })
  for (const tenantId of due) {
    try {
      if (await checkVatNumber(services, tenantId)) await tellBillingInfo(services, tenantId)
    } catch (err) {
      services.log.error({ err, tenantId }, 'a VAT number could not be checked')
    }
    if (services.background.ending) return
  }
}

const daysAfter = (at: Date, days: number) => new Date(at.getTime() + days * 86_400_000)
