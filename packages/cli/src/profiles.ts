import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { UsageError } from './failure.ts'

/** Where commands go, and with which token. */
export interface Profile {
  url: string
  token: string
  tenant?: string
  partner?: string
}

interface Stored {
  current?: string
  profiles: Record<string, Profile>
}

type Environment = Readonly<Record<string, string | undefined>>

/** What options choose instead of the profile. */
export interface Choice {
  profile?: string
  url?: string
  tenant?: string
  partner?: string
}

/** The file of the profiles; `ATRIUM_CONFIG` names another one. */
export function profileFile(env: Environment): string {
  const folder = env.XDG_CONFIG_HOME || join(homedir(), '.config')
  return env.ATRIUM_CONFIG || join(folder, 'atrium/profiles.json')
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
  const token = env.ATRIUM_TOKEN ?? (url === found?.url ? found?.token : undefined)
  if (!url || !token)
    throw new UsageError('Run "atrium login", or set ATRIUM_URL and ATRIUM_TOKEN.')
  const tenant = choice.tenant ?? env.ATRIUM_TENANT ?? found?.tenant
  const partner = choice.partner ?? env.ATRIUM_PARTNER ?? found?.partner
  return { url: checkAddress(url), token, ...(tenant && { tenant }), ...(partner && { partner }) }
}

/** Throws UsageError for an address that would send the token in the clear. */
export function checkAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const local = url && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)))
    throw new UsageError(`${text} is no address that begins with https://`)
  return text.replace(/\/$/, '')
}

/** Returns the stored profiles. Throws UsageError for a file that cannot be read. */
export async function readStored(env: Environment): Promise<Stored> {
  const path = profileFile(env)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{"profiles":{}}'
    throw new UsageError(`${path} cannot be read: ${error.message}`)
  })
  try {
    const { current, profiles } = JSON.parse(text) as Partial<Stored>
    return { ...(current !== undefined && { current }), profiles: profiles ?? {} }
  } catch {
    throw new UsageError(`${path} is no JSON. Delete it and run "atrium login".`)
  }
}

/** Only its owner can read the file, which replaces the one before at once. */
export async function writeStored(env: Environment, stored: Stored): Promise<void> {
  const path = profileFile(env)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}`
  await writeFile(temporary, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 })
  await rename(temporary, path)
}
