import { ensureFilesAdmin, isFilesTokenValid } from '@atrium/integrations/files/opencloud-setup'
import { type SetupContext, SetupError } from './context.ts'
import { filesUser } from './settings.ts'

const tokenFile = 'secrets/files-token'

/**
 * Makes Atrium's account at OpenCloud and returns its app token: that of an earlier run while it is
 * valid. The issuer is final by now, to which tokens belong.
 */
export async function connectFiles(context: SetupContext): Promise<string> {
  const { files, endpoints } = context
  const known = (await files.read(tokenFile))?.trim()
  const own = { baseUrl: endpoints.files, username: filesUser }
  if (known && (await isFilesTokenValid({ ...own, token: known }))) return known
  const admin = await createToken(context, 'admin', '1h')
  await ensureFilesAdmin({ baseUrl: endpoints.files, username: 'admin', token: admin }, filesUser)
  // The longest that its command takes is a year; a later run of setup renews what has expired.
  const token = await createToken(context, filesUser, '8760h')
  await files.write(tokenFile, token)
  return token
}

/** By the command of the server itself, which asks for no password. */
async function createToken(
  { docker }: SetupContext,
  username: string,
  expiration: string,
): Promise<string> {
  const output = await docker.exec('opencloud', [
    ...['opencloud', 'auth-app', 'create'],
    ...['--user-name', username, '--expiration', expiration],
  ])
  const token = /token:\s*(\S{12,})/i.exec(output)?.[1]
  if (token) return token
  throw new SetupError(
    `OpenCloud made no app token for ${username}. "docker compose logs opencloud" says why.`,
  )
}
