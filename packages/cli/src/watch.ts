import { setTimeout as sleep } from 'node:timers/promises'

/** Reads again until nothing is under way any more, and shows every change. */
export async function watch(
  read: () => Promise<unknown>,
  show: (data: unknown) => void,
  intervalMs: number,
): Promise<void> {
  let before: string | undefined
  for (;;) {
    const data = await read()
    const text = JSON.stringify(data)
    if (text !== before) show(data)
    before = text
    if (isSettled(data)) return
    await sleep(intervalMs)
  }
}

/**
 * Whether a record says that its work is done: an import by its state, a tenant or a member by the
 * steps in the upstream systems. Others are watched until the program is interrupted.
 */
export function isSettled(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false
  const { state, total, provisioningStatus, outcomes } = data as Record<string, unknown>
  if (total !== undefined || 'rows' in data) return state === 'done' || state === 'stopped'
  const steps = provisioningStatus ?? outcomes
  return (
    typeof steps === 'object' &&
    steps !== null &&
    !Object.values(steps).some((step) => step === 'pending')
  )
}
