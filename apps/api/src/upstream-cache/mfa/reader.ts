import { isEnrolled } from '@atrium/core/upstream-cache/mfa'
import type { FactorsEntry } from '@atrium/db/upstream-cache/mfa'
import type { ClaimedMember } from '@atrium/db/upstream-cache/upstream-cache'
import { setIdpUserId } from '@atrium/db/users/users'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../../rpc/services.ts'
import type { Fetcher } from '../refresh.ts'

/** Counts second factors in the identity provider. Undefined where this installation has none. */
export function factorsFetcher(services: Services): Fetcher | undefined {
  const { identity } = services.systems
  if (!identity) return undefined
  return {
    kind: 'second_factors',
    async read(member, signal): Promise<FactorsEntry> {
      const factors = await identity.secondFactors(
        await idpUserIdOf(services, identity, member, signal),
        { signal },
      )
      return { enrolled: isEnrolled(factors), factors }
    },
  }
}

/** The provider's key of the person, looked up once and kept. */
async function idpUserIdOf(
  services: Services,
  identity: IdentityProvider,
  member: ClaimedMember,
  signal: AbortSignal,
) {
  if (member.idpUserId) return member.idpUserId
  const found = await identity.findUserBySubject(
    { subject: member.idpSubjectId, email: member.email },
    { signal },
  )
  if (!found)
    throw new UpstreamError({ system: 'identity', call: 'findUserBySubject', kind: 'not_found' })
  await setIdpUserId(services.database.db, member.id, found.id)
  return found.id
}
