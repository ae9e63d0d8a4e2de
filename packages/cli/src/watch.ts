import { setTimeout as sleep } from 'node:timers/promises'

/** What an operation leaves to watch: a record that says how far its work is. */
export interface Watched {
  /** The operation that reads the record. */
  read: string
  /** The parameter of its path that names the record. */
  parameter: string
  /** The field of the record that the parameter takes. */
  key: string
  /** The field of the response with the record; without one the response is the record. */
  within?: string
}

const member = { read: 'members.get', parameter: 'userId', key: 'id' }
const tenant = { read: 'tenants.get', parameter: 'slug', key: 'slug' }
const memberImport = { read: 'members.getImport', parameter: 'importId', key: 'id' }

/** The changes whose work in the upstream systems may go on after the response. */
export const watchedAfter: Readonly<Record<string, Watched>> = {
  'members.create': { ...member, within: 'member' },
  'members.retry': { ...member, within: 'member' },
  'members.createMailbox': { ...member, within: 'member' },
  'members.suspend': member,
  'members.resume': member,
  'members.startImport': memberImport,
  'members.resumeImport': memberImport,
  'tenants.create': tenant,
  'tenants.suspend': tenant,
  'tenants.resume': tenant,
  'tenants.reconcile': { ...tenant, within: 'tenant' },
  'tenants.restore': { ...tenant, within: 'tenant' },
}

/**
 * Reads again until nothing is under way any more, and shows every change from `shown` on. `tell`
 * gets how far the work is, where the record says so, and how many seconds that took.
 */
export async function watch(
  read: () => Promise<unknown>,
  show: (data: unknown) => void,
  tell: (text: string) => void,
  intervalMs: number,
  shown?: unknown,
): Promise<void> {
  const startedAt = performance.now()
  let before = JSON.stringify(shown) as string | undefined
  let reported: string | undefined
  for (;;) {
    const data = await read()
    const text = JSON.stringify(data)
    if (text !== before) show(data)
    before = text
    const progress = progressOf(data)
    if (progress !== undefined && progress !== reported)
      tell(`${progress} (${Math.round((performance.now() - startedAt) / 1_000)} s)`)
    reported = progress
    if (isSettled(data)) return
    await sleep(intervalMs)
  }
}

/** How far the work of a record is; undefined where it does not say. */
export function progressOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const { counts, provisioningStatus, outcomes } = data as Record<string, unknown>
  if (typeof counts === 'object' && counts !== null) {
    const { total = 0, ready = 0, running = 0 } = counts as Record<string, number>
    return `${total - ready - running} of ${total} rows`
  }
  const steps = provisioningStatus ?? outcomes
  if (typeof steps !== 'object' || steps === null) return undefined
  return Object.entries(steps)
    .map(([step, state]) => `${step} ${state}`)
    .join(', ')
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
