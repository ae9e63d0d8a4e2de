import type { AuditVerification, VerifyAudit } from '@atrium/core/audit/audit'
import { countUnchained, listAuditChains, verifyAuditChain } from '@atrium/db/audit/audit-chain'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'

/**
 * Recomputes one page of hash chains of the audit log. Returns the first wrong entry of each broken
 * chain, and records the check in the audit log, with outcome `failure` when a chain is broken.
 */
export async function verifyAudit(
  ctx: Context,
  caller: Caller,
  input: VerifyAudit,
): Promise<AuditVerification> {
  const { services } = ctx
  const { db } = services.database
  const chain = chainNameOf(input)
  const found = await listAuditChains(db, { chain, after: input.cursor, limit: input.limit })
  const chains = found.slice(0, input.limit)
  const checks = []
  // One after another: each reads all entries of a tenant.
  for (const name of chains) checks.push(await verifyAuditChain(db, name))
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

/** The chain that the caller named; undefined for all. */
function chainNameOf({ tenantSlug, partnerSlug }: VerifyAudit): string | undefined {
  if (tenantSlug !== undefined) return `tenant:${tenantSlug}`
  return partnerSlug === undefined ? undefined : `partner:${partnerSlug}`
}
