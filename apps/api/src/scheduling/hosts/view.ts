import { type CredentialView, type HostView, NoCredential } from '@atrium/core/scheduling/hosts'
import { type HostRecord, readHost } from '@atrium/db/scheduling/hosts'
import type { Access } from '../../rpc/guards.ts'
import { readFailure } from '../../rpc/reader-language.ts'
import type { Services } from '../../rpc/services.ts'
import { mayActFor, noSuchHost } from '../access.ts'
import { publicAddress } from '../public/address.ts'

/** A host as somebody sees it who may edit it or not. */
export function toHostView(
  services: Services,
  row: HostRecord,
  { mayEdit }: { mayEdit: boolean },
): HostView {
  return {
    id: row.id,
    userId: row.userId,
    slug: row.slug,
    name: row.name,
    title: row.title,
    description: row.description,
    avatarUrl: row.avatarUrl,
    zone: row.zone,
    mailAddress: row.mailAddress,
    listed: row.listed,
    active: row.active,
    enabled: row.enabled,
    memberStatus: row.userStatus,
    limits: { day: row.limitDay, week: row.limitWeek, month: row.limitMonth },
    credential: toCredentialView(row),
    mintable: isMintable(services, row),
    mayEdit,
    comingBookings: row.comingBookings,
    publicUrl: publicAddress(services.config, row.tenantSlug, row.slug),
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

export function toCredentialView(row: HostRecord): CredentialView {
  if (row.credentialSource === null) return NoCredential
  return {
    present: true,
    source: row.credentialSource,
    checkedAt: row.credentialCheckedAt?.toISOString() ?? null,
    ok: row.credentialOk,
    error: readFailure(row.credentialError),
  }
}

function isMintable({ systems, config }: Services, row: HostRecord): boolean {
  return Boolean(
    systems.mail &&
      config.mailProvisioning &&
      systems.calendars &&
      config.keyring &&
      row.mailboxAccountId,
  )
}

/** The current host. Throws AppError `not_found`. */
export async function readHostRecord(
  services: Services,
  tenantId: string,
  hostId: string,
): Promise<HostRecord> {
  const row = await readHost(services.database.db, tenantId, hostId, services.clock.now())
  if (!row) throw noSuchHost()
  return row
}

export async function readHostView(
  services: Services,
  access: Access,
  hostId: string,
): Promise<HostView> {
  const row = await readHostRecord(services, access.tenant.id, hostId)
  return toHostView(services, row, { mayEdit: mayActFor(access, row) })
}
