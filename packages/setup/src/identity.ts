import {
  checkSetupAccess,
  createPasswordLink,
  ensureOperator,
} from '@atrium/integrations/identity/authentik-operator'
import {
  type ApplyBlueprint,
  applyBlueprint,
  readCredentials,
} from '@atrium/integrations/identity/authentik-setup'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { type SetupContext, SetupError, untilStarted } from './context.ts'

/** The group of operators, as the API's settings name it by default. */
const operatorGroup = 'platform-admins'

/**
 * Makes what Atrium and OpenCloud need at authentik, and returns the secrets that it generated.
 * Throws SetupError with what authentik says.
 */
export async function setUpIdentity(context: SetupContext, token: string) {
  const { names, patience } = context
  const access = { baseUrl: context.endpoints.identity, token }
  await waitForAccess(context, access)
  const apply = async (blueprint: Pick<ApplyBlueprint, 'name' | 'content' | 'context'>) => {
    const outcome = await untilStarted(context, isStarting, () =>
      applyBlueprint({ ...access, ...blueprint, patience }),
    )
    if (!outcome.applied)
      throw new SetupError(
        `authentik did not apply the blueprint:\n${outcome.faults.map((fault) => `  ${fault}`).join('\n')}`,
      )
  }
  await apply({
    content: await context.readAsset('authentik/atrium.yaml'),
    context: {
      portal_url: `https://${names.portal}`,
      operator_url: `https://${names.operator}`,
      platform_admin_group: operatorGroup,
      partner_staff_group: 'partner-staff',
    },
  })
  await apply({
    name: 'OpenCloud',
    content: await context.readAsset('authentik/opencloud.yaml'),
    context: { files_url: `https://${names.files}` },
  })
  return readCredentials(access)
}

/**
 * A new authentik fails while its worker still applies its own blueprints: checking ours makes the
 * same objects, and the loser of the two is an internal error.
 */
const isStarting = (error: unknown) =>
  error instanceof UpstreamError && ['connection', 'timeout', 'server'].includes(error.kind)

/**
 * The worker makes the token of the environment at its first start, a while after the server
 * responds. Throws SetupError when authentik does not accept it in time.
 */
async function waitForAccess(
  context: SetupContext,
  access: { baseUrl: string; token: string },
): Promise<void> {
  const isWithoutToken = (error: unknown) =>
    isStarting(error) || (error instanceof UpstreamError && error.kind === 'unauthorized')
  try {
    await untilStarted(context, isWithoutToken, () => checkSetupAccess(access))
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.kind !== 'unauthorized') throw error
    throw new SetupError(
      'authentik does not accept the token in secrets/authentik-setup-token. If it was set up before, make an API token of a superuser there (Directory, Tokens), write its key into this file and run setup again. Otherwise "docker compose logs authentik-worker" says why.',
    )
  }
}

/**
 * Creates the first operator. Returns the link by which this person chooses the password; undefined
 * once they have signed in. Until then each run creates a link: an earlier one may have been lost.
 */
export async function makeOperator(
  context: SetupContext,
  token: string,
): Promise<string | undefined> {
  const access = { baseUrl: context.endpoints.identity, token }
  const { id, signedInBefore } = await ensureOperator({
    ...access,
    ...context.answers.operator,
    group: operatorGroup,
  })
  if (signedInBefore) return undefined
  const publicUrl = `https://${context.names.identity}`
  return createPasswordLink(access, { userId: id, publicUrl })
}
