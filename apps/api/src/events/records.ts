import { eventRecords, isRecordKind, type RecordKind } from '@atrium/core/events/event-records'
import type { EventView } from '@atrium/core/events/events'
import { findGrant } from '@atrium/db/access-grants/access-grants'
import { findApproval } from '@atrium/db/billing/approvals'
import { findInvoice } from '@atrium/db/billing/invoices'
import { findPrice } from '@atrium/db/billing/prices'
import { findSubscription } from '@atrium/db/billing/subscriptions'
import { type EventRow, noTenant } from '@atrium/db/events/events'
import { findInvitation } from '@atrium/db/invitations/invitations'
import { findDomainById } from '@atrium/db/mail/domains'
import { findMailList } from '@atrium/db/mail/lists'
import { countMembers, findMember } from '@atrium/db/members/members'
import { findBooking } from '@atrium/db/scheduling/bookings'
import { findEventType } from '@atrium/db/scheduling/event-types'
import { readHost } from '@atrium/db/scheduling/hosts'
import { findSchedule } from '@atrium/db/scheduling/schedules'
import { findSecurityPolicy } from '@atrium/db/security-policy/security-policy'
import { findServiceToken, type TokenOwner } from '@atrium/db/service-tokens/service-tokens'
import { findTenant } from '@atrium/db/tenants/tenants'
import { findUser } from '@atrium/db/users/users'
import { z } from 'zod'
import { toGrantView } from '../access-grants/view.ts'
import { toApprovalView } from '../billing/approvals/view.ts'
import { toInvoiceView } from '../billing/invoices/view.ts'
import { toPriceView } from '../billing/prices/view.ts'
import { toTenantSubscription } from '../billing/subscriptions/view.ts'
import { toDomainView } from '../mail/domains/view.ts'
import { toListView } from '../mail/lists/get.ts'
import { toMemberView } from '../members/view.ts'
import type { Caller } from '../rpc/caller.ts'
import type { Services } from '../rpc/services.ts'
import { toTenantBooking } from '../scheduling/bookings/view.ts'
import { toEventTypeView } from '../scheduling/event-types/event-types.ts'
import { toHostView } from '../scheduling/hosts/view.ts'
import { toScheduleView } from '../scheduling/schedules/schedules.ts'
import { toSecurityPolicy } from '../security-policy/get.ts'
import { toServiceTokenView } from '../service-tokens/view.ts'
import { toTenantView } from '../tenants/view.ts'
import { toUserView } from '../users/view.ts'
import { toInvitationView } from '../users/view-invitation.ts'
import { toEventView } from './view.ts'

/** Standard Webhooks asks for small messages, and receivers reject large ones. */
const mostCharacters = 64 * 1_024

const recordId = z.uuid()

/** An event about a record that has this id. */
interface About {
  event: EventRow
  id: string
  reader: TokenOwner
  now: Date
}

/**
 * Reads one record, as an admin of its tenant or an operator reads it; undefined when it is gone.
 */
type ReadRecord = (services: Services, about: About) => Promise<Record<string, unknown> | undefined>

