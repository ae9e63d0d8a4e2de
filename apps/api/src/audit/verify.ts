import type { AuditVerification, VerifyAudit } from '@atrium/core/audit/audit'
import { countUnchained, listAuditChains, verifyAuditChain } from '@atrium/db/audit/audit-chain'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'

/**
 * Recomputes the hash chains of the audit log and names the first wrong entry of each that does not
 * hold. Many chains go by pages. What was looked at is recorded, with outcome `failure` when
 * something is wrong.
 */
export async function verifyAudit(
  ctx: Context,
  caller: Caller,
  input: VerifyAudit,
): Promise<AuditVerification> {
  const { services } = ctx
  const { db } = services.database
  const named = input.tenantSlug !== undefined ? `tenant:${input.tenantSlug}` : undefined
  const chain =
    named ?? (input.partnerSlug !== undefined ? `partner:${input.partnerSlug}` : undefined)
  const found = await listAuditChains(db, { chain, after: input.cursor, limit: input.limit })
  const chains = found.slice(0, input.limit)
  const checks = []
  // One after another: each reads all entries of a tenant.
  for (const one of chains) checks.push(await verifyAuditChain(db, one))
  const faults = checks.flatMap((check) =>
    check.fault
      ? [{ chain: check.chain, ...check.fault, at: check.fault.at?.toISOString() ?? null }]
      : [],
  )
  const verification: AuditVerification = {
    enabled: services.config.auditHashChain,
    ok: faults.length === 0,
    chains: checks.length,
    checked: checks.reduce((sum, check) => sum + check.checked, 0),
    unchained: await countUnchained(db),
    faults,
    nextCursor: found.length > input.limit ? (chains.at(-1) ?? null) : null,
  }
  await services.audit.record(ctx, caller, {
    action: 'audit.verified',
    outcome: verification.ok ? 'success' : 'failure',
    resourceType: 'audit',
    resourceName: chain ?? null,
    metadata: {
      chains: verification.chains,
      checked: verification.checked,
      faults: faults.slice(0, 20),
    },
  })
  return verification
}
