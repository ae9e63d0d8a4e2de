import type { Trx } from '../platform/connect.ts'

interface ProvenDomain {
  tenantId: string
  name: string
}

/**
 * Assigns the name to the tenant. Call it before the statement that records the proof. Throws the
 * violation of `proven_domains_pkey` when another tenant has proved it.
 */
export async function enterProvenDomain(trx: Trx, { tenantId, name }: ProvenDomain): Promise<void> {
  await trx.insertInto('proven_domains').values({ name, tenant_id: tenantId }).execute()
}

/** Another tenant can prove the name from the commit on. */
export async function leaveProvenDomain(trx: Trx, { tenantId, name }: ProvenDomain): Promise<void> {
  await trx
    .deleteFrom('proven_domains')
    .where('name', '=', name)
    .where('tenant_id', '=', tenantId)
    .execute()
}
