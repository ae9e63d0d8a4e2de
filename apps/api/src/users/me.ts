import type { UserView } from '@atrium/core/users/users'
import { syncUserFromToken, type TenantGroup } from '@atrium/db/users/users'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { reopenTenant } from '../provisioning/reopen.ts'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import type { Services } from '../rpc/services.ts'
import { readUser, toUserView } from './view.ts'

/**
 * Creates or updates the caller's record from the token on every call, and returns it. No other
 * call writes from a token.
 */
export async function readMe({ services }: Context, caller: Caller): Promise<UserView> {
  const { token } = caller
  const { id } = await syncUserFromToken(services.database.db, {
    subject: token.subject,
    email: token.email,
    name: token.name,
    groups: token.groups,
    issuedAt: token.issuedAt,
    platformAdminGroup: services.config.groups.platformAdmins,
    groupsStand: (tenants) => standingGroups(services, tenants),
  })
  return toUserView(await readUser(services.database.db, id), { own: true })
}

/** How long the provider may take to say whether a group is there. */
const lookMs = 3_000

/**
 * Of these tenants, those whose group exists. A missing group was removed by hand or lost with a
 * backup, and is created again with all its members; a failing provider proves nothing.
 */
async function standingGroups(
  services: Services,
  tenants: readonly TenantGroup[],
): Promise<string[]> {
  const { identity } = services.systems
  const signal = AbortSignal.timeout(lookMs)
  const standing: string[] = []
  for (const { id, slug, identityGroupId } of identity ? tenants : []) {
    try {
      const group = await identity?.findGroup(slug, { signal })
      if (group && group.id === identityGroupId) standing.push(id)
      else await reopenTenant(services, id, 'identity')
    } catch (err) {
      if (!(err instanceof UpstreamError) && !signal.aborted) throw err
      services.log.warn({ err, tenant: slug }, 'failed to look up tenant group')
    }
  }
  return standing
}
