import type { MemberView } from '@atrium/core/members/members'
import { useEffect, useState } from 'react'

export interface Choice {
  members: readonly MemberView[]
  ids: ReadonlySet<string>
  set: (member: MemberView, chosen: boolean) => void
  /** Selects everyone on the current page. */
  page: () => void
  clear: () => void
  /** Takes these out: an act has been done to them. */
  drop: (members: readonly MemberView[]) => void
}

/**
 * Members chosen for an act on several at once. They stay chosen over pages and filters, and end
 * with the workplace being shown.
 */
export function useChoice(tenantId: string, shown: readonly MemberView[] | undefined): Choice {
  const [chosen, setChosen] = useState<ReadonlyMap<string, MemberView>>(new Map())
  useEffect(() => setChosen(new Map()), [tenantId])
  // A row that was read again replaces the older one: what fits an act depends on the status.
  useEffect(() => {
    setChosen((before) =>
      shown?.some(({ id }) => before.has(id)) ? withRows(before, shown) : before,
    )
  }, [shown])
  return {
    members: [...chosen.values()],
    ids: new Set(chosen.keys()),
    set: (member, add) =>
      setChosen((before) => {
        const after = new Map(before)
        if (add) after.set(member.id, member)
        else after.delete(member.id)
        return after
      }),
    page: () =>
      setChosen(
        (before) =>
          new Map([...before, ...(shown ?? []).map((member) => [member.id, member] as const)]),
      ),
    clear: () => setChosen(new Map()),
    drop: (members) =>
      setChosen(
        (before) =>
          new Map([...before].filter(([id]) => !members.some((member) => member.id === id))),
      ),
  }
}

function withRows(
  chosen: ReadonlyMap<string, MemberView>,
  rows: readonly MemberView[],
): ReadonlyMap<string, MemberView> {
  return new Map([
    ...chosen,
    ...rows.filter(({ id }) => chosen.has(id)).map((member) => [member.id, member] as const),
  ])
}
