import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { CreateHost, HostView } from '@atrium/core/scheduling/hosts'
import { slugCandidates, slugify } from '@atrium/core/tenants/slugs'
import { findMember, type MemberRow } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import { violatedConstraint } from '@atrium/db/platform/failures'
import { insertHost, type NewHost } from '@atrium/db/scheduling/hosts'
import { insertSchedule } from '@atrium/db/scheduling/schedules'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { lockOpenTenant } from '../../rpc/open-tenant.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { organizerAddress } from './address.ts'
import { recordHost, rejectFormerActor, requireKeyring } from './open.ts'
import { readHostView } from './view.ts'

const slugTries = 50
/** 09:00 to 17:00, in minutes of the day. */
const workingHours = { start: 9 * 60, end: 17 * 60 }

/**
 * Turns a member into a host, with a standard schedule: Monday to Friday, 09:00 to 17:00. Admins
 * may do so for everyone, members for themselves. Throws AppError `already_exists` for a member who
 * is a host already and for a slug that is taken, `member_not_active`, `invalid_input`.
 */
export async function createHost(
  ctx: Context,
  access: Access,
  input: CreateHost,
): Promise<HostView> {
  const { services } = ctx
  requireKeyring(services)
  const made = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const tenant = await lockOpenTenant(trx, access.tenant.slug)
    await rejectFormerActor(trx, access, input.userId === access.caller.id)
    const member = await activeMember(trx, tenant.id, input.userId)
    const mailAddress = await organizerAddress(trx, access, member, input.mailAddress)
    const host = await insertUnderFreeSlug(trx, input.hostSlug, {
      tenant_id: tenant.id,
      user_id: member.id,
      name: input.name ?? member.name,
      title: input.title ?? null,
      description: input.description ?? null,
      avatar_url: input.avatarUrl ?? null,
      zone: input.zone,
      mail_address: mailAddress,
      listed: input.listed ?? true,
      limit_day: input.limits?.day ?? null,
      limit_week: input.limits?.week ?? null,
      limit_month: input.limits?.month ?? null,
    })
    await insertSchedule(trx, {
      tenantId: tenant.id,
      hostId: host.id,
      name: 'Working hours',
      zone: input.zone,
      weekly: [0, 1, 2, 3, 4, 5, 6].map((day) => (day < 5 ? [workingHours] : [])),
      overrides: [],
      standard: true,
    })
    await recordHost(ctx, trx, access, {
      action: 'host.created',
      host,
      metadata: { userId: input.userId, zone: input.zone },
    })
    return host
  }).catch((error: unknown) => {
    if (violatedConstraint(error) !== 'hosts_user') throw error
    throw new AppError('already_exists', errorText('alreadyHost'), { cause: error })
  })
  return readHostView(services, access, made.id)
}

async function activeMember(trx: Trx, tenantId: string, userId: string): Promise<MemberRow> {
  const member = await findMember(trx, tenantId, userId)
  if (!member) {
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'userId', message: errorText('unknownMember') }],
    })
  }
  const shut =
    member.deactivatedAt !== null ||
    member.membershipStatus === 'suspended' ||
    member.membershipStatus === 'removing'
  if (shut) throw new AppError('member_not_active')
  return member
}

async function insertUnderFreeSlug(
  trx: Trx,
  requested: string | undefined,
  host: Omit<NewHost, 'slug'>,
): Promise<{ id: string; slug: string }> {
  const candidates =
    requested === undefined ? slugCandidates(slugify(host.name) ?? 'host', slugTries) : [requested]
  for (const slug of candidates) {
    const id = await insertHost(trx, { ...host, slug })
    if (id !== undefined) return { id, slug }
  }
  throw slugTaken()
}

export const slugTaken = (cause?: unknown) =>
  new AppError('already_exists', errorText('hostSlugTaken'), {
    cause,
    issues: [{ path: 'hostSlug', message: errorText('hostSlugTaken') }],
  })
