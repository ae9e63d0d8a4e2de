import type { HostPage, HostView } from '@atrium/core/scheduling/hosts'
import { listHostRecords } from '@atrium/db/scheduling/hosts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { mayActFor } from '../access.ts'
import { readHostView, toHostView } from './view.ts'

/** The tenant's hosts by name. */
export async function listHosts({ services }: Context, access: Access): Promise<HostPage> {
  const rows = await listHostRecords(services.database.db, access.tenant.id, services.clock.now())
  return {
    items: rows.map((row) => toHostView(services, row, { mayEdit: mayActFor(access, row) })),
    nextCursor: null,
  }
}

/** One host. Throws AppError `not_found`. */
export function getHost({ services }: Context, access: Access, hostId: string): Promise<HostView> {
  return readHostView(services, access, hostId)
}
