import {
  type ActorType,
  type AuditAction,
  type AuditOutcome,
  type AuditSource,
  auditMetadata,
} from '@atrium/core/audit/audit'
import {
  atSavepoint,
  insertAuditEvent,
  insertChainedAuditEvent,
  insertPreparedEntry,
  type NewAuditEvent,
  takePreparedEntry,
} from '@atrium/db/audit/audit'
import { auditChainOf } from '@atrium/db/audit/audit-chain'
import type { Database, Trx } from '@atrium/db/platform/connect'
import type { Clock } from '../platform/clock.ts'
import type { KeyedLimiter } from '../platform/keyed-limiter.ts'
import type { Logger } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Caller, OnBehalf, RequestInfo } from './caller.ts'

export interface AuditEntry {
  /** Given where a record names its entry; else the database chooses it. */
  id?: string
  action: AuditAction
  outcome?: AuditOutcome
  resourceType: string
  resourceId?: string | null
  resourceName?: string | null
  tenantSlug?: string | null
  partnerSlug?: string | null
  metadata?: Record<string, unknown>
}

export interface SystemEntry extends AuditEntry {
  /** Absent: a job. */
  source?: AuditSource
}

/**
 * Writes the audit log. No method throws for an entry that cannot be written: it is logged and
 * counted (seed 6). With `trx`, the entry, and the event that programs get, are committed with the
 * change of that transaction or not at all; it is the last statement of the transaction, because
 * later entries of the same chain wait for its end. Without it, a process that is killed right
 * after a change loses its entry: only for what changes nothing in the database.
 */
export interface AuditRecorder {
  /** Records what the caller of a request did. */
  record(ctx: { request: RequestInfo }, caller: Caller, entry: AuditEntry, trx?: Trx): Promise<void>
  /**
   * Stores the entry of a change that upstream systems follow after it, in the transaction of the
   * change, and with it the event. `complete` writes the entry with what they said; after a kill in
   * between it is written as it was prepared (`writeAbandonedEntries`).
   */
  prepare(
    ctx: { request: RequestInfo },
    caller: Caller,
    entry: AuditEntry,
    trx: Trx,
  ): Promise<PreparedEntry>
  /** Writes a prepared entry; `known` replaces its outcome and adds to its metadata. */
  complete(prepared: PreparedEntry, known: Pick<AuditEntry, 'outcome' | 'metadata'>): Promise<void>
  /** The entry that `record` would write. */
  entryOf(ctx: { request: RequestInfo }, caller: Caller, entry: AuditEntry): NewAuditEvent
  /** Writes such an entry. */
  write(event: NewAuditEvent, trx?: Trx): Promise<void>
  /**
   * Records an action without a session, such as a visitor's on the booking pages: only the network
   * address is known.
   */
  recordVisitor(ctx: { request: RequestInfo }, entry: AuditEntry, trx?: Trx): Promise<void>
  /** Records what the platform did by itself. */
  recordSystem(entry: SystemEntry, trx?: Trx): Promise<void>
}

/**
 * An entry that waits for the end of its change; `id` is undefined where it could not be stored.
 */
export interface PreparedEntry {
  id: string | undefined
  event: NewAuditEvent
}

/** The audit log for functions that run in a transaction: they may not take another connection. */
export interface TransactionAudit {
  record(ctx: { request: RequestInfo }, caller: Caller, entry: AuditEntry, trx: Trx): Promise<void>
  recordVisitor(ctx: { request: RequestInfo }, entry: AuditEntry, trx: Trx): Promise<void>
  recordSystem(entry: SystemEntry, trx: Trx): Promise<void>
  prepare: AuditRecorder['prepare']
}

