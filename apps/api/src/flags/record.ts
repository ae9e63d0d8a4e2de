import { changedFields } from '@atrium/core/audit/audit'
import type { FlagGuard } from '@atrium/core/flags/flag-guards'
import type { FlagChangeKind, FlagSettings, Prerequisite } from '@atrium/core/flags/flags'
import { insertFlagChange, notifyFlags } from '@atrium/db/flags/flags'
import type { Trx } from '@atrium/db/platform/connect'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Caller } from '../rpc/caller.ts'
import type { TransactionContext } from '../rpc/services.ts'

export interface FlagStep {
  key: string
  version: number
  kind: FlagChangeKind
  note: string
  before: FlagSettings | null
  after: FlagSettings | null
}

/** Who made a change; nulls for the platform itself. */
export interface FlagActor {
  id: string | null
  email: string | null
}

const actorOf = (caller: Caller): FlagActor => ({
  id: caller.id ?? caller.subject,
  email: caller.email ?? null,
})

/**
 * Writes the history and notifies every process, in the transaction of the change. Returns the id
 * for the audit entry.
 */
export async function recordFlagChange(
  trx: Trx,
  actor: FlagActor,
  step: FlagStep,
): Promise<string> {
  await notifyFlags(trx, step.key)
  return insertFlagChange(trx, { ...step, actorId: actor.id, actorEmail: actor.email })
}

/** The same with the audit entry, for a change by a caller. */
export async function auditFlagChange(
  ctx: TransactionContext,
  trx: Trx,
  caller: Caller,
  step: FlagStep,
): Promise<void> {
  const auditId = await recordFlagChange(trx, actorOf(caller), step)
  await ctx.services.audit.record(ctx, caller, auditEntryOf(step, auditId), trx)
}

/** What the audit log keeps of a change. */
export function auditEntryOf(step: FlagStep, auditId: string): AuditEntry {
  const revived =
    step.before !== null &&
    step.before.killedAt !== null &&
    step.after !== null &&
    step.after.killedAt === null
  return {
    id: auditId,
    action: `flag.${step.kind}`,
    resourceType: 'flag',
    resourceId: step.key,
    resourceName: step.key,
    metadata: {
      note: step.note,
      version: step.version,
      ...(step.before && step.after ? { changes: changesOf(step.before, step.after) } : {}),
      ...(revived ? { revived: true } : {}),
    },
  }
}

const lists = [
  'allowTenants',
  'denyTenants',
  'allowPartners',
  'allowPlans',
  'prerequisites',
  'guards',
] as const

/** Before and after; of lists, which may be long, what went out and what came in. */
function changesOf(before: FlagSettings, after: FlagSettings): Record<string, [unknown, unknown]> {
  // When a guard turned it off, the reason comes with the changes.
  const plain = Object.keys(after).filter(
    (field) => field !== 'rollback' && !lists.some((list) => list === field),
  )
  const changes = changedFields(before, after, plain)
  for (const list of lists) {
    const [was, is] = [before[list].map(word), after[list].map(word)]
    const [removed, added] = [
      was.filter((one) => !is.includes(one)),
      is.filter((one) => !was.includes(one)),
    ]
    if (removed.length > 0 || added.length > 0) changes[list] = [removed, added]
  }
  return changes
}

/** An item as one word: the audit log redacts values under names that end in `key`. */
function word(item: string | Prerequisite | FlagGuard): string {
  if (typeof item === 'string') return item
  if ('key' in item) return `${item.key}=${item.value}`
  return `${item.signal}>${item.threshold}%/${item.windowMinutes}min, from ${item.minimum}`
}
