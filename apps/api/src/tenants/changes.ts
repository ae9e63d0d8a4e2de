import type { Database } from '@atrium/db/connect'
import type { Logger } from '../log.ts'

/** Tells watchers in this process that a tenant changed, whichever process changed it. */
export interface TenantChanges {
  start(): Promise<void>
  /** Calls back after each change, and after a lost connection, when a change may have been missed. Answers how to stop. */
  subscribe(tenantId: string, onChange: () => void): () => void
  stop(): Promise<void>
}

/** One LISTEN connection per process, however many watch. */
export function createTenantChanges(database: Database, log: Logger): TenantChanges {
  const watchers = new Map<string, Set<() => void>>()
  let unlisten: (() => Promise<void>) | undefined
  return {
    async start() {
      unlisten = await database.listen(
        'tenant_changed',
        (tenantId) => {
          for (const watcher of watchers.get(tenantId) ?? []) watcher()
        },
        () => {
          log.info('listening for tenant changes again')
          for (const group of watchers.values()) for (const watcher of group) watcher()
        },
      )
    },
    subscribe(tenantId, onChange) {
      const group = watchers.get(tenantId) ?? new Set()
      watchers.set(tenantId, group)
      group.add(onChange)
      return () => {
        group.delete(onChange)
        if (group.size === 0) watchers.delete(tenantId)
      }
    },
    async stop() {
      await unlisten?.()
      unlisten = undefined
    },
  }
}
