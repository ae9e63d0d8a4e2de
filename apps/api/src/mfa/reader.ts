import { isEnrolled } from '@atrium/core/mfa'
import type { FactorsReading } from '@atrium/db/mfa'
import type { ClaimedMember } from '@atrium/db/readings'
import { setIdpUserId } from '@atrium/db/users'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { House } from '../house.ts'
import type { Reader } from '../readings/refresh.ts'

/** Counts second factors in the identity provider. Undefined where this installation has none. */
export function factorsReader(house: House): Reader | undefined {
  const { identity } = house.systems
  if (!identity) return undefined
  return {
    kind: 'second_factors',
    async read(member, signal): Promise<FactorsReading> {
      const factors = await identity.secondFactors(await idpUserIdOf(house, identity, member, signal), { signal })
      return { enrolled: isEnrolled(factors), factors }
    },
  }
}

/** The provider's key of the person, looked up once and kept. */
async function idpUserIdOf(house: House, identity: IdentityProvider, member: ClaimedMember, signal: AbortSignal) {
  if (member.idpUserId) return member.idpUserId
  const found = await identity.findUserBySubject({ subject: member.idpSubjectId, email: member.email }, { signal })
  if (!found) throw new UpstreamError({ system: 'identity', call: 'findUserBySubject', kind: 'not_found' })
  await setIdpUserId(house.database.db, member.id, found.id)
  return found.id
}
