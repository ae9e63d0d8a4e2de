import { z } from 'zod'
import { domainState, recordPurpose, verdict } from '../../mail/domains.ts'
import { plan, stepState, suspensionMode } from '../../tenants/tenants.ts'
import { type EventChanges, type EventType, eventType, touchedLists } from '../event-type.ts'

const tenant = (details: z.ZodRawShape = {}, changes: EventChanges = {}) =>
  eventType('tenant', details, changes)
const domain = (details: z.ZodRawShape = {}, changes: EventChanges = {}) =>
  eventType('domain', details, changes)
const list = (details: z.ZodRawShape = {}, changes: EventChanges = {}) =>
  eventType('list', details, changes)
const alias = () =>
  eventType('alias', {
    mailbox: z.string().nullable(),
    error: z.string().optional(),
    ...touchedLists,
  })

const reason = z.string().optional()
const status = (before: string, after: string): EventChanges => ({ status: [before, after] })
const addresses = z.array(z.string())
const turned = { reason, lostDomains: addresses.optional() }
const states = z.array(domainState).length(2)
const formerPartner = z.string().nullable()

/** Tenants with their mail, sign-on and looks. */
export const tenantEventTypes = {
  'tenant.created': tenant({
    plan,
    awaitsOwner: z.literal(true).optional(),
    domains: addresses.optional(),
  }),
  'tenant.deleted': tenant(turned, status('active', 'deleted')),
  'tenant.domains_released': tenant({ domains: addresses, replacedBy: addresses }),
  'tenant.limited': tenant({ pastDueSince: z.iso.datetime() }),
  'tenant.limits_changed': tenant({ reason }, { members_day: [null, 500] }),
  'tenant.ownership_transferred': tenant(
    { ownerId: z.uuid(), previousOwnerId: z.uuid().nullable() },
    { owner: ['anna@example.com', 'ben@example.com'] },
  ),
  'tenant.purge_started': tenant({ reason, again: z.literal(true).optional() }),
  'tenant.purged': tenant(),
  'tenant.reconciled': tenant({
    results: z.record(
      z.string(),
      z.object({
        state: stepState,
        error: z.string().optional(),
        message: z.string().nullable().optional(),
      }),
    ),
  }),
  'tenant.restored': tenant(turned, status('deleted', 'active')),
  'tenant.resumed': tenant(turned, status('suspended', 'active')),
  'tenant.suspended': tenant({ reason, mode: suspensionMode }, status('active', 'suspended')),
  'tenant.updated': tenant({ reason }, { name: ['Acme', 'Acme GmbH'], seats: [10, 12] }),
  'alias.added': alias(),
  'alias.removed': alias(),
  'domain.added': domain(),
  'domain.dns_regressed': domain({
    state: states,
    records: z.array(
      z.object({
        purpose: recordPurpose,
        name: z.string(),
        verdict,
        reason: z.string().nullable(),
      }),
    ),
  }),
  'domain.dmarc_set': domain({}, { policy: ['none', 'reject'] }),
  'domain.primary_set': domain({}, { primaryDomain: ['example.net', 'example.com'] }),
  'domain.rechecked': domain({ state: states }),
  'domain.removed': domain({ reason }),
  'domain.verified': domain(),
  'list.created': list({ name: z.string(), recipients: addresses }),
  'list.removed': list(),
  'list.retried': list({ state: z.string(), error: z.string().optional() }),
  'list.updated': list(
    { reason, recipientsLeft: z.int().optional() },
    { name: ['Sales', 'Sales and support'] },
  ),
  'branding.updated': eventType(['tenant', 'partner'], {}, { productName: [null, 'Acme'] }),
  'security_policy.updated': eventType(
    'security_policy',
    {},
    { mfaMode: ['optional', 'required'] },
  ),
  'sso_app.created': eventType('sso_app', { clientId: z.string(), redirectUris: addresses }),
  'sso_app.deleted': eventType('sso_app', { clientId: z.string().optional() }),
  'partner_transfer.accepted': tenant({ partner: z.string(), formerPartner }),
  'partner_transfer.code_created': tenant(),
  'partner_transfer.code_revoked': tenant(),
  'partner_transfer.left': tenant({ partner: z.string().nullable(), formerPartner }),
} as const satisfies Record<string, EventType>
