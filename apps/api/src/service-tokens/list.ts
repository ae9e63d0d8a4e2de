import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import type {
  ListServiceTokens,
  ServiceTokenPage,
  ServiceTokenView,
} from '@atrium/core/service-tokens/service-tokens'
import {
  findServiceToken,
  listServiceTokens as queryTokens,
} from '@atrium/db/service-tokens/service-tokens'
import type { Context } from '../rpc/context.ts'
import { ownerOf, type ServiceToken } from '../rpc/service-caller.ts'
import type { Holder } from './owner.ts'
import { toServiceTokenView } from './view.ts'

/** The tokens of one owner, newest first, ended ones included. */
export async function listServiceTokens(
  { services }: Context,
  { owner }: Holder,
  { cursor: before, limit }: ListServiceTokens,
): Promise<ServiceTokenPage> {
  const now = services.clock.now()
  const { items, nextCursor } = cutPage(
    await queryTokens(services.database.db, owner, { limit, before }),
    limit,
  )
  return { items: items.map((row) => toServiceTokenView(row, now)), nextCursor }
}

/** The token that the call was made with. */
export async function readOwnToken(
  { services }: Context,
  token: ServiceToken,
): Promise<ServiceTokenView> {
  const row = await findServiceToken(services.database.db, ownerOf(token), token.id)
  if (!row) throw new AppError('unauthenticated')
  return toServiceTokenView(row, services.clock.now())
}
