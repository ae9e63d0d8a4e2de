import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { UsageError } from './failure.ts'

/** Where commands go, and with which token. */
export interface Profile {
  url: string
  /** A service token, or what returns the access token of a person. */
  token: string | (() => Promise<string>)
  tenant?: string
  partner?: string
}

/** A person's sign-in with the browser. */
export interface SignIn {
  issuer: string
  clientId: string
  accessToken: string
  /** Milliseconds since 1970. */
  expiresAt: number
  refreshToken: string
}

/** A profile in the file: with a service token, or with the sign-in of a person. */
export interface StoredProfile extends Omit<Profile, 'token'> {
  token?: string
  signIn?: SignIn
}

export interface Stored {
  current?: string
  profiles: Record<string, StoredProfile>
}

export type Environment = Readonly<Record<string, string | undefined>>

/** The file of the profiles; `ATRIUM_CONFIG` names another one. */
export function profileFile(env: Environment): string {
  const folder = env.XDG_CONFIG_HOME || join(homedir(), '.config')
  return env.ATRIUM_CONFIG || join(folder, 'atrium/profiles.json')
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
