import type { MemberView } from '@atrium/core/members/members'
import { type ProblemInfo, problemOf } from '@atrium/ui/problem'

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
 * Sorts the chosen members into those an act fits and those it does not. The API decides again for
 * each one; this keeps rejections that are certain out of the question that the person answers.
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
  if (member.id === callerId && act !== 'resume') return 'that is you'
  if (member.status === 'removing')
    return act === 'remove' ? 'being removed already' : 'being removed'
  if (member.invited && act !== 'remove') return 'has not accepted the invitation'
  switch (act) {
    case 'suspend':
      if (member.role === 'owner') return 'owns the workplace'
      return member.status === 'active'
        ? undefined
        : member.status === 'suspended'
          ? 'suspended already'
          : 'not active'
    case 'resume':
      return member.status === 'suspended' ? undefined : 'not suspended'
    case 'remove':
      return member.role === 'owner' ? 'owns the workplace' : undefined
    case 'forceLogout':
      return member.managed ? undefined : 'belongs elsewhere too'
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
 * Does something for each item, a few at a time, and tells of each as it ends. Never rejects:
 * failures are results.
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
