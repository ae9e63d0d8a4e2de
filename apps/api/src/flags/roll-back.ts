import {
  type FlagGuardReading,
  type FlagRollback,
  rollbackNote,
} from '@atrium/core/flags/flag-guards'
import type { FlagSettings } from '@atrium/core/flags/flags'
import { emailAddress } from '@atrium/core/platform/text'
import { type GuardedFlag, listGuardedFlags } from '@atrium/db/flags/flag-signals'
import { type FlagRow, findFlag, lockFlags, updateFlag } from '@atrium/db/flags/flags'
import type { Trx } from '@atrium/db/platform/connect'
import { mailTexts } from '@atrium/messages/mail'
import type { InTransaction, Services } from '../rpc/services.ts'
import { flagRules, readGuards } from './guards.ts'
import { auditEntryOf, type FlagStep, recordFlagChange } from './record.ts'
import { toFlagSettings } from './view.ts'

/**
 * Turns off every flag in rollout whose guard rules are broken, as the platform itself: killed,
 * with the note `auto-rollback: <signal>`, history, audit entry and a mail to the owner. A flag
 * that cannot be looked at does not hold up the others; the first failure is thrown in the end.
 */
export async function rollBackBrokenFlags(services: Services): Promise<void> {
  const flags = await listGuardedFlags(services.database.db)
  if (flags.length === 0) return
  const [rules, now] = [await flagRules(services), services.clock.now()]
  const failures: unknown[] = []
  for (const flag of flags) {
    try {
      const broken = (await readGuards(services, flag, rules, now)).find(
        (reading) => reading.broken,
      )
      if (broken) await rollBack(services, flag, broken, now)
    } catch (err) {
      services.log.error({ err, flag: flag.key }, 'failed to evaluate flag guards')
      failures.push(err)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/**
 * Does nothing when the flag changed since its guards were read: older figures do not override a
 * newer change.
 */
async function rollBack(
  services: Services,
  flag: GuardedFlag,
  broken: FlagGuardReading,
  now: Date,
): Promise<void> {
  const note = rollbackNote(broken.signal)
  const rollback = toRollback(broken)
  const rolledBack = await services.database.db.transaction().execute(async (trx) => {
    await lockFlags(trx)
    const row = await findFlag(trx, flag.key)
    if (!row || row.version !== flag.version) return false
    const before = toFlagSettings(row)
    const after: FlagSettings = { ...before, state: 'off', killedAt: now.toISOString(), rollback }
    const version = await updateFlag(trx, flag.key, after, { note, updatedBy: null })
    const step: FlagStep = { key: flag.key, version, kind: 'killed', note, before, after }
    await mailOwner(trx, services, row, rollback, version)
    const auditId = await recordFlagChange(trx, { id: null, email: null }, step)
    const { metadata, ...entry } = auditEntryOf(step, auditId)
    await services.audit.recordSystem(
      { ...entry, metadata: { ...metadata, trigger: 'guard', ...rollback } },
      trx,
    )
    return true
  })
  if (!rolledBack) return
  services.flags.forget()
  services.metrics.flagRollbacks.inc({ signal: broken.signal })
  services.log.warn({ flag: flag.key, ...rollback }, 'flag turned off by a guard')
}

/** Owners are people or teams. Only owners with a mail address are notified. */
async function mailOwner(
  trx: Trx,
  { outbox }: InTransaction,
  { key, owner }: FlagRow,
  rollback: FlagRollback,
  version: number,
): Promise<void> {
  const address = emailAddress.safeParse(owner ?? '')
  if (!address.success) return
  await outbox.send(trx, {
    tenantId: null,
    template: 'flag.rolled_back',
    to: address.data,
    values: (language) => {
      const words = mailTexts(language)
      const share = (rate: number | null) =>
        rate === null ? words('noEvents') : words('share', { rate: rate / 100 })
      return {
        'flag.key': key,
        'flag.signal': words(`guardSignals.${rollback.signal}`),
        'flag.threshold': share(rollback.threshold),
        'flag.rateOn': share(rollback.rateOn),
        'flag.rateOff': share(rollback.rateOff),
        'flag.minutes': rollback.windowMinutes,
      }
    },
    key: `flag.rolled_back:${key}:${version}`,
  })
}

function toRollback({ signal, windowMinutes, threshold, on, off }: FlagGuardReading): FlagRollback {
  return {
    signal,
    windowMinutes,
    threshold,
    eventsOn: on.events,
    rateOn: on.rate ?? 0,
    eventsOff: off.events,
    rateOff: off.rate,
    tenantsOn: on.tenants,
    failingTenantsOn: on.failingTenants,
  }
}
