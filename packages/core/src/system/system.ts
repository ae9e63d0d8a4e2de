import { z } from 'zod'
import { failureKinds } from '../platform/choices.ts'
import { instant } from '../platform/text.ts'

export { failureKinds }

/** Upstream systems that are asked whether they are there. */
export const outsideSystems = ['identity', 'mail', 'files', 'mailer', 'payments'] as const
export const outsideSystem = z.enum(outsideSystems)
export type OutsideSystem = z.infer<typeof outsideSystem>

export const OutsideSystemHealth = z.object({
  system: outsideSystem,
  /** `off`: this installation has none. `unknown`: not asked yet since the process started. */
  state: z.enum(['ok', 'error', 'off', 'unknown']),
  /** Since when the responding process has seen this state. */
  since: instant.nullable(),
  checkedAt: instant.nullable(),
  /** How long the last check took. */
  latencyMs: z.number().nullable(),
  /** What is wrong now. */
  message: z.string().nullable(),
  /**
   * The newest failed call of any process within 90 days, also when the system has recovered since.
   */
  lastError: z.object({ at: instant, message: z.string() }).nullable(),
  /** Calls by day (UTC), oldest first, for up to 90 days. Days without a call are left out. */
  days: z.array(z.object({ day: z.string(), calls: z.number().int(), failures: z.number().int() })),
})
export type OutsideSystemHealth = z.infer<typeof OutsideSystemHealth>

/** Work that is kept in rows of our own. */
export const backlogKinds = [
  'provisioning',
  'members',
  'lists',
  'mails',
  'events',
  'calendars',
] as const
export const backlogKind = z.enum(backlogKinds)
export type BacklogKind = z.infer<typeof backlogKind>

export const Backlog = z.object({
  kind: backlogKind,
  /** Not done yet, failed tries that are repeated included. */
  waiting: z.number().int(),
  /** Of those waiting, what has failed at least once. */
  failing: z.number().int(),
  /** Nothing more happens without a person. */
  gaveUp: z.number().int(),
  /** Since when the oldest waits. */
  oldestAt: instant.nullable(),
})
export type Backlog = z.infer<typeof Backlog>

export const JobQueue = z.object({
  name: z.string(),
  /** Due and not taken. */
  waiting: z.number().int(),
  /** To be run at a later moment. */
  later: z.number().int(),
  running: z.number().int(),
  /** Ended without success within the last hour. */
  failed: z.number().int(),
  /** Since when the oldest of those waiting is due. */
  oldestAt: instant.nullable(),
})
export type JobQueue = z.infer<typeof JobQueue>

export const DatabaseHealth = z.object({
  /** As the server says it: `18.4`. */
  version: z.string(),
  sizeBytes: z.number(),
  connections: z.object({ used: z.number().int(), most: z.number().int() }),
  /** Name of the newest migration in the database, and the one that this version needs. */
  migration: z.object({ found: z.string(), needed: z.string() }),
  /** Seconds for which the oldest open transaction has been open. */
  oldestTransactionSeconds: z.number().nullable(),
  /** The copy that reports and searches read; null where there is none. */
  replica: z
    .object({
      state: z.enum(['ok', 'error']),
      /** How far it is behind; null while it cannot be asked. */
      lagBytes: z.number().nullable(),
      lagSeconds: z.number().nullable(),
    })
    .nullable(),
})
export type DatabaseHealth = z.infer<typeof DatabaseHealth>

export const SystemView = z.object({
  at: instant,
  version: z.string(),
  /** API processes that listen for changes, the longest-running first. */
  processes: z.array(z.object({ address: z.string().nullable(), since: instant })),
  jobEngine: z.string(),
  database: DatabaseHealth,
  systems: z.array(OutsideSystemHealth),
  backlogs: z.array(Backlog),
  queues: z.array(JobQueue),
})
export type SystemView = z.infer<typeof SystemView>

export const failureKind = z.enum(failureKinds)
export type FailureKind = z.infer<typeof failureKind>

export const ListSystemFailures = z.strictObject({
  kind: failureKind.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(25),
})
export type ListSystemFailures = z.infer<typeof ListSystemFailures>

/**
 * A current failure; resolved ones are not included. Names no person: the record it points to does.
 */
export const SystemFailure = z.object({
  kind: failureKind,
  /**
   * Of the step, member, list, mail, event, booking or job; with `kind` and `part` it names the
   * failure.
   */
  id: z.string(),
  /** The step, the template, the type of event or the queue. */
  part: z.string(),
  tenantSlug: z.string().nullable(),
  at: instant,
  message: z.string(),
  /** When it is retried by itself; null when only a person can. */
  nextAt: instant.nullable(),
})
export type SystemFailure = z.infer<typeof SystemFailure>

export const SystemFailures = z.object({ items: z.array(SystemFailure) })
export type SystemFailures = z.infer<typeof SystemFailures>
