import { changedFields } from '@atrium/core/audit'
import type { FlagChangeKind, FlagSettings } from '@atrium/core/flags'
import type { Trx } from '@atrium/db/connect'
import { insertFlagChange, notifyFlags } from '@atrium/db/flags'
import type { Caller, Context } from '../context.ts'

export interface FlagStep {
  key: string
  version: number
  kind: FlagChangeKind
  note: string
  before: FlagSettings | null
  after: FlagSettings | null
}

/** Writes the history and tells every process, in the transaction of the change itself. Answers the id of the audit entry to come. */
export async function recordFlagChange(trx: Trx, caller: Caller, step: FlagStep): Promise<string> {
  await notifyFlags(trx, step.key)
  return insertFlagChange(trx, { ...step, actorId: caller.id ?? caller.subject, actorEmail: caller.email ?? null })
}

/** After the commit: this process forgets the old flag, and the audit log learns of the change. */
export async function auditFlagChange({ house, request }: Context, caller: Caller, step: FlagStep, auditId: string): Promise<void> {
  house.flags.forget()
  const revived = step.before !== null && step.before.killedAt !== null && step.after !== null && step.after.killedAt === null
  await house.audit.record({ request }, caller, {
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
  })
}

const lists = ['allowTenants', 'denyTenants', 'allowPartners', 'allowPlans', 'prerequisites'] as const

/** Before and after; of lists, which may be long, what went out and what came in. */
function changesOf(before: FlagSettings, after: FlagSettings): Record<string, [unknown, unknown]> {
  const plain = Object.keys(after).filter((field) => !lists.some((list) => list === field))
  const changes = changedFields(before, after, plain)
  for (const list of lists) {
    const [was, is] = [before[list].map(word), after[list].map(word)]
    const [removed, added] = [was.filter((one) => !is.includes(one)), is.filter((one) => !was.includes(one))]
    if (removed.length > 0 || added.length > 0) changes[list] = [removed, added]
  }
  return changes
}

/** A prerequisite as one word: the audit log hides what stands under a name that ends in `key`. */
function word(item: string | { key: string; value: boolean }): string {
  return typeof item === 'string' ? item : `${item.key}=${item.value}`
}
