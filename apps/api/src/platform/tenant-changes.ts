import type { Database } from '@atrium/db/platform/connect'
import {
  listWatchedTenants,
  listWatchRights,
  type WatchedTenant,
} from '@atrium/db/tenants/watched-tenants'
import type { Logger } from './log.ts'

/** A subscriber to a tenant. */
export interface Follower {
  tenantId: string
  /** As `users.idp_subject_id` holds it. */
  subject: string
  /**
   * Holds an operator's token: follows without being a member as long as the stored flag is set.
   */
  operator: boolean
  /**
   * Gets the tenant now and after each change; undefined once the follower may no longer see it.
   */
  onState(tenant: WatchedTenant | undefined): void
}

/** Notifies followers in this process of changes to a tenant, whichever process made them. */
export interface TenantChanges {
  start(): Promise<void>
  /** Returns how to stop following. */
  follow(follower: Follower): () => void
  stop(): Promise<void>
}

// Finds changes without a notification, such as a lease that expired because its process died.
const readAgainMs = 5_000

/**
 * One LISTEN connection per process, and one shared read per change, whatever the number of
 * followers. A read takes two statements for all tenants that are due, so that hundreds of open
 * streams cost an idle database next to nothing.
 */
export function createTenantChanges(
  database: Pick<Database, 'db' | 'listen'>,
  log: Logger,
): TenantChanges {
  const followers = new Map<string, Set<Follower>>()
  const due = new Set<string>()
  let reading = false
  let unlisten: (() => Promise<void>) | undefined
  let timer: NodeJS.Timeout | undefined

  function enqueue(tenantIds: Iterable<string>): void {
    for (const id of tenantIds) due.add(id)
    if (reading || due.size === 0) return
    reading = true
    // After this turn of the event loop: streams that open together are read together.
    setImmediate(() => void readDue())
  }

  async function readDue(): Promise<void> {
    try {
      while (due.size > 0) {
        const ids = [...due]
        due.clear()
        await tell(ids.flatMap((id) => [...(followers.get(id) ?? [])]))
      }
    } catch (err) {
      log.warn({ err }, 'failed to read followed tenants; retrying')
    } finally {
      reading = false
    }
  }

  async function tell(reported: readonly Follower[]): Promise<void> {
    if (reported.length === 0) return
    const [tenants, rights] = await Promise.all([
      listWatchedTenants(database.db, [...new Set(reported.map(({ tenantId }) => tenantId))]),
      listWatchRights(database.db, reported),
    ])
    const byId = new Map(tenants.map((tenant) => [tenant.id, tenant]))
    const rightOf = new Map(rights.map((right) => [`${right.tenantId} ${right.subject}`, right]))
    for (const { tenantId, subject, operator, onState } of reported) {
      const right = rightOf.get(`${tenantId} ${subject}`)
      const may = right !== undefined && (right.role !== null || (operator && right.platformAdmin))
      onState(may ? byId.get(tenantId) : undefined)
    }
  }

  return {
    async start() {
      timer = setInterval(() => enqueue(followers.keys()), readAgainMs)
      timer.unref()
      unlisten = await database.listen(
        'tenant_changed',
        (tenantId) => {
          if (followers.has(tenantId)) enqueue([tenantId])
        },
        () => {
          log.info('listening for tenant changes again')
          enqueue(followers.keys())
        },
      )
    },
    follow(follower) {
      const group = followers.get(follower.tenantId) ?? new Set()
      followers.set(follower.tenantId, group)
      group.add(follower)
      enqueue([follower.tenantId])
      return () => {
        group.delete(follower)
        if (group.size === 0 && followers.get(follower.tenantId) === group)
          followers.delete(follower.tenantId)
      }
    },
    async stop() {
      clearInterval(timer)
      await unlisten?.()
      unlisten = undefined
    },
  }
}
