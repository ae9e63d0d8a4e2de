import type { TenantEvent } from '@atrium/core/tenants'
import { findTenant } from '@atrium/db/tenants'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import { toTenantEvent } from './view.ts'

// Catches what no message tells, such as a lease that lapsed because its process died.
const lookAgainMs = 5_000

/**
 * The tenant's provisioning, first as it stands and then after every change, until the caller leaves, loses access, or the token
 * expires; a client then connects anew with a fresh token.
 */
export async function* watchTenant(ctx: Context, access: Access, signal: AbortSignal): AsyncGenerator<TenantEvent> {
  const { house } = ctx
  const wakeUp = createWakeUp(signal)
  const unsubscribe = house.changes.subscribe(access.tenant.id, wakeUp.ring)
  const timer = setInterval(wakeUp.ring, lookAgainMs)
  house.metrics.watchers.inc()
  try {
    let last = ''
    while (!signal.aborted && house.clock.now() < access.caller.token.expiresAt) {
      const row = await findTenant(house.database, access.tenant.slug)
      if (!row || !(await mayStillWatch(ctx, access))) return
      const event = toTenantEvent(row, house.clock.now())
      const { at: _, ...content } = event
      const text = JSON.stringify(content)
      if (text !== last) {
        last = text
        yield event
      }
      await wakeUp.wait()
    }
  } finally {
    clearInterval(timer)
    unsubscribe()
    wakeUp.end()
    house.metrics.watchers.dec()
  }
}

async function mayStillWatch({ house }: Context, { caller, tenant }: Access): Promise<boolean> {
  const row = await house.database.db
    .selectFrom('users as u')
    .leftJoin('memberships as m', (join) =>
      join.onRef('m.user_id', '=', 'u.id').on('m.tenant_id', '=', tenant.id).on('m.status', 'in', ['active', 'provisioning']),
    )
    .select(['u.deactivated_at', 'u.platform_admin', 'm.role'])
    .where('u.idp_subject_id', '=', caller.subject)
    .executeTakeFirst()
  if (!row || row.deactivated_at !== null) return false
  return row.role !== null || (caller.operator && row.platform_admin)
}

/** A bell: `wait` ends at the next ring, at once when it rang meanwhile. */
function createWakeUp(signal: AbortSignal) {
  let rung = false
  let release: (() => void) | undefined
  const ring = () => {
    rung = true
    release?.()
  }
  signal.addEventListener('abort', ring, { once: true })
  return {
    ring,
    async wait() {
      if (!rung) {
        await new Promise<void>((done) => {
          release = done
        })
      }
      rung = false
      release = undefined
    },
    end: () => signal.removeEventListener('abort', ring),
  }
}
