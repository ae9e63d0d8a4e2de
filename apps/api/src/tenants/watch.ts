import type { TenantEvent } from '@atrium/core/tenants/tenants'
import type { WatchedTenant } from '@atrium/db/tenants/watched-tenants'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { toTenantEvent } from './view.ts'

/**
 * The tenant's provisioning: its present state, then every change, until the caller leaves, loses
 * access, the tenant's security policy changes, or the token expires. A client then reconnects with
 * a fresh token.
 */
export async function* watchTenant(
  ctx: Context,
  access: Access,
  signal: AbortSignal,
): AsyncGenerator<TenantEvent> {
  const { services } = ctx
  const states = createLatest<WatchedTenant | undefined>()
  const unfollow = services.changes.follow({
    tenantId: access.tenant.id,
    subject: access.caller.subject,
    operator: access.caller.operator,
    onState: states.set,
  })
  const leave = () => states.set(undefined)
  signal.addEventListener('abort', leave, { once: true })
  services.metrics.watchers.inc()
  try {
    let last = ''
    let policy: string | null | undefined
    for (;;) {
      const tenant = await states.next()
      if (!tenant || signal.aborted || services.clock.now() >= access.caller.token.expiresAt) return
      // The guard checked the policy of then; a client that reconnects is checked against this one.
      policy ??= tenant.policyChangedAt
      if (tenant.policyChangedAt !== policy) return
      const event = toTenantEvent(tenant, services.clock.now())
      const { at: _, ...content } = event
      const text = JSON.stringify(content)
      if (text === last) continue
      last = text
      yield event
    }
  } finally {
    signal.removeEventListener('abort', leave)
    unfollow()
    services.metrics.watchers.dec()
  }
}

/**
 * Holds the newest value only: a reader who was away gets the latest state and none of those before
 * it.
 */
function createLatest<Value>() {
  let held: { value: Value } | undefined
  let release: (() => void) | undefined
  return {
    set(value: Value): void {
      held = { value }
      release?.()
    },
    async next(): Promise<Value> {
      while (!held) {
        await new Promise<void>((done) => {
          release = done
        })
      }
      const { value } = held
      held = undefined
      return value
    },
  }
}
