import type { DisabledReason } from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import type { SealedValue } from '../scheduling/sealed-values.ts'
import type { TokenOwner } from '../service-tokens/service-tokens.ts'

const columnsOf = (owner: TokenOwner) => ({
  kind: owner.kind,
  tenant_id: owner.kind === 'tenant' ? owner.tenantId : null,
  partner_id: owner.kind === 'partner' ? owner.partnerId : null,
})

function selectEndpoints(db: Db | Trx, owner: TokenOwner) {
  const { kind, tenant_id, partner_id } = columnsOf(owner)
  const query = db
    .selectFrom('webhook_endpoints')
    .select([
      'id',
      'url',
      'description',
      'types',
      'secret',
      'previous_secret as previousSecret',
      'previous_ends_at as previousEndsAt',
      'created_at as createdAt',
      'disabled_at as disabledAt',
      'disabled_reason as disabledReason',
      'failing_since as failingSince',
    ])
    .where('kind', '=', kind)
  if (tenant_id !== null) return query.where('tenant_id', '=', tenant_id)
  return partner_id === null ? query : query.where('partner_id', '=', partner_id)
}

export type WebhookEndpointRow = Awaited<ReturnType<typeof listWebhookEndpoints>>[number]

/** Newest first. There are few: a limit bounds their number. */
export function listWebhookEndpoints(db: Db | Trx, owner: TokenOwner) {
  return selectEndpoints(db, owner).orderBy('id', 'desc').execute()
}

export function findWebhookEndpoint(db: Db | Trx, owner: TokenOwner, id: string) {
  return selectEndpoints(db, owner).where('id', '=', id).executeTakeFirst()
}

/** The id is given, because the secret is encrypted for it. */
export async function insertWebhookEndpoint(
  trx: Trx,
  owner: TokenOwner,
  endpoint: {
    id: string
    url: string
    description: string
    types: readonly string[]
    secret: Buffer
    createdBy: string | null
    createdAt: Date
    cursor: string
  },
): Promise<void> {
  const { createdBy, createdAt, types, ...fields } = endpoint
  await trx
    .insertInto('webhook_endpoints')
    .values({
      ...columnsOf(owner),
      ...fields,
      types: [...types],
      created_by: createdBy,
      created_at: createdAt,
    })
    .execute()
}

export interface EndpointChange {
  url?: string
  description?: string
  types?: string[]
  secret?: Buffer
  previous_secret?: Buffer
  previous_ends_at?: Date
  disabled_at?: Date | null
  disabled_reason?: DisabledReason | null
}

/** False when the owner has no such endpoint. One that is switched on again is due at once. */
export async function updateWebhookEndpoint(
  trx: Trx,
  id: string,
  change: EndpointChange,
): Promise<void> {
  await trx
    .updateTable('webhook_endpoints')
    .set({
      ...change,
      ...(change.disabled_at === null && {
        due_at: sql<Date>`now()`,
        failing_since: null,
        attempts: 0,
      }),
    })
    .where('id', '=', id)
    .execute()
}

export async function deleteWebhookEndpoint(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('webhook_endpoints').where('id', '=', id).execute()
}

/** Delivers again from a cursor on. A delivery that is under way is no longer noted. */
export async function rewindWebhookEndpoint(trx: Trx, id: string, cursor: string): Promise<void> {
  await trx
    .updateTable('webhook_endpoints')
    .set(({ eb }) => ({
      cursor,
      attempts: 0,
      due_at: sql<Date>`now()`,
      wakes: eb('wakes', '+', '1'),
      run: null,
      lease_until: null,
    }))
    .where('id', '=', id)
    .execute()
}

/** Secrets of endpoints by endpoint id; `column` says which of the two. */
export async function listEndpointSecrets(
  db: Db,
  column: 'secret' | 'previous_secret',
  after: string | undefined,
  limit: number,
): Promise<SealedValue[]> {
  let query = db
    .selectFrom('webhook_endpoints')
    .select(['id', `${column} as sealed`])
    .where(column, 'is not', null)
  if (after !== undefined) query = query.where('id', '>', after)
  const rows = await query.orderBy('id').limit(limit).execute()
  return rows.flatMap(({ id, sealed }) => (sealed ? [{ id, sealed }] : []))
}

/** Writes a secret again unless it was replaced since it was read. */
export async function resealEndpointSecret(
  db: Db,
  column: 'secret' | 'previous_secret',
  id: string,
  before: Buffer,
  after: Buffer,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_endpoints')
    .set({ [column]: after })
    .where('id', '=', id)
    .where(column, '=', before)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** An id for a new endpoint. */
export async function newEndpointId(trx: Trx): Promise<string> {
  const { id } = await trx.selectNoFrom(sql<string>`new_id()`.as('id')).executeTakeFirstOrThrow()
  return id
}

/** Whose endpoint it is: names and slugs of its tenant or partner. */
export async function findOwnerNames(
  db: Db | Trx,
  { id }: { id: string },
): Promise<{ name: string | null; tenantSlug: string | null; partnerSlug: string | null }> {
  return db
    .selectFrom('webhook_endpoints as w')
    .leftJoin('tenants as t', 't.id', 'w.tenant_id')
    .leftJoin('partners as p', (join) =>
      join.on(({ eb, or, ref }) =>
        or([eb('p.id', '=', ref('w.partner_id')), eb('p.id', '=', ref('t.partner_id'))]),
      ),
    )
    .select(({ fn }) => [
      fn.coalesce('t.name', 'p.name').as('name'),
      't.slug as tenantSlug',
      'p.slug as partnerSlug',
    ])
    .where('w.id', '=', id)
    .executeTakeFirstOrThrow()
}
