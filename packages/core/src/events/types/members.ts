import { z } from 'zod'
import { grantRole, grantScope } from '../../access-grants/access-grants.ts'
import { invitationKind } from '../../invitations/invitations.ts'
import { tenantRole } from '../../members/memberships.ts'
import { stepState } from '../../tenants/tenants.ts'
import { type EventChanges, type EventType, eventType, touchedLists } from '../event-type.ts'

const mailbox = z.string().nullable()
const outcomes = z.object({ identity: stepState, mail: stepState, files: stepState })
const emailChanged: EventChanges = { email: ['anna@example.com', 'a.example@example.com'] }
const reason = z.string()

const member = (details: z.ZodRawShape = {}, changes: EventChanges = {}) =>
  eventType('member', details, changes)
const user = (details: z.ZodRawShape = {}, changes: EventChanges = {}) =>
  eventType('user', details, changes)
const address = (details: z.ZodRawShape = {}) => eventType('address', details)

/** Of what an import made. */
const imported = { importId: z.uuid().optional(), requestedBy: z.string().optional() }

const invitation = (details: z.ZodRawShape = {}) =>
  eventType('invitation', { kind: invitationKind, ...details })
const terms = { role: tenantRole.optional(), access: z.string().optional() }

const grant = (details: z.ZodRawShape = {}) =>
  eventType('access_grant', {
    role: grantRole,
    scopes: z.array(grantScope),
    reason,
    endsAt: z.iso.datetime(),
    ...details,
  })
const ended = grant({ ending: z.string().nullable() })

/** Members of tenants, people across tenants, and who may act for a tenant. */
export const memberEventTypes = {
  'member.alias_added': member({ address: z.string() }),
  'member.alias_removed': member({ address: z.string(), ...touchedLists }),
  'member.app_password_created': member({ name: z.string() }),
  'member.app_password_removed': member({ name: z.string() }),
  'member.created': member({
    role: tenantRole,
    mailbox: mailbox.optional(),
    ...imported,
  }),
  'member.email_changed': member(touchedLists, emailChanged),
  'member.imported': eventType('member_import', {
    rows: z.int().optional(),
    refused: z.int().optional(),
    resumed: z.boolean().optional(),
  }),
  'member.left': member({ role: tenantRole, mailbox, ...touchedLists }),
  'member.mailbox_created': member({ mailbox }),
  'member.mailbox_password_replaced': member({ mailbox }),
  // About the person when no membership is left.
  'member.password_expired': eventType(['member', 'user'], { expiredAt: z.iso.datetime() }),
  'member.password_reset': member({
    outcomes: z.record(z.string(), z.object({ state: stepState, error: z.string().optional() })),
    linkTo: z.string().optional(),
  }),
  'member.removed': member({ role: tenantRole, mailbox, ...touchedLists }),
  'member.resumed': member({}, { status: ['suspended', 'active'] }),
  'member.retried': member({ outcomes, removed: z.boolean() }),
  'member.role_changed': member({}, { role: ['member', 'admin'] }),
  'member.second_factors_reminded': eventType('tenant', { reminded: z.int() }),
  'member.second_factors_reset': member({ removed: z.int() }),
  'member.sessions_ended': member({ sessions: z.int() }),
  'member.suspended': member({ reason: reason.optional() }, { status: ['active', 'suspended'] }),
  'member.updated': member({}, { name: ['Anna Example', 'Anna Sample'] }),
  'address.claim_held': address({ outcome: z.string() }),
  'address.claim_settled': address({ outcome: z.string() }),
  'address.claim_started': address(),
  'address.claim_withdrawn': address(),
  'address.moved': user(),
  'invitation.accepted': invitation({ ...terms, userId: z.uuid() }),
  'invitation.created': invitation({ ...terms, ...imported }),
  'invitation.declined': invitation(),
  'invitation.expired': invitation(),
  'invitation.opened': invitation(),
  'invitation.resent': invitation(),
  'invitation.revoked': invitation(),
  'access_grant.acknowledged': grant(),
  'access_grant.approved': grant(),
  'access_grant.break_glass': grant(),
  'access_grant.declined': grant(),
  'access_grant.ended': ended,
  'access_grant.expired': ended,
  'access_grant.requested': grant(),
  'access_grant.withdrawn': ended,
  'user.address_change_requested': user(),
  'user.address_changed': user({ suspendedIn: z.array(z.string()).optional() }, emailChanged),
  'user.address_proved': user({ handoff: z.string(), invitation: z.literal(true).optional() }),
  'user.created': user(),
  'user.deactivated': user({ reason: reason.optional() }),
  'user.deleted': user({
    tenants: z.array(z.object({ tenant: z.string(), complete: z.boolean() })).optional(),
    ...touchedLists,
  }),
  'user.password_link_followed': user({ handoff: z.string(), sentTo: z.string() }),
  'user.reactivated': user({ reason: reason.optional() }),
  'user.sessions_ended': user({ sessions: z.int(), signIns: z.int() }),
  'user.updated': user(
    {
      mails: z.string().optional(),
      on: z.boolean().optional(),
      unsubscribed: z.literal(true).optional(),
    },
    { phone: [null, '+49 30 1234567'] },
  ),
  'platform.user_invited': user({ handoff: z.enum(['tempPassword', 'link']) }),
} as const satisfies Record<string, EventType>
