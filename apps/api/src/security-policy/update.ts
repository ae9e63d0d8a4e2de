import { changedFields } from '@atrium/core/audit/audit'
import { writeText } from '@atrium/core/platform/errors'
import type {
  SavedSecurityPolicy,
  UpdateSecurityPolicy,
} from '@atrium/core/security-policy/security-policy'
import { findSecurityPolicy, saveSecurityPolicy } from '@atrium/db/security-policy/security-policy'
import { notifyTenant } from '@atrium/db/tenants/tenants'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import { requireVersion } from '../rpc/edit-version.ts'
import type { Access } from '../rpc/guards.ts'
import { lockOpenTenant, rejectFormerAdmin } from '../rpc/open-tenant.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { followSecurityPolicies } from './follow-provider.ts'
import { toSecurityPolicy } from './get.ts'
import { lockOut, ownFacts } from './lock-out.ts'
import { enforcedPolicyOf, requestedPolicy } from './requested.ts'

/**
 * Changes the fields that are given and enforces the policy from the next request on. Throws
 * AppError `policy_locks_out_caller` and `policy_locks_out_admins` for a policy that would shut out
 * the caller or every admin; operators save it all the same, with a warning. See `requestedPolicy`
 * for `invalid_input`. The identity provider gets the policy in the background.
 */
export async function updateSecurityPolicy(
  ctx: Context,
  access: Access,
  input: UpdateSecurityPolicy,
): Promise<SavedSecurityPolicy> {
  const { services, request } = ctx
  const own = ownFacts(ctx, access)
  const hasProvider = services.systems.identity !== undefined
  const { tenantId, after, warnings } = await tenantTransaction(
    services,
    access.tenant.id,
    async (trx) => {
      const open = await lockOpenTenant(trx, access.tenant.slug)
      await rejectFormerAdmin(trx, access)
      const row = await findSecurityPolicy(trx, open.id)
      const stored = toSecurityPolicy(row, hasProvider)
      requireVersion(input.expectedVersion, stored)
      const { policy, warnings } = requestedPolicy(row, input, services.clock.now())
      const objection = await lockOut(trx, open.id, enforcedPolicyOf(policy), own)
      if (objection && !access.caller.operator) throw objection
      const saved = await saveSecurityPolicy(trx, open.id, policy)
      const after = toSecurityPolicy(saved, hasProvider)
      // Ends open streams, which are then opened again under the new policy.
      await notifyTenant(trx, open.id)
      const changes = changedFields(stored, after, auditedFields)
      if (Object.keys(changes).length > 0) {
        const entry: AuditEntry = {
          action: 'security_policy.updated',
          resourceType: 'security_policy',
          resourceId: open.id,
          resourceName: open.name,
          tenantSlug: open.slug,
          partnerSlug: open.partnerSlug,
          metadata: { changes },
        }
        await services.audit.record(ctx, access.caller, entry, trx)
      }
      return {
        tenantId: open.id,
        after,
        warnings: objection
          ? [
              ...warnings,
              {
                code: 'admins_shut_out',
                path: '',
                message: writeText(objection.text, request.language),
              },
            ]
          : warnings,
      }
    },
  )
  services.background.run('security policy at the identity provider', () =>
    followSecurityPolicies(services, tenantId),
  )
  return { securityPolicy: after, warnings }
}

const auditedFields = [
  'mfaMode',
  'mfaGraceDays',
  'sessionIdleMinutes',
  'sessionAbsoluteMinutes',
  'allowedCountries',
  'ipAllowlist',
  'enforced',
] as const
