import type {
  InvitationPage,
  ListInvitations,
  ListPartnerInvitations,
  ListTenantInvitations,
  TenantInvitationPage,
} from '@atrium/core/invitations/invitations'
import { cutPage } from '@atrium/core/platform/paging'
import {
  countReservedSeats,
  listInvitations as findInvitations,
  type InvitationScope,
} from '@atrium/db/invitations/invitations'
import { readSeats } from '@atrium/db/tenants/tenants'
import { freeSeats } from '../members/seats.ts'
import type { Context } from '../rpc/context.ts'
import type { Access, OwnPartner } from '../rpc/guards.ts'
import { toInvitationView } from '../users/view-invitation.ts'

/** Invitations to a tenant, newest first, with the seats that they hold and that are free. */
export async function listTenantInvitations(
  ctx: Context,
  { tenant }: Access,
  input: ListTenantInvitations,
): Promise<TenantInvitationPage> {
  const { services } = ctx
  const { db } = services.database
  const { id } = tenant
  const page = await read(ctx, { tenantId: id }, input)
  const free = await freeSeats(db, services, { id, ...(await readSeats(db, id)) })
  return {
    ...page,
    reservedSeats: await countReservedSeats(db, id),
    freeSeats: Number.isFinite(free) ? Math.max(free, 0) : null,
  }
}

/** Invitations to a partner's staff, newest first. */
export function listPartnerInvitations(
  ctx: Context,
  { partner }: OwnPartner,
  input: ListPartnerInvitations,
): Promise<InvitationPage> {
  return read(ctx, { partnerId: partner.id }, input)
}

/** Invitations of all kinds and places, newest first, for operators. */
export function listInvitations(ctx: Context, input: ListInvitations): Promise<InvitationPage> {
  return read(ctx, {}, input)
}

async function read(
  { services }: Context,
  scope: InvitationScope,
  { cursor, limit, ...filter }: ListInvitations,
): Promise<InvitationPage> {
  const { q, state, kind } = filter
  const rows = await findInvitations(services.database.db, scope, {
    q,
    state,
    kind,
    before: cursor,
    limit,
  })
  const { items, nextCursor } = cutPage(rows, limit)
  return { items: items.map(toInvitationView), nextCursor }
}
