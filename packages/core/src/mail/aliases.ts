import { z } from 'zod'
import { page, pageLimit } from '../platform/paging.ts'
import { line } from '../platform/text.ts'
import { PersonView } from '../tenants/tenants.ts'
import { ownAddress } from './mail-addresses.ts'

/**
 * An additional address of a mailbox. `member` is null when the mailbox belongs to no member of the
 * tenant.
 */
export const AliasView = z.object({
  address: z.string(),
  domain: z.string(),
  member: PersonView.nullable(),
})
export type AliasView = z.infer<typeof AliasView>

export const AliasPage = page(AliasView)
export type AliasPage = z.infer<typeof AliasPage>

/** In the order of the addresses; the cursor is the last address shown. */
export const ListAliases = z.strictObject({
  slug: z.string().max(200),
  q: line(200).optional(),
  domain: line(255).optional(),
  userId: z.uuid().optional(),
  cursor: line(320).optional(),
  limit: pageLimit,
})
export type ListAliases = z.infer<typeof ListAliases>

/**
 * `address` is a local part, completed with the primary domain, or a whole address on a domain of
 * the tenant.
 */
export const AddAlias = z.strictObject({
  slug: z.string().max(200),
  address: ownAddress,
  userId: z.uuid(),
})
export type AddAlias = z.infer<typeof AddAlias>

export const RemoveAlias = z.strictObject({
  slug: z.string().max(200),
  address: line(320).transform((value) => value.toLowerCase()),
})
export type RemoveAlias = z.infer<typeof RemoveAlias>
