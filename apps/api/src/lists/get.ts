import { AppError } from '@atrium/core/errors'
import type { ListLists, ListPage, ListSummary, ListView } from '@atrium/core/lists'
import { cutPage } from '@atrium/core/paging'
import { findMailList, type ListRow, type ListSummaryRow, listMailLists } from '@atrium/db/lists'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import type { House } from '../house.ts'

/** The tenant's distribution lists, newest first. */
export async function listLists({ house }: Context, { tenant }: Access, input: ListLists): Promise<ListPage> {
  const rows = await listMailLists(house.database.db, tenant.id, { q: input.q, before: input.cursor, limit: input.limit })
  const { items, nextCursor } = cutPage(rows, input.limit)
  return { items: items.map(toListSummary), nextCursor }
}

export async function getList({ house }: Context, { tenant }: Access, listId: string): Promise<ListView> {
  return readList(house, tenant.id, listId)
}

/** Throws AppError `not_found` when the tenant has no such list. */
export async function readList(house: House, tenantId: string, listId: string): Promise<ListView> {
  const row = await findMailList(house.database.db, tenantId, listId)
  if (!row) throw noSuchList()
  return toListView(row)
}

export const noSuchList = () => new AppError('not_found', 'There is no such list.')

export function toListView(row: ListRow): ListView {
  return { ...row, createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() }
}

function toListSummary(row: ListSummaryRow): ListSummary {
  return { ...row, createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() }
}