export function createAuditRecorder(parts: {
  database: Database
  clock: Clock
  log: Logger
  metrics: Metrics
  keyedLimiter: KeyedLimiter
  /** Whether entries carry the hash of the one before them. */
  chained: boolean
}): AuditRecorder {
  const { database, clock, log, metrics, keyedLimiter } = parts
  const insert = (event: NewAuditEvent, trx: Trx) =>
    parts.chained ? insertChainedAuditEvent(trx, event) : insertAuditEvent(trx, event)
  // The head of a chain is locked until the entry is committed. Who waits for it here holds no
  // connection.
  const inTurn = (event: NewAuditEvent, run: (trx: Trx) => Promise<void>) => {
    const start = () => database.db.transaction().execute(run)
    return parts.chained ? keyedLimiter.take(`audit ${auditChainOf(event)}`, start) : start()
  }
  const insertAlone = (event: NewAuditEvent) =>
    parts.chained
      ? inTurn(event, (trx) => insert(event, trx))
      : insertAuditEvent(database.db, event)
  function noteFailure(err: unknown, { action, metadata }: NewAuditEvent): void {
    metrics.auditWriteFailures.inc()
    log.error({ err, action, requestId: metadata.requestId }, 'failed to write audit entry')
  }
  async function write(event: NewAuditEvent, trx?: Trx): Promise<void> {
    try {
      await (trx ? atSavepoint(trx, () => insert(event, trx)) : insertAlone(event))
    } catch (err) {
      noteFailure(err, event)
    }
  }
  const common = (entry: AuditEntry) => ({
    id: entry.id,
    at: clock.now(),
    action: entry.action,
    outcome: entry.outcome ?? ('success' as const),
    resourceType: entry.resourceType,
    resourceId: entry.resourceId ?? null,
    resourceName: entry.resourceName ?? null,
    tenantSlug: entry.tenantSlug ?? null,
    partnerSlug: entry.partnerSlug ?? null,
  })
  const ofRequest = (request: RequestInfo, entry: AuditEntry) => ({
    ...common(entry),
    actorIp: request.ip,
    source: request.source,
    metadata: auditMetadata({
      ...entry.metadata,
      requestId: request.requestId,
      ...addressFacts(request),
    }),
  })
  const entryOf: AuditRecorder['entryOf'] = ({ request }, caller, entry) => ({
    ...ofRequest(request, withService(caller.service, withGrant(caller.onBehalf, entry))),
    actorType: actorTypeOf(caller),
    actorId: caller.service?.id ?? caller.id ?? caller.subject,
    actorEmail: caller.email ?? null,
  })
  async function complete(
    { id, event }: PreparedEntry,
    known: Pick<AuditEntry, 'outcome' | 'metadata'>,
  ) {
    const outcome = known.outcome ?? event.outcome
    const metadata = auditMetadata({ ...event.metadata, ...known.metadata })
    const completed = { ...event, outcome, metadata }
    if (id === undefined) return write(completed)
    // What cannot be written stays prepared, and is retried as an abandoned entry.
    await inTurn(event, async (trx) => {
      if (await takePreparedEntry(trx, id)) await insert({ ...completed, id }, trx)
    }).catch((err: unknown) => noteFailure(err, event))
  }
  return {
    entryOf,
    write,
    complete,
    async prepare({ request }, caller, entry, trx) {
      const event = entryOf({ request }, caller, entry)
      let id: string | undefined
      await atSavepoint(trx, async () => {
        id = await insertPreparedEntry(trx, event)
      }).catch((err: unknown) =>
        log.error({ err, action: event.action }, 'an audit entry is not prepared'),
      )
      return { id, event }
    },
    record: ({ request }, caller, entry, trx) => write(entryOf({ request }, caller, entry), trx),
    recordVisitor: ({ request }, entry, trx) =>
      write(
        { ...ofRequest(request, entry), actorType: 'visitor', actorId: null, actorEmail: null },
        trx,
      ),
    recordSystem: ({ source = 'job', ...entry }, trx) =>
      write(
        {
          ...common(entry),
          actorType: 'system',
          actorId: null,
          actorEmail: null,
          actorIp: null,
          source,
          metadata: auditMetadata(entry.metadata ?? {}),
        },
        trx,
      ),
  }
}

/**
 * Entries for one transaction, by their chains: transactions that lock the ends of several chains
 * do so in the same order, and none waits for another in a circle.
 */
export function inChainOrder<Entry extends Pick<AuditEntry, 'tenantSlug' | 'partnerSlug'>>(
  entries: readonly Entry[],
): Entry[] {
  const chainOf = ({ tenantSlug = null, partnerSlug = null }: Entry) =>
    auditChainOf({ tenantSlug, partnerSlug })
  return entries.toSorted((one, other) =>
    chainOf(one) < chainOf(other) ? -1 : chainOf(one) > chainOf(other) ? 1 : 0,
  )
}

/**
 * The entry of an act under an access grant: it names the grant and the tenant acted for, and is in
 * the log of the partner for which the caller has the grant.
 */
export function withGrant(onBehalf: OnBehalf | undefined, entry: AuditEntry): AuditEntry {
  if (!onBehalf) return entry
  const { grantId, tenantSlug, partnerSlug } = onBehalf
  return {
    ...entry,
    partnerSlug: partnerSlug ?? entry.partnerSlug ?? null,
    metadata: { ...entry.metadata, onBehalfOf: tenantSlug, grantId },
  }
}

/**
 * The entry of a program's act: it names the service token, and is in the log of the token's
 * partner.
 */
function withService(service: Caller['service'], entry: AuditEntry): AuditEntry {
  if (!service) return entry
  return {
    ...entry,
    partnerSlug: entry.partnerSlug ?? service.partner?.slug ?? null,
    metadata: { ...entry.metadata, service: service.name },
  }
}

/**
 * Stored with `actorIp`: whether one of our proxies or servers reported it, and the socket's
 * address where that differs.
 */
function addressFacts({ ip, ipTrusted, peerIp }: RequestInfo): Record<string, unknown> {
  return {
    ...(ip === null ? {} : { actorIpTrusted: ipTrusted }),
    ...(peerIp && peerIp !== ip ? { peerIp } : {}),
  }
}

function actorTypeOf(caller: Caller): ActorType {
  if (caller.service) return 'service'
  if (caller.operator) return 'operator'
  return caller.partner ? 'partner' : 'user'
}
