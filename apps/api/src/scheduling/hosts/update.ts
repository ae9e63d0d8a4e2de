import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { HostView, UpdateHost } from '@atrium/core/scheduling/hosts'
import { findMember } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import { violatedConstraint } from '@atrium/db/platform/failures'
import {
  type HostChanges,
  type HostRow,
  updateHost as writeHost,
} from '@atrium/db/scheduling/hosts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { organizerAddress } from './address.ts'
import { slugTaken } from './create.ts'
import { lockOwnHost, recordHost } from './open.ts'
import { readHostView } from './view.ts'

/**
 * Changes a host. Throws AppError `version_conflict` when it is not at the given version any more,
 * `already_exists` for a slug that is taken, `invalid_input`.
 */
export async function updateHost(
  ctx: Context,
  access: Access,
  input: UpdateHost,
): Promise<HostView> {
  const { services } = ctx
  const id = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const { host: before } = await lockOwnHost(trx, access, input.hostId)
    if (before.version !== input.version) {
      throw new AppError('version_conflict', errorText('hostVersion', { version: before.version }))
    }
    const requested = await changesOf(trx, access, before, input)
    const written = withoutSame(before, requested)
    if (Object.keys(written).length > 0) {
      await writeHost(trx, before.id, written)
      await recordHost(ctx, trx, access, {
        action: 'host.updated',
        host: before,
        metadata: { changes: shownChanges(before, written) },
      })
    }
    return before.id
  }).catch((error: unknown) => {
    throw violatedConstraint(error) === 'hosts_slug' ? slugTaken(error) : error
  })
  return readHostView(services, access, id)
}

async function changesOf(
  trx: Trx,
  access: Access,
  host: HostRow,
  input: UpdateHost,
): Promise<HostChanges> {
  const { mailAddress, limits } = input
  return {
    slug: input.hostSlug,
    name: input.name,
    title: input.title,
    description: input.description,
    avatar_url: input.avatarUrl,
    zone: input.zone,
    mail_address:
      mailAddress === undefined || mailAddress === host.mailAddress
        ? undefined
        : await otherAddress(trx, access, host, mailAddress),
    listed: input.listed,
    active: input.enabled,
    ...(limits && { limit_day: limits.day, limit_week: limits.week, limit_month: limits.month }),
  }
}

async function otherAddress(
  trx: Trx,
  access: Access,
  host: HostRow,
  requested: string,
): Promise<string> {
  const member = await findMember(trx, host.tenantId, host.userId)
  if (!member) throw new AppError('member_not_active')
  return organizerAddress(trx, access, member, requested)
}

function withoutSame(host: HostRow, requested: HostChanges): HostChanges {
  const now = columnsOf(host)
  const changed = Object.entries(requested).filter(
    ([name, value]) => value !== undefined && value !== now[name as keyof HostChanges],
  )
  return Object.fromEntries(changed)
}

/** Before and after, as the audit log names fields. */
function shownChanges(host: HostRow, changes: HostChanges): Record<string, [unknown, unknown]> {
  const before = columnsOf(host)
  const named = (column: string) =>
    column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(
    Object.entries(changes).map(([column, value]) => [
      named(column),
      [before[column as keyof HostChanges], value],
    ]),
  )
}

function columnsOf(host: HostRow): Required<HostChanges> {
  return {
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
}
