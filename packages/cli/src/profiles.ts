import { UsageError } from './failure.ts'
import { checkAddress, type Environment, type Profile, readStored } from './profile-file.ts'
import { accessTokenOf } from './sign-in.ts'

/** What options choose instead of the profile. */
export interface Choice {
  profile?: string
  url?: string
  tenant?: string
  partner?: string
}

/**
 * Returns the profile of a command: options before `ATRIUM_URL`, `ATRIUM_TOKEN`, `ATRIUM_TENANT`
 * and `ATRIUM_PARTNER`, and these before what `atrium login` stored. Throws UsageError without
 * address or token.
 */
export async function chooseProfile(choice: Choice, env: Environment): Promise<Profile> {
  const stored = await readStored(env)
  const name = choice.profile ?? env.ATRIUM_PROFILE ?? stored.current
  const found = name === undefined ? undefined : stored.profiles[name]
  if (name !== undefined && !found) throw new UsageError(`There is no profile "${name}".`)
  const url = choice.url ?? env.ATRIUM_URL ?? found?.url
  // A stored token goes only to the address it was stored for.
  const stays = url === found?.url && name !== undefined ? found : undefined
  const token =
    env.ATRIUM_TOKEN ?? stays?.token ?? (stays?.signIn && (() => accessTokenOf(env, String(name))))
  if (!url || !token)
    throw new UsageError('Run "atrium login", or set ATRIUM_URL and ATRIUM_TOKEN.')
  const tenant = choice.tenant ?? env.ATRIUM_TENANT ?? found?.tenant
  const partner = choice.partner ?? env.ATRIUM_PARTNER ?? found?.partner
  return { url: checkAddress(url), token, ...(tenant && { tenant }), ...(partner && { partner }) }
}
