import { setTimeout as delay } from 'node:timers/promises'
import { failingDays, retryAfterSeconds } from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { endOfEvents, listEvents } from '@atrium/db/events/events'
import type { Trx } from '@atrium/db/platform/connect'
import {
  type ClaimedEndpoint,
  claimEndpoints,
  dispatchEvents,
  releaseEndpoint,
  saveTry,
  type TryOutcome,
} from '@atrium/db/webhook-endpoints/deliveries'
import { findOwnerNames } from '@atrium/db/webhook-endpoints/webhook-endpoints'
import { readEvent } from '../events/records.ts'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import { ownerOf } from '../rpc/service-caller.ts'
import type { InTransaction, Services } from '../rpc/services.ts'
import { ownerInMail, ownerLink, recipientsOf } from '../service-tokens/owner-mails.ts'
import { sendTo } from './try.ts'
import { isAccepted } from './view.ts'

/** Endpoints that a process delivers to at the same time. */
const atOnce = 64
/** Events that one statement dispatches, and that one reads of an endpoint. */
const [perDispatch, perRead] = [1_000, 20]
const pauseMs = 500
const dayMs = 86_400_000

/**
 * Delivers what is due until nothing is left, and for so long looks for more. Each endpoint gets
 * its events one after another in their order; endpoints do not wait for each other. May run in
 * several processes: each endpoint is delivered to by one of them.
 */
export async function deliverEvents(services: Services, forMs: number): Promise<void> {
  const { db } = services.database
  const startedAt = performance.now()
  const running = new Set<Promise<void>>()
  const ends = () => services.background.ending || performance.now() - startedAt >= forMs
  for (let first = true; ; first = false) {
    const dispatched = await dispatchEvents(db, perDispatch)
    const more = first || dispatched > 0 || running.size > 0 || !ends()
    const claimed =
      more && running.size < atOnce ? await claimEndpoints(db, atOnce - running.size) : []
    for (const endpoint of claimed) {
      const task = deliverTo(services, endpoint)
        .catch((err: unknown) =>
          services.log.error({ err, endpoint: endpoint.id }, 'failed to deliver events'),
        )
        .finally(() => running.delete(task))
      running.add(task)
    }
    if (claimed.length === 0 && dispatched === 0 && running.size === 0 && ends()) return
    if (claimed.length === 0) await Promise.race([delay(ends() ? 10 : pauseMs), ...running])
  }
}

/** Delivers to one endpoint until it has everything, a try fails, or the process loses it. */
async function deliverTo(services: Services, endpoint: ClaimedEndpoint): Promise<void> {
  const { db } = services.database
  const owner = ownerOf(endpoint)
  let { cursor, attempts, failingSince } = endpoint
  for (;;) {
    const end = await endOfEvents(db)
    const events = await listEvents(db, owner, {
      after: cursor,
      until: end,
      limit: perRead,
      types: endpoint.types,
    })
    if (events.length === 0) return releaseEndpoint(db, endpoint, end)
    for (const row of events) {
      if (services.background.ending) return releaseEndpoint(db, endpoint, undefined)
      const content = await readEvent(services, owner, row)
      const delivery = await sendTo(services, endpoint, {
        id: row.id,
        type: row.type,
        kind: 'event',
        attempt: attempts + 1,
        content,
      })
      const accepted = isAccepted(delivery.status)
      const outcome: TryOutcome = accepted
        ? { cursor: row.cursor, attempts: 0, failingSince: null }
        : afterFailure(row.cursor, attempts, failingSince, delivery.at)
      const saved = await db.transaction().execute(async (trx) => {
        if (!(await saveTry(trx, endpoint, delivery, outcome))) return false
        if (outcome.disabledAt) {
          await mailDisabled(trx, services, endpoint)
          await recordDisabled(trx, services, endpoint)
        }
        return true
      })
      if (!saved || !accepted) return
      ;[cursor, attempts, failingSince] = [row.cursor, 0, null]
    }
  }
}

/**
 * When a rejected event is retried. After ten tries it is given up, and the next one is tried;
 * after five days without any success the endpoint is switched off.
 */
function afterFailure(
  eventCursor: string,
  failed: number,
  failingSince: Date | null,
  now: Date,
): TryOutcome {
  const since = failingSince ?? now
  const off = now.getTime() - since.getTime() >= failingDays * dayMs
  const wait = retryAfterSeconds[failed]
  return {
    ...(wait === undefined && { cursor: eventCursor }),
    attempts: wait === undefined ? 0 : failed + 1,
    failingSince: since,
    // Spread, so that what failed at once does not come back at once.
    retryInSeconds: (wait ?? 0) * (0.9 + 0.2 * Math.random()),
    ...(off && { disabledAt: now }),
  }
}

async function mailDisabled(
  trx: Trx,
  services: InTransaction,
  endpoint: ClaimedEndpoint,
): Promise<void> {
  const owner = await findOwnerNames(trx, endpoint)
  for (const person of await recipientsOf(trx, endpoint)) {
    await services.outbox.send(trx, {
      tenantId: null,
      template: 'webhook_endpoint.disabled',
      to: person.email,
      userId: person.id,
      name: person.name,
      values: (language) => ({
        'webhook.host': new URL(endpoint.url).host,
        'webhook.owner': ownerInMail(owner, language),
        'link.webhooks': ownerLink(
          services.config,
          { ...endpoint, tenantSlug: owner.tenantSlug },
          'webhooks',
        ),
      }),
      key: `webhook_endpoint.disabled:${endpoint.id}:${endpoint.run}:${person.id}`,
    })
  }
}

async function recordDisabled(
  trx: Trx,
  { audit }: InTransaction,
  endpoint: ClaimedEndpoint,
): Promise<void> {
  const { tenantSlug, partnerSlug } = await findOwnerNames(trx, endpoint)
  const entry: AuditEntry = {
    action: 'webhook_endpoint.disabled',
    resourceType: 'webhook_endpoint',
    resourceId: endpoint.id,
    resourceName: new URL(endpoint.url).host,
    tenantSlug,
    partnerSlug,
  }
  await audit.recordSystem(entry, trx)
}
