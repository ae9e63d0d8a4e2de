import { cutPage } from '@atrium/core/platform/paging'
import type { MemberStorage, ReadStorage, StorageView } from '@atrium/core/upstream-cache/storage'
import {
  countStorage,
  findFileSpaceId,
  listStorage,
  type StorageRow,
} from '@atrium/db/upstream-cache/storage'
import type { SpaceStorage } from '@atrium/integrations/files/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { failureTexts } from '@atrium/messages/failure-texts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { readerLanguage, readFailure } from '../../rpc/reader-language.ts'
import type { Services } from '../../rpc/services.ts'
import { ensureFresh } from '../refresh.ts'
import { usageFetcher } from './reader.ts'

const deadlineMs = 5_000

/**
 * The current state of the tenant's space in the file storage, and the usage of each member's own
 * space, cached for 15 minutes. A failure of the file storage is reported, never shown as nothing
 * stored.
 */
export async function readStorage(
  { services }: Context,
  access: Access,
  input: ReadStorage,
): Promise<StorageView> {
  const [space, members] = await Promise.all([
    readSpace(services, access.tenant.id),
    readMembers(services, access.tenant.id, input),
  ])
  return { ...space, members }
}

type SpaceView = Omit<StorageView, 'members'>

async function readSpace(services: Services, tenantId: string): Promise<SpaceView> {
  const { files } = services.systems
  const t = failureTexts(readerLanguage())
  if (!files) return withoutNumbers('unavailable', t('readings.noFileStorage'))
  const spaceId = await findFileSpaceId(services.database.db, tenantId)
  if (!spaceId) return withoutNumbers('no_space', t('readings.noSpace'))
  try {
    const storage = await files.storage(spaceId, { signal: AbortSignal.timeout(deadlineMs) })
    return storage ? toSpaceView(storage) : withoutNumbers('no_space', t('readings.spaceGone'))
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    return withoutNumbers('unavailable', readFailure(error.message))
  }
}

function withoutNumbers(state: SpaceView['state'], reason: string): SpaceView {
  return { state, total: null, used: null, remaining: null, unlimited: false, reason }
}

function toSpaceView({ state, total, used, remaining }: SpaceStorage): SpaceView {
  return { state, total, used, remaining, unlimited: total === null, reason: null }
}

async function readMembers(
  services: Services,
  tenantId: string,
  input: ReadStorage,
): Promise<StorageView['members']> {
  const { db } = services.database
  const fetcher = usageFetcher(services)
  const refreshing = fetcher ? await ensureFresh(services, fetcher, { tenantId }) : false
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
    reason: readFailure(failure),
  }
}
