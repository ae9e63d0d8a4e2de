import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { setIdpUserId, type UserRow } from '@atrium/db/users/users'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../rpc/services.ts'

/** The identity provider, or 503 where this installation has none. */
export function requireIdentity(services: Services): IdentityProvider {
  if (!services.systems.identity) throw new AppError('unavailable', errorText('noIdentityProvider'))
  return services.systems.identity
}

/**
 * The provider's key of a stored user, looked up once and kept. Undefined when the provider does
 * not know the person.
 */
export async function idpUserIdOf(
  services: Services,
  user: UserRow,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (user.idpUserId) return user.idpUserId
  const found = await requireIdentity(services).findUserBySubject(
    { subject: user.idpSubjectId, email: user.email },
    signal ? { signal } : {},
  )
  if (found) await setIdpUserId(services.database.db, user.id, found.id)
  return found?.id
}

/** Adds an identity to a group of the provider, which is created where it is missing. */
export async function joinGroup(
  identity: IdentityProvider,
  name: string,
  userId: string,
): Promise<void> {
  const group = await identity.ensureGroup({ name })
  await identity.addToGroup({ groupId: group.id, userId })
}

/**
 * Carries out calls to an upstream system; its failure becomes 502 with a sentence that may be
 * shown.
 */
export async function orUpstreamFailed<Result>(
  work: () => Promise<Result>,
  consequence?: ErrorText,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    throw new AppError(
      'upstream_failed',
      consequence
        ? errorText('messageConsequence', { message: error.message, consequence })
        : error.message,
      { cause: error },
    )
  }
}
