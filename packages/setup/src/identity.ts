import {
  createPasswordLink,
  ensureOperator,
} from '@atrium/integrations/identity/authentik-operator'
import {
  type ApplyBlueprint,
  applyBlueprint,
  readCredentials,
} from '@atrium/integrations/identity/authentik-setup'
import { type SetupContext, SetupError } from './context.ts'

/** The group of operators, as the API's settings name it by default. */
const operatorGroup = 'platform-admins'

/**
 * Makes what Atrium and OpenCloud need at authentik, and returns the secrets that it generated.
 * Throws SetupError with what authentik says.
 */
export async function setUpIdentity(context: SetupContext, token: string) {
  const { names, patience } = context
  const access = { baseUrl: context.endpoints.identity, token }
  const apply = async (blueprint: Pick<ApplyBlueprint, 'name' | 'content' | 'context'>) => {
    const outcome = await applyBlueprint({ ...access, ...blueprint, patience })
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
 * Makes the first operator. Returns the link by which this person chooses the password; undefined
 * once they have signed in. Until then each run makes a link: an earlier one may have been lost.
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
