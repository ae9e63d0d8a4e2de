import type { MailValue } from '@atrium/core/outbox/outbox'
import type { ClaimedMail } from '@atrium/db/outbox/outbox'
import type { Database } from '@atrium/db/platform/connect'
import type { Integrations } from '@atrium/integrations/connect'
import type { OutgoingMail } from '@atrium/integrations/mailer/port'
import type { BackgroundWork } from '../platform/background.ts'
import type { BusyTimes } from '../platform/busy-times-cache.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Flags } from '../platform/flag-evaluator.ts'
import type { IntegrationChecks } from '../platform/integration-checks.ts'
import type { Jobs } from '../platform/jobs.ts'
import type { KeyedLimiter } from '../platform/keyed-limiter.ts'
import type { Logger } from '../platform/log.ts'
import type { MemberLeases } from '../platform/member-leases.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { OpenStreams } from '../platform/open-streams.ts'
import type { Outbox } from '../platform/outbox.ts'
import type { RateLimit } from '../platform/rate-limit.ts'
import type { RequestCounts } from '../platform/request-counts.ts'
import type { Templates } from '../platform/templates.ts'
import type { TenantChanges } from '../platform/tenant-changes.ts'
import type { TokenVerifier } from '../platform/token.ts'
import type { UpstreamCalls } from '../platform/upstream-calls.ts'
import type { WebhookSender } from '../platform/webhook-sender.ts'
import type { AuditRecorder, TransactionAudit } from './audit-recorder.ts'
import type { RequestInfo } from './caller.ts'
import type { Limits } from './limits.ts'

/**
 * Everything that the service is made of. Built once by `createApp`, handed down by hand; nothing
 * imports a singleton.
 */
export interface Services {
  config: Config
  database: Database
  /** The upstream systems; null where this installation has none. */
  systems: Integrations
  /** Calls to them, counted by day. */
  upstreamCalls: UpstreamCalls
  /** Whether they are available, as last seen by this process. */
  systemChecks: IntegrationChecks
  clock: Clock
  log: Logger
  tokens: TokenVerifier
  audit: AuditRecorder
  jobs: Jobs
  changes: TenantChanges
  flags: Flags
  /** Evaluations by OpenFeature clients. */
  ofrepLimit: RateLimit
  /** Addresses that send invalid service tokens. */
  tokenFailures: RateLimit
  limits: Limits
  requestCounts: RequestCounts
  /** What hosts' calendars say of their time. */
  busyTimes: BusyTimes
  /** A mailbox accepts sign-ins again: makes due at once what failed because it did not. */
  mailboxOpened(mailAccountId: string): Promise<void>
  /** Texts of messages that people wrote. */
  templates: Templates
  /** For what many may want at once. */
  keyedLimiter: KeyedLimiter
  /** Mails to people, queued in the transaction that causes them. */
  outbox: Outbox
  /** What each kind of mail adds when it is sent; the first that knows a mail adds to it. */
  mailKinds: readonly MailKind[]
  background: BackgroundWork
  /** For the work on members that this process does. */
  memberLeases: MemberLeases
  /** Open-ended responses, which a stop cuts. */
  streams: OpenStreams
  webhookSender: WebhookSender
  metrics: Metrics
}

/**
 * What a mail gets only when it is sent, because it must not wait in the queue or is not known
 * before.
 */
export interface MailParts {
  /** Values that the queue does not hold. */
  values: Record<string, MailValue>
  /** In whose name the platform's address sends. */
  sendsFor?: string | undefined
  /** Who gets the replies; absent: the platform's address. */
  answersTo?: { name: string; address: string }
  calendar?: OutgoingMail['calendar']
}

/** One kind of mail, declared where its content is known. The outbox sends all kinds alike. */
export interface MailKind {
  /** Undefined for mails of another kind. `sender` is the platform's own address. */
  parts(services: Services, mail: ClaimedMail, sender: string): Promise<MailParts | undefined>
  /** Why the mail need not be sent any more; undefined when it must be, and for other kinds. */
  whyPointless(services: Services, mail: ClaimedMail): Promise<string | undefined>
}

/**
 * What a function may use of the service while a transaction is open: nothing that takes a database
 * connection of its own. With one more connection per transaction, as many transactions as the pool
 * has connections wait for each other until all of them fail.
 */
export type InTransaction = Pick<
  Services,
  'config' | 'clock' | 'log' | 'systems' | 'outbox' | 'jobs' | 'limits'
> & { audit: TransactionAudit }

/** A request for functions that run while a transaction is open. */
export interface TransactionContext {
  services: InTransaction
  request: RequestInfo
}
