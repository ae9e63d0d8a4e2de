import { AppError } from '@atrium/core/errors'
import type { HostView, UpdateHost } from '@atrium/core/hosts'
import type { Trx } from '@atrium/db/connect'
import { violatedConstraint } from '@atrium/db/failures'
import { type HostChanges, type HostRow, updateHost as writeHost } from '@atrium/db/hosts'
import { findMember } from '@atrium/db/members'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import { slugTaken } from './create-host.ts'
import { organizerAddress } from './host-address.ts'
import { readHostView } from './host-view.ts'
import { lockOwnHost, recordHost } from './open-host.ts'

/**
 * Changes a host. Throws AppError `version_conflict` when it is not at the given version any more, `already_exists` for a slug that is
 * taken, `invalid_input`.
 */
export async function updateHost(ctx: Context, access: Access, input: UpdateHost): Promise<HostView> {
  const { house } = ctx
  const { host, changes } = await house.database.db
    .transaction()
    .execute(async (trx) => {
      const { host: before } = await lockOwnHost(trx, access, input.hostId)
      if (before.version !== input.version) {
        throw new AppError('version_conflict', `The host is at version ${before.version} now. Read it again.`)
      }
      const wanted = await changesOf(trx, access, before, input)
      const written = withoutSame(before, wanted)
      if (Object.keys(written).length > 0) await writeHost(trx, before.id, written)
      return { host: before, changes: written }
    })
    .catch((error: unknown) => {
      throw violatedConstraint(error) === 'hosts_slug' ? slugTaken(error) : error
    })
  if (Object.keys(changes).length > 0) {
    await recordHost(ctx, access, { action: 'host.updated', host, metadata: { fields: Object.keys(changes) } })
  }
  return readHostView(house, access, host.id)
}

async function changesOf(trx: Trx, access: Access, host: HostRow, input: UpdateHost): Promise<HostChanges> {
  const { mailAddress, limits } = input
  return {
    slug: input.hostSlug,
    name: input.name,
    title: input.title,
    description: input.description,
    avatar_url: input.avatarUrl,
    zone: input.zone,
    mail_address:
      mailAddress === undefined || mailAddress === host.mailAddress ? undefined : await otherAddress(trx, access, host, mailAddress),
    listed: input.listed,
    active: input.enabled,
    ...(limits && { limit_day: limits.day, limit_week: limits.week, limit_month: limits.month }),
  }
}

async function otherAddress(trx: Trx, access: Access, host: HostRow, wanted: string): Promise<string> {
  const member = await findMember(trx, host.tenantId, host.userId)
  if (!member) throw new AppError('member_not_active')
  return organizerAddress(trx, access, member, wanted)
}

function withoutSame(host: HostRow, wanted: HostChanges): HostChanges {
  const now: Required<HostChanges> = {
    slug: host.slug,
    name: host.name,
    title: host.title,
    description: host.description,
    avatar_url: host.avatarUrl,
    zone: host.zone,
    mail_address: host.mailAddress,
    listed: host.listed,
    active: host.enabled,
    limit_day: host.limitDay,
    limit_week: host.limitWeek,
    limit_month: host.limitMonth,
  }
  const changed = Object.entries(wanted).filter(([name, value]) => value !== undefined && value !== now[name as keyof HostChanges])
  return Object.fromEntries(changed)
}
