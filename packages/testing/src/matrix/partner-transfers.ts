import { createHash, randomBytes } from 'node:crypto'
import { type Rows, slug, type World, who } from './rows.ts'

const owners = who(['owner', 'operator'], 'not_found', {
  member: 'not_owner',
  admin: 'not_owner',
  partnerStaff: 'not_owner',
})
const managers = who(['partnerStaff', 'operator'], 'operator_required', {
  foreignPartnerStaff: 'not_found',
  operatorTokenWithoutFlag: 'not_platform_admin',
})

/** A valid code of the tenant, or of a new one without a partner. */
async function newCode({ testApp }: World, tenantId?: string): Promise<string> {
  const { db } = testApp.database
  const code = randomBytes(32).toString('base64url')
  const name = `transfer-${randomBytes(6).toString('hex')}`
  const id =
    tenantId ??
    (
      await db
        .insertInto('tenants')
        .values({ slug: name, name, awaits_owner: true })
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id
  const now = testApp.app.services.clock.now()
  const values = {
    code_hash: createHash('sha256').update(code).digest(),
    created_by: null,
    created_at: now,
    expires_at: new Date(now.getTime() + 86_400_000),
  }
  // A new code of a tenant takes the place of the one before.
  await db
    .insertInto('partner_transfers')
    .values({ tenant_id: id, ...values })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(values))
    .execute()
  return code
}

const transfer = async (world: World) => ({ slug: world.partnerSlug, code: await newCode(world) })

export const partnerTransfersRows: Rows = {
  'partnerTransfers.getCode': [{ input: slug, expected: owners }],
  'partnerTransfers.createCode': [{ input: slug, expected: owners }],
  'partnerTransfers.revokeCode': [
    {
      async input(world) {
        await newCode(world, world.tenantId)
        return slug(world)
      },
      expected: owners,
    },
  ],
  'partnerTransfers.leave': [{ input: slug, expected: owners }],
  'partnerTransfers.preview': [{ input: transfer, expected: managers }],
  'partnerTransfers.accept': [{ input: transfer, expected: managers }],
}