const readers: Readonly<Record<RecordKind, ReadRecord>> = {
  async access_grant({ database }, { event, id, reader, now }) {
    const row = await findGrant(database.db, event.tenantId, id)
    // Partners see the grants of their own staff.
    const foreign = reader.kind === 'partner' && row?.partnerId !== reader.partnerId
    return row && !foreign ? toGrantView(row, { id: undefined }, now) : undefined
  },
  async approval({ database }, { event, id, now }) {
    const row = await findApproval(database.db, event.tenantId, id)
    return row && toApprovalView(row, now)
  },
  async booking({ database }, { event, id, now }) {
    const row = await findBooking(database.db, id)
    return row?.tenantSlug === event.tenantSlug ? toTenantBooking(row, now) : undefined
  },
  async domain(services, { event, id }) {
    const row = await findDomainById(services.database.db, id)
    return row?.tenantId === event.tenantId ? toDomainView(services, row) : undefined
  },
  async event_type({ database, config }, { event, id }) {
    const row = await findEventType(database.db, id)
    return row?.tenantId === event.tenantId && !row.removedAt
      ? toEventTypeView(row, event.tenantSlug ?? '', config)
      : undefined
  },
  async host(services, { event, id, now }) {
    const row = await readHost(services.database.db, event.tenantId, id, now)
    return row && toHostView(services, row, { mayEdit: true })
  },
  async invitation({ database }, { event, id }) {
    const row = await findInvitation(database.db, id)
    return row?.tenantSlug === event.tenantSlug ? toInvitationView(row) : undefined
  },
  async invoice({ database }, { event, id, now }) {
    const row = await findInvoice(database.db, event.tenantId, id)
    return row && toInvoiceView(row, now)
  },
  async list({ database }, { event, id }) {
    const row = await findMailList(database.db, event.tenantId, id)
    return row && toListView(row)
  },
  async member({ database }, { event, id }) {
    const row = await findMember(database.db, event.tenantId, id)
    const admin = { caller: { id: undefined, operator: false }, tenant: { role: 'admin' as const } }
    return row && toMemberView(row, admin)
  },
  async price({ database }, { id, reader }) {
    const row = reader.kind === 'platform' ? await findPrice(database.db, id) : undefined
    return row && toPriceView(row)
  },
  async schedule({ database }, { event, id }) {
    const row = await findSchedule(database.db, event.tenantId, id)
    return row && toScheduleView(row)
  },
  async security_policy({ database, systems }, { event }) {
    const row = await findSecurityPolicy(database.db, event.tenantId)
    return row && toSecurityPolicy(row, systems.identity !== undefined)
  },
  async service_token({ database }, { event, id, now }) {
    const row = await findServiceToken(database.db, ownerIn(event), id)
    return row && toServiceTokenView(row, now)
  },
  async subscription({ database: { db } }, { event, id }) {
    const row = await findSubscription(db, id)
    return row?.tenantId === event.tenantId
      ? toTenantSubscription(row, await countMembers(db, row.tenantId))
      : undefined
  },
  async tenant({ database }, { event, now }) {
    const row = event.tenantSlug === null ? undefined : await findTenant(database, event.tenantSlug)
    return row?.id === event.tenantId ? toTenantView(row, null, now) : undefined
  },
  // A person's record names every tenant of the person.
  async user({ database }, { id, reader }) {
    const row = reader.kind === 'platform' ? await findUser(database.db, id) : undefined
    return row && toUserView(row)
  },
}

/** Whose tokens an event is about. */
function ownerIn({ tenantId, partnerId }: EventRow): TokenOwner {
  if (tenantId !== noTenant) return { kind: 'tenant', tenantId }
  return partnerId === null ? { kind: 'platform' } : { kind: 'partner', partnerId }
}

/** Whether a caller may read the records of a kind: a program by the scopes of its token. */
export function mayReadRecords({ service }: Pick<Caller, 'service'>) {
  return (kind: RecordKind): boolean =>
    service === undefined || service.scopes.some((scope) => scope === eventRecords[kind].scope)
}

/** The event with the record that it is about, as it is now. */
export async function readEvent(
  services: Services,
  reader: TokenOwner,
  row: EventRow,
  mayRead: (kind: RecordKind) => boolean = () => true,
): Promise<EventView> {
  const view = toEventView(row, reader)
  const record = await readRecord(services, reader, row, mayRead)
  return { ...view, data: { ...view.data, record } }
}

async function readRecord(
  services: Services,
  reader: TokenOwner,
  event: EventRow,
  mayRead: (kind: RecordKind) => boolean,
): Promise<Record<string, unknown> | null> {
  const { resourceType: kind, resourceId } = event
  const { data: id } = recordId.safeParse(resourceId)
  if (id === undefined || !isRecordKind(kind) || !mayRead(kind)) return null
  const about = { event, id, reader, now: services.clock.now() }
  const record = await readers[kind](services, about)
  return record && JSON.stringify(record).length <= mostCharacters ? record : null
}
