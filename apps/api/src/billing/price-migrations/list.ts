import type {
  ListPriceMigrations,
  ListPriceMoves,
  PriceMigrationPage,
  PriceMigrationView,
  PriceMovePage,
} from '@atrium/core/billing/price-migrations'
import { cutPage } from '@atrium/core/platform/paging'
import {
  listPriceMoves,
  listPriceMigrations as queryMigrations,
} from '@atrium/db/billing/price-migrations'
import type { Services } from '../../rpc/services.ts'
import { readMigration } from './start.ts'
import { toMigrationView, toMoveView } from './view.ts'

export async function listPriceMigrations(
  { database }: Services,
  { priceId, cursor, limit }: ListPriceMigrations,
): Promise<PriceMigrationPage> {
  const rows = await queryMigrations(database.db, { priceId, before: cursor, limit })
  const { items, nextCursor } = cutPage(rows, limit)
  return { items: items.map(toMigrationView), nextCursor }
}

/** AppError `not_found`. */
export async function getPriceMigration(
  { database }: Services,
  id: string,
): Promise<PriceMigrationView> {
  return toMigrationView(await readMigration(database.db, id))
}

/** Each subscriber of a migration. AppError `not_found`. */
export async function listMoves(
  { database: { db } }: Services,
  { id, state, cursor, limit }: ListPriceMoves,
): Promise<PriceMovePage> {
  await readMigration(db, id)
  const rows = await listPriceMoves(db, { migrationId: id, state, after: cursor, limit })
  return cutPage(rows.map(toMoveView), limit)
}
