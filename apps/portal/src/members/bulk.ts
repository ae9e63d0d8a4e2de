import type { MemberView } from '@atrium/core/members/members'
import { translations } from '@atrium/ui/messages'
import { type ProblemInfo, problemOf } from '@atrium/ui/problem'

const t = translations('portal.members')

/** What can be done to several members at once. */
export const bulkActions = ['suspend', 'resume', 'forceLogout', 'remove'] as const
export type BulkAction = (typeof bulkActions)[number]

export interface BulkPlan {
  /** Those the act will be done to. */
  fit: MemberView[]
  /** Those it will not be done to, each with the reason. */
  left: { member: MemberView; reason: string }[]
}

/**
 * Splits the selected members into those that an action applies to and the others. The API decides
 * again for each one; this keeps certain rejections out of the confirmation.
 */
export function planBulk(
  act: BulkAction,
  members: readonly MemberView[],
  callerId: string,
): BulkPlan {
  const plan: BulkPlan = { fit: [], left: [] }
  for (const member of members) {
    const reason = reasonAgainst(act, member, callerId)
    if (reason === undefined) plan.fit.push(member)
    else plan.left.push({ member, reason })
  }
  return plan
}

function reasonAgainst(act: BulkAction, member: MemberView, callerId: string): string | undefined {
  if (member.id === callerId && act !== 'resume') return t('bulk.reasons.self')
  if (member.status === 'removing')
    return t(act === 'remove' ? 'bulk.reasons.removingAlready' : 'bulk.reasons.removing')
  switch (act) {
    case 'suspend':
      if (member.role === 'owner') return t('bulk.reasons.owner')
      return member.status === 'active'
        ? undefined
        : member.status === 'suspended'
          ? t('bulk.reasons.suspended')
          : t('bulk.reasons.notActive')
    case 'resume':
      return member.status === 'suspended' ? undefined : t('bulk.reasons.notSuspended')
    case 'remove':
      return member.role === 'owner' ? t('bulk.reasons.owner') : undefined
    case 'forceLogout':
      return member.managed ? undefined : t('bulk.reasons.shared')
  }
}

export interface Result<Item, Value = unknown> {
  item: Item
  /** Absent when it failed. */
  value?: Value
  /** Absent when it was done. */
  problem?: ProblemInfo
}

// Each call reaches three upstream systems; a few at a time keeps the page quick and the systems
// unbothered.
const atOnce = 3

/**
 * Runs an action for each item, a few at a time, and reports each result. Never rejects: failures
 * are results.
 */
export async function runEach<Item, Value>(
  items: readonly Item[],
  act: (item: Item) => Promise<Value>,
  onResult: (result: Result<Item, Value>) => void,
): Promise<Result<Item, Value>[]> {
  const waiting = [...items]
  const results: Result<Item, Value>[] = []
  async function work() {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      const result = await one(item, act)
      results.push(result)
      onResult(result)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return results
}

async function one<Item, Value>(
  item: Item,
  act: (item: Item) => Promise<Value>,
): Promise<Result<Item, Value>> {
  try {
    return { item, value: await act(item) }
  } catch (error) {
    return { item, problem: problemOf(error) }
  }
}
