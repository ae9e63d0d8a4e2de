import { z } from 'zod'
import { auditOutcomes } from '../platform/choices.ts'
import { says } from '../platform/issue-text.ts'
import { instant, instantPattern, line } from '../platform/text.ts'
import { slugFilter } from '../tenants/slugs.ts'

export { auditOutcomes }

export const actorTypes = ['user', 'operator', 'partner', 'system', 'visitor', 'service'] as const
export const actorType = z.enum(actorTypes)
export type ActorType = z.infer<typeof actorType>

export const auditOutcome = z.enum(auditOutcomes)
export type AuditOutcome = z.infer<typeof auditOutcome>

export const auditSources = [
  'api',
  'portal',
  'operator',
  'partner',
  'webhook',
  'job',
  'booking',
  'command',
] as const
export const auditSource = z.enum(auditSources)
export type AuditSource = z.infer<typeof auditSource>

/** Every action that is recorded. A literal in a union, so that a typing error does not compile. */
export const auditActions = [
  'access_grant.acknowledged',
  'access_grant.approved',
  'access_grant.break_glass',
  'access_grant.declined',
  'access_grant.ended',
  'access_grant.expired',
  'access_grant.requested',
  'access_grant.withdrawn',
  'address.claim_held',
  'address.claim_settled',
  'address.claim_started',
  'address.claim_withdrawn',
  'address.moved',
  'alias.added',
  'alias.removed',
  'approval.approved',
  'approval.declined',
  'approval.expired',
  'approval.requested',
  'audit.exported',
  'audit.verified',
  'billing.card_removed',
  'billing.card_set',
  'billing.customer_created',
  'billing.customer_removed',
  'billing.exported',
  'billing.reconciled',
  'billing_info.updated',
  'booking.canceled',
  'booking.confirmed',
  'booking.declined',
  'booking.expired',
  'booking.guests_invited',
  'booking.link_renewed',
  'booking.no_show',
  'booking.requested',
  'booking.rescheduled',
  'booking_page.updated',
  'branding.updated',
  'domain.added',
  'domain.dns_regressed',
  'domain.dmarc_set',
  'domain.primary_set',
  'domain.rechecked',
  'domain.removed',
  'domain.verified',
  'event_type.created',
  'event_type.removed',
  'event_type.updated',
  'flag.created',
  'flag.killed',
  'flag.removed',
  'flag.updated',
  'host.created',
  'host.removed',
  'host.updated',
  'list.created',
  'list.removed',
  'list.retried',
  'list.updated',
  'mail_credential.removed',
  'mail_credential.set',
  'member.alias_added',
  'member.alias_removed',
  'member.app_password_created',
  'member.app_password_removed',
  'member.created',
  'member.email_changed',
  'member.imported',
  'member.left',
  'member.mailbox_created',
  'member.mailbox_password_replaced',
  'member.password_expired',
  'member.password_reset',
  'member.removed',
  'member.resumed',
  'member.retried',
  'member.role_changed',
  'member.second_factors_reminded',
  'member.second_factors_reset',
  'member.sessions_ended',
  'member.suspended',
  'member.updated',
  'invitation.accepted',
  'invitation.created',
  'invitation.declined',
  'invitation.expired',
  'invitation.opened',
  'invitation.resent',
  'invitation.revoked',
  'invoice.correction_approved',
  'invoice.correction_rejected',
  'invoice.correction_requested',
  'invoice.credited',
  'invoice.payment_attempted',
  'invoice.payment_recorded',
  'invoice.refunded',
  'invoice.voided',
  'invoice.written_off',
  'ledger.adjusted',
  'outbox.retried',
  'partner.created',
  'partner.margin_changed',
  'partner.report_deleted',
  'partner.report_saved',
  'partner.resumed',
  'partner.suspended',
  'partner.terminated',
  'partner.updated',
  'partner_settings.updated',
  'partner_team.access_changed',
  'partner_team.invited',
  'partner_team.removed',
  'partner_transfer.accepted',
  'partner_transfer.code_created',
  'partner_transfer.code_revoked',
  'partner_transfer.left',
  'payout.approved',
  'payout.canceled',
  'payout.failed',
  'payout.held',
  'payout.paid',
  'payout.reopened',
  'payout.requested',
  'payout.sent',
  'price.activated',
  'price.archived',
  'price.created',
  'price.deleted',
  'price.migration_started',
  'price.migration_stopped',
  'price.move_stopped',
  'price.updated',
  'schedule.created',
  'schedule.removed',
  'schedule.updated',
  'security_policy.updated',
  'spending_limit.removed',
  'spending_limit.set',
  'service_token.created',
  'service_token.revoked',
  'service_token.rotated',
  'subscription.canceled',
  'subscription.created',
  'subscription.kept',
  'subscription.past_due',
  'subscription.payment_reminded',
  'subscription.plan_changed',
  'subscription.price_kept',
  'subscription.recovered',
  'subscription.resumed',
  'subscription.paused',
  'subscription.seats_changed',
  'subscription.updated',
  'tenant.limited',
  'webhook_endpoint.created',
  'webhook_endpoint.disabled',
  'webhook_endpoint.removed',
  'webhook_endpoint.replayed',
  'webhook_endpoint.secret_rotated',
  'webhook_endpoint.tested',
  'webhook_endpoint.updated',
  'webhook.parked',
  'webhook.replayed',
  'sso_app.created',
  'sso_app.deleted',
  'tenant.ownership_transferred',
  'platform.keys_rotated',
  'platform.user_invited',
  'tenant.created',
  'tenant.deleted',
  'tenant.domains_released',
  'tenant.limits_changed',
  'tenant.purge_started',
  'tenant.purged',
  'tenant.reconciled',
  'tenant.restored',
  'tenant.resumed',
  'tenant.suspended',
  'tenant.updated',
  'user.address_change_requested',
  'user.address_changed',
  'user.address_proved',
  'user.created',
  'user.deactivated',
  'user.deleted',
  'user.password_link_followed',
  'user.reactivated',
  'user.sessions_ended',
  'user.updated',
] as const
export type AuditAction = (typeof auditActions)[number]

