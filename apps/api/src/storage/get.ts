import { cutPage } from '@atrium/core/paging'
import type { MemberStorage, ReadStorage, StorageView } from '@atrium/core/storage'
import { countStorage, findFileSpaceId, listStorage, type StorageRow } from '@atrium/db/storage'
import type { SpaceStorage } from '@atrium/integrations/files/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import type { House } from '../house.ts'
import { freshenReadings } from '../readings/refresh.ts'
import { usageReader } from './reader.ts'

const deadlineMs = 5_000

/**
 * The tenant's space as the file storage tells it now, and what each member keeps in a space of their own, as read in the last 15
 * minutes. A failure of the file storage is told, never shown as nothing stored.
 */
export async function readStorage({ house }: Context, access: Access, input: ReadStorage): Promise<StorageView> {
  const [space, members] = await Promise.all([readSpace(house, access.tenant.id), readMembers(house, access.tenant.id, input)])
  return { ...space, members }
}

type SpaceView = Omit<StorageView, 'members'>

async function readSpace(house: House, tenantId: string): Promise<SpaceView> {
  const { files } = house.systems
  if (!files) return withoutNumbers('unavailable', 'This installation is not connected to a file storage.')
  const spaceId = await findFileSpaceId(house.database.db, tenantId)
  if (!spaceId) return withoutNumbers('no_space', 'The tenant has no space in the file storage yet.')
  try {
    const storage = await files.storage(spaceId, { signal: AbortSignal.timeout(deadlineMs) })
    return storage ? toSpaceView(storage) : withoutNumbers('no_space', 'The space of the tenant is gone from the file storage.')
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    return withoutNumbers('unavailable', error.message)
  }
}

function withoutNumbers(state: SpaceView['state'], reason: string): SpaceView {
  return { state, total: null, used: null, remaining: null, unlimited: false, reason }
}

function toSpaceView({ state, total, used, remaining }: SpaceStorage): SpaceView {
  return { state, total, used, remaining, unlimited: total === null, reason: null }
}

async function readMembers(house: House, tenantId: string, input: ReadStorage): Promise<StorageView['members']> {
  const { db } = house.database
  const reader = usageReader(house)
  const refreshing = reader ? await freshenReadings(house, reader, { tenantId }) : false
  const [rows, summary] = await Promise.all([
    listStorage(db, tenantId, { before: input.cursor, limit: input.limit }),
    countStorage(db, tenantId),
  ])
  const { items, nextCursor } = cutPage(rows, input.limit)
  return { items: items.map(toMemberStorage), nextCursor, summary, refreshing }
}

function toMemberStorage({ id, email, name, value, failure, readAt }: StorageRow): MemberStorage {
  return {
    userId: id,
    email,
    name,
    state: value === null ? 'unknown' : value.bytes === null ? 'no_account' : 'known',
    used: value?.bytes ?? null,
    checkedAt: readAt?.toISOString() ?? null,
    reason: failure,
  }
}
