import type {
  FlagHistory,
  FlagHistoryPage,
  FlagPage,
  FlagView,
  ListFlags,
} from '@atrium/core/flags/flags'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import { findFlag, listFlagChanges, listFlags as queryFlags } from '@atrium/db/flags/flags'
import type { Services } from '../rpc/services.ts'
import { toFlagView } from './view.ts'

export async function listFlags({ database }: Services, input: ListFlags): Promise<FlagPage> {
  const rows = await queryFlags(database.db, {
    q: input.q,
    state: input.state,
    before: input.cursor,
    limit: input.limit,
  })
  const { items, nextCursor } = cutPage(rows, input.limit)
  return { items: items.map(toFlagView), nextCursor }
}

/** Throws AppError `not_found` for unknown and removed flags. */
export async function getFlag({ database }: Services, key: string): Promise<FlagView> {
  const row = await findFlag(database.db, key)
  if (!row) throw unknownFlag()
  return toFlagView(row)
}

/**
 * Every change, newest first, of removed flags also. Throws AppError `not_found` for a key that no
 * flag ever had.
 */
export async function getFlagHistory(
  { database }: Services,
  input: FlagHistory,
): Promise<FlagHistoryPage> {
  const rows = await listFlagChanges(database.db, input.key, {
    before: input.cursor,
    limit: input.limit,
  })
  if (rows.length === 0 && input.cursor === undefined) throw unknownFlag()
  const { items, nextCursor } = cutPage(rows, input.limit)
  return { items: items.map((row) => ({ ...row, at: row.at.toISOString() })), nextCursor }
}

export const unknownFlag = () => new AppError('not_found', errorText('unknownFlag'))