/** One entry of the audit log as it is read. `at` keeps the database's microseconds. */
export const AuditEvent = z.object({
  id: z.uuid(),
  at: instant,
  actorType,
  actorId: z.string().nullable(),
  actorEmail: z.string().nullable(),
  actorIp: z.string().nullable(),
  /**
   * Whether one of our proxies or servers reported `actorIp`, or it is the socket's; null without
   * an address and in entries of earlier versions.
   */
  actorIpTrusted: z.boolean().nullable(),
  action: z.string(),
  outcome: auditOutcome,
  resourceType: z.string(),
  resourceId: z.string().nullable(),
  resourceName: z.string().nullable(),
  tenantSlug: z.string().nullable(),
  partnerSlug: z.string().nullable(),
  source: auditSource,
  metadata: z.record(z.string(), z.unknown()),
  prevHash: z.string().nullable(),
  hash: z.string().nullable(),
})
export type AuditEvent = z.infer<typeof AuditEvent>

export const AuditPage = z.object({
  items: z.array(AuditEvent),
  nextCursor: z.string().nullable(),
  /**
   * The search stopped before the page was full: what is older than `nextCursor` was not looked at,
   * and may or may not fit.
   */
  more: z.boolean(),
})
export type AuditPage = z.infer<typeof AuditPage>

/**
 * An action such as `tenant.created`, or a leading part of one such as `tenant`, `tenant.` or
 * `tenant.*`.
 */
const actionFilter = z
  .string()
  .trim()
  .max(100)
  .regex(
    /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*(\.|\.\*)?$/,
    'Write an action such as tenant.created, or a leading part such as tenant.*',
  )

/** For the API description: times, and the cursors that the log itself gives. */
export const auditCursorPattern = `^${instantPattern()}(_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})?$`

/**
 * Cursor of the audit log: an instant, meaning entries older than it, or an instant and the id of
 * the last entry shown.
 */
export const before = z
  .string()
  .max(100)
  .refine((value) => {
    const [at, id, ...rest] = value.split('_')
    return (
      rest.length === 0 &&
      instant.safeParse(at).success &&
      (id === undefined || z.uuid().safeParse(id).success)
    )
  }, says('cursorOrTime'))
  .meta({ openapi: { pattern: auditCursorPattern } })

const filters = {
  since: instant.optional(),
  until: instant.optional(),
  before: before.optional(),
  action: actionFilter.optional(),
  actorEmail: line(254).optional(),
  outcome: auditOutcome.optional(),
  actorIpTrusted: z.enum(['true', 'false']).optional(),
  /** Acts under this access grant. */
  grantId: z.uuid().optional(),
  q: line(200).optional(),
}

/** `limit` of audit queries: 100 when absent; more than 500 is cut to 500 (seed, limits). */
const auditLimit = z.coerce
  .number()
  .int()
  .min(1)
  .default(100)
  .transform((value) => Math.min(value, 500))

export const QueryAudit = z.strictObject({
  ...filters,
  tenantSlug: slugFilter.optional(),
  partnerSlug: slugFilter.optional(),
  limit: auditLimit,
})
export type QueryAudit = z.infer<typeof QueryAudit>

export const QueryTenantAudit = z.strictObject({
  slug: z.string().max(200),
  ...filters,
  limit: auditLimit,
})
export type QueryTenantAudit = z.infer<typeof QueryTenantAudit>

export const exportFormats = ['ndjson', 'csv'] as const
export const ExportAudit = z.strictObject({
  ...filters,
  tenantSlug: slugFilter.optional(),
  partnerSlug: slugFilter.optional(),
  format: z.enum(exportFormats).default('ndjson'),
})
export type ExportAudit = z.infer<typeof ExportAudit>

/** Chains to look at: of one tenant, of one partner, or all of them, page by page. */
export const VerifyAudit = z
  .strictObject({
    tenantSlug: slugFilter.optional(),
    partnerSlug: slugFilter.optional(),
    cursor: line(200).optional(),
    /** Chains per response. */
    limit: z.coerce.number().int().min(1).max(200).default(50),
  })
  .refine(({ tenantSlug, partnerSlug }) => tenantSlug === undefined || partnerSlug === undefined, {
    ...says('tenantOrPartner'),
    path: ['partnerSlug'],
  })
