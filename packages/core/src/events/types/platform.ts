import { z } from 'zod'
import { mailState } from '../../mail/mail-states.ts'
import { serviceScopes } from '../../service-tokens/scopes.ts'
import { type EventChanges, type EventType, eventType } from '../event-type.ts'

const partner = (details: z.ZodRawShape = {}, changes: EventChanges = {}) =>
  eventType('partner', details, changes)
const status = (before: string, after: string): EventChanges => ({ status: [before, after] })
const reason = z.string().optional()
const report = { report: z.uuid(), name: z.string(), kind: z.string() }

const flag = (details: z.ZodRawShape = {}, changes: EventChanges = {}) =>
  eventType(
    'flag',
    {
      note: z.string(),
      version: z.int(),
      revived: z.literal(true).optional(),
      ...details,
    },
    changes,
  )
const figure = z.number().optional()

const token = (details: z.ZodRawShape = {}) => eventType('service_token', details)
const endpoint = (details: z.ZodRawShape = {}, changes: EventChanges = {}) =>
  eventType('webhook_endpoint', details, changes)

/** Partners, programs, feature flags, and what operators do. */
export const platformEventTypes = {
  'partner.created': partner({ marginPct: z.number() }),
  'partner.margin_changed': partner({ effectiveFrom: z.string(), reason }, { marginPct: [10, 15] }),
  'partner.report_deleted': partner(report),
  'partner.report_saved': partner(report),
  'partner.resumed': partner({ reason }, status('suspended', 'active')),
  'partner.suspended': partner({ reason }, status('active', 'suspended')),
  'partner.terminated': partner({ reason }, status('active', 'terminated')),
  'partner.updated': partner({}, { name: ['North', 'North GmbH'] }),
  'partner_settings.updated': partner(
    { selfBillingConsentAt: z.iso.datetime().optional() },
    { supportEmail: [null, 'help@north.example'] },
  ),
  'partner_team.access_changed': eventType('user', {}, { access: ['viewer', 'manager'] }),
  'partner_team.invited': eventType('user'),
  'partner_team.removed': eventType('user', { access: z.string() }),
  'service_token.created': token({
    scopes: z.array(z.enum(serviceScopes)),
    networks: z.array(z.string()),
    expiresAt: z.iso.datetime(),
  }),
  'service_token.revoked': token(),
  'service_token.rotated': token({ expiresAt: z.iso.datetime(), overlapHours: z.int() }),
  'webhook_endpoint.created': endpoint({ types: z.array(z.string()) }),
  'webhook_endpoint.disabled': endpoint(),
  'webhook_endpoint.removed': endpoint(),
  'webhook_endpoint.replayed': endpoint({
    eventId: z.uuid().optional(),
    since: z.iso.datetime({ offset: true }).optional(),
  }),
  'webhook_endpoint.secret_rotated': endpoint({ overlapHours: z.int() }),
  'webhook_endpoint.tested': endpoint({ ok: z.boolean() }),
  'webhook_endpoint.updated': endpoint({}, { description: ['', 'Directory'] }),
  'flag.created': flag(),
  'flag.killed': flag(
    {
      trigger: z.literal('guard').optional(),
      signal: z.string().optional(),
      windowMinutes: figure,
      threshold: figure,
      eventsOn: figure,
      rateOn: figure,
      eventsOff: figure,
      rateOff: z.number().nullable().optional(),
      tenantsOn: figure,
      failingTenantsOn: figure,
    },
    { state: ['on', 'off'] },
  ),
  'flag.removed': flag(),
  'flag.updated': flag({}, { state: ['off', 'on'] }),
  'audit.exported': eventType('audit', {
    format: z.string(),
    filter: z.record(z.string(), z.unknown()),
  }),
  'audit.verified': eventType('audit', {
    chains: z.int(),
    checked: z.int(),
    faults: z.array(z.record(z.string(), z.unknown())),
  }),
  'outbox.retried': eventType('mail', {
    state: mailState,
    attempts: z.int(),
    error: z.string().nullable(),
  }),
  'platform.keys_rotated': eventType('platform', { renewed: z.int(), unreadable: z.int() }),
  'webhook.parked': eventType('webhook', {
    objectId: z.string().nullable(),
    attempts: z.int(),
    note: z.string().nullable(),
  }),
  'webhook.replayed': eventType('webhook', {
    before: z.string().optional(),
    parked: z.int().optional(),
    ids: z.array(z.string()).optional(),
  }),
} as const satisfies Record<string, EventType>
