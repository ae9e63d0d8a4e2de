import { ensureFilesAdmin, isFilesTokenValid } from '@atrium/integrations/files/opencloud-setup'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { type SetupContext, SetupError, untilStarted } from './context.ts'
import { filesUser } from './settings.ts'

const tokenFile = 'secrets/files-token'

/**
 * Creates Atrium's account at OpenCloud and returns its app token: that of an earlier run while it
 * is valid. Tokens belong to an issuer, so the issuer has to be final.
 */
export async function connectFiles(context: SetupContext): Promise<string> {
  const { files, endpoints } = context
  const started = <T>(attempt: () => Promise<T>) => untilStarted(context, isStarting, attempt)
  const known = (await files.read(tokenFile))?.trim()
  const own = { baseUrl: endpoints.files, username: filesUser }
  if (known && (await started(() => isFilesTokenValid({ ...own, token: known })))) return known
  const admin = await started(() => createToken(context, 'admin', '1h'))
  const access = { baseUrl: endpoints.files, username: 'admin', token: admin }
  await started(() => ensureFilesAdmin(access, filesUser))
  // The longest that its command takes is a year; a later run of setup renews what has expired.
  const token = await createToken(context, filesUser, '8760h')
  await files.write(tokenFile, token)
  return token
}

/** Its services start one after the other: the command or the address may come late. */
const isStarting = (error: unknown) =>
  error instanceof SetupError || (error instanceof UpstreamError && error.kind === 'connection')

/** By the command of the server itself, which asks for no password. */
async function createToken(
  { docker }: SetupContext,
  username: string,
  expiration: string,
): Promise<string> {
  const command = [
    ...['opencloud', 'auth-app', 'create'],
    ...['--user-name', username, '--expiration', expiration],
  ]
  const output = await docker.exec('opencloud', command).catch((error: unknown) => String(error))
  // Six words by default, with spaces between them; sixteen letters in former versions.
  const token = /^ *token: *(\S.{10,}\S) *$/im.exec(output)?.[1]
  if (token) return token
  throw new SetupError(
    `OpenCloud made no app token for ${username}. "docker compose logs opencloud" says why.`,
  )
}