export type VerifyAudit = z.infer<typeof VerifyAudit>

export const AuditVerification = z.object({
  /** Whether this process links what it writes (`AUDIT_HASH_CHAIN`). */
  enabled: z.boolean(),
  ok: z.boolean(),
  chains: z.number().int(),
  /** Entries that were recomputed. */
  checked: z.number().int(),
  /** Entries without a link since the first one that has one. */
  unchained: z.number().int(),
  /** The first wrong entry of each chain that does not hold. */
  faults: z.array(
    z.object({
      /** `tenant:acme`, `partner:north` or `platform`. */
      chain: z.string(),
      sequence: z.number().int(),
      id: z.uuid().nullable(),
      at: instant.nullable(),
      /**
       * `changed`: it is not what was written; `gap`: one before it is missing or was put in;
       * `end_missing`: the last ones are gone.
       */
      reason: z.enum(['gap', 'changed', 'end_missing']),
    }),
  ),
  nextCursor: z.string().nullable(),
})
export type AuditVerification = z.infer<typeof AuditVerification>

const recorded: ReadonlySet<string> = new Set(auditActions)

/**
 * Splits an action filter into its kind: an action that is recorded is exact, anything else is what
 * actions begin with, however much of it is written (seed 4.6). `tenant.*` is the same as
 * `tenant.`.
 */
export function actionMatch(filter: string): { exact: string } | { prefix: string } {
  if (filter.endsWith('.*')) return { prefix: filter.slice(0, -1) }
  return recorded.has(filter) ? { exact: filter } : { prefix: filter }
}

const secretKey = /secret|password|token|authorization|cookie|(^|_|-)key$|apikey|privatekey/i
const longest = 512
const widest = 8_000

/**
 * The permitted content of an entry: values under keys that name a secret become `***`, texts are
 * cut at 512 characters, and metadata of more than 8 kB is replaced by a note of its size. Depth is
 * bounded so that a cycle cannot hang the writer.
 */
export function auditMetadata(
  metadata: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const cleaned = clean(metadata, 0) as Record<string, unknown>
  const size = JSON.stringify(cleaned).length
  return size > widest
    ? {
        truncated: true,
        size,
        ...Object.fromEntries(
          kept.flatMap((name) => (name in cleaned ? [[name, cleaned[name]]] : [])),
        ),
      }
    : cleaned
}

/** What stays of metadata that are too large. */
const kept = ['requestId', 'onBehalfOf', 'grantId', 'service']

/** PostgreSQL's jsonb takes neither NUL nor lone surrogates; an entry with either would be lost. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}

function clean(value: unknown, depth: number): unknown {
  if (depth > 6) return '…'
  if (typeof value === 'string')
    return storable(value.length > longest ? `${value.slice(0, longest).toWellFormed()}…` : value)
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => clean(item, depth + 1))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, item]) => {
        if (item === undefined || typeof item === 'function') return []
        return [[storable(key), secretKey.test(key) ? hide(item) : clean(item, depth + 1)]]
      }),
    )
  }
  return value
}

/** Before and after stay two values: readers of a change expect a pair. */
function hide(value: unknown): unknown {
  return Array.isArray(value) ? value.slice(0, 100).map(() => '***') : '***'
}

/**
 * `{ field: [before, after] }` of the fields that differ; what `metadata.changes` of an update
 * holds.
 */
export function changedFields(
  before: object,
  after: object,
  fields: readonly string[],
): Record<string, [unknown, unknown]> {
  const changes: Record<string, [unknown, unknown]> = {}
  for (const field of fields) {
    const was = Reflect.get(before, field) ?? null
    const is = Reflect.get(after, field) ?? null
    if (JSON.stringify(was) !== JSON.stringify(is)) changes[field] = [was, is]
  }
  return changes
}

/** The columns of an export, in order. */
export const auditColumns = Object.keys(AuditEvent.shape) as (keyof AuditEvent)[]

/**
 * Where a spreadsheet may see the beginning of a cell: the cell's own, and behind what separates
 * cells and rows in other regions.
 */
const formula =
  /^(?=[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n])|(?<=[;\t\r\n])(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g

/**
 * One CSV line (RFC 4180, CRLF). Where a spreadsheet would take what follows for a formula (= + - @
 * in either width, a leading tab or line end), an apostrophe is put in front, as OWASP advises
 * against CSV injection. Also behind a semicolon, tab or line end inside of a cell: a program that
 * is set to semicolons, as in much of Europe, begins a new cell there, whatever the quotation marks
 * say. Numbers stay numbers, negative ones too: a sum would leave out what became a text.
 */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(cell: unknown): string {
  if (typeof cell === 'number') return String(cell)
  const plain =
    cell === null || cell === undefined
      ? ''
      : typeof cell === 'object'
        ? JSON.stringify(cell)
        : String(cell)
  const safe = plain.replace(formula, "'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
