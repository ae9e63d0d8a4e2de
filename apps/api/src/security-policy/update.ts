import { changedFields } from '@atrium/core/audit/audit'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError, type IssueText, writeText } from '@atrium/core/platform/errors'
import type { Warning } from '@atrium/core/platform/warnings'
import { allowlistAdmits, canonicalAllowlist } from '@atrium/core/security-policy/ip-allowlist'
import {
  idleExceedsAbsolute,
  type SavedSecurityPolicy,
  type SecurityPolicy,
  type UpdateSecurityPolicy,
} from '@atrium/core/security-policy/security-policy'
import { findSecurityPolicy, saveSecurityPolicy } from '@atrium/db/security-policy/security-policy'
import type { RequestInfo } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import { requireVersion } from '../rpc/edit-version.ts'
import type { Access } from '../rpc/guards.ts'
import { lockOpenTenant, rejectFormerAdmin } from '../rpc/open-tenant.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { toSecurityPolicy } from './get.ts'

/**
 * Changes the fields that are given. Stored, not enforced yet. Throws AppError `invalid_input` for
 * entries that are no address or network and for an idle limit above the absolute one. `warnings`
 * tell what was left out and whom the policy would shut out, first of all the caller.
 */
export async function updateSecurityPolicy(
  ctx: Context,
  access: Access,
  input: UpdateSecurityPolicy,
): Promise<SavedSecurityPolicy> {
  const { services } = ctx
  const allowlist = canonicalAllowlist(input.ipAllowlist ?? [])
  if ('issues' in allowlist)
    throw new AppError('invalid_input', undefined, { issues: allowlist.issues })
  const countries = input.allowedCountries && [...new Set(input.allowedCountries)].sort()
  const { tenant, before, after } = await tenantTransaction(
    services,
    access.tenant.id,
    async (trx) => {
      const open = await lockOpenTenant(trx, access.tenant.slug)
      await rejectFormerAdmin(trx, access)
      const stored = toSecurityPolicy(await findSecurityPolicy(trx, open.id))
      requireVersion(input.expectedVersion, stored)
      const requested: SecurityPolicy = {
        ...stored,
        mfaMode: input.mfaMode ?? stored.mfaMode,
        sessionIdleMinutes:
          input.sessionIdleMinutes === undefined
            ? stored.sessionIdleMinutes
            : input.sessionIdleMinutes,
        sessionAbsoluteMinutes:
          input.sessionAbsoluteMinutes === undefined
            ? stored.sessionAbsoluteMinutes
            : input.sessionAbsoluteMinutes,
        allowedCountries: countries ?? stored.allowedCountries,
        ipAllowlist: input.ipAllowlist ? allowlist.entries : stored.ipAllowlist,
      }
      if (idleExceedsAbsolute(requested))
        throw new AppError('invalid_input', undefined, { issues: limitIssues(input, requested) })
      return {
        tenant: open,
        before: stored,
        after: toSecurityPolicy(await saveSecurityPolicy(trx, open.id, requested)),
      }
    },
  )
  const changes = changedFields(
    before,
    after,
    Object.keys(after).filter((field) => field !== 'updatedAt' && field !== 'editVersion'),
  )
  if (Object.keys(changes).length > 0) {
    await services.audit.record(ctx, access.caller, {
      action: 'security_policy.updated',
      resourceType: 'security_policy',
      resourceId: tenant.id,
      resourceName: tenant.name,
      tenantSlug: tenant.slug,
      partnerSlug: tenant.partnerSlug,
      metadata: { changes },
    })
  }
  return {
    securityPolicy: after,
    warnings: [...allowlist.warnings, ...shutOut(ctx.request, after)],
  }
}

/** The issue is reported at the given limit; at the idle limit when both were given. */
function limitIssues(input: UpdateSecurityPolicy, requested: SecurityPolicy): IssueText[] {
  const path =
    input.sessionIdleMinutes === undefined ? 'sessionAbsoluteMinutes' : 'sessionIdleMinutes'
  const message = errorText('idleLongerThanSession', {
    sessionIdleMinutes: requested.sessionIdleMinutes ?? 0,
    sessionAbsoluteMinutes: requested.sessionAbsoluteMinutes ?? 0,
  })
  return [{ path, message }]
}

function shutOut({ ip, country, language }: RequestInfo, policy: SecurityPolicy): Warning[] {
  const warnings: Warning[] = []
  if (policy.ipAllowlist.length > 0 && (ip === null || !allowlistAdmits(policy.ipAllowlist, ip))) {
    const message =
      ip === null ? errorText('ownAddressUnknown') : errorText('ownAddressMissing', { ip })
    warnings.push({
      code: ip === null ? 'own_address_unknown' : 'own_address_shut_out',
      path: 'ipAllowlist',
      message: writeText(message, language),
    })
  }
  if (
    policy.allowedCountries.length > 0 &&
    (country === null || !policy.allowedCountries.includes(country))
  ) {
    const message =
      country === null
        ? errorText('ownCountryUnknown')
        : errorText('ownCountryMissing', { country })
    warnings.push({
      code: country === null ? 'own_country_unknown' : 'own_country_shut_out',
      path: 'allowedCountries',
      message: writeText(message, language),
    })
  }
  return warnings
}
