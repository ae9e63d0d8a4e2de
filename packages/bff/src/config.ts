import { isHostName } from '@atrium/core/text'
import { createKeyring, type Keyring } from '@atrium/db/encryption'
import type { WebApp } from '@atrium/db/web-sessions'
import { z } from 'zod'
import type { SigningConfig } from './mail-profile-signing.ts'

const address = z.url({ protocol: /^https?$/, error: 'is not an http(s) address' })
const required = z.string({ error: 'is missing' }).min(1, 'is missing')

const Env = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number({ error: 'is not a port' }).int().min(0).max(65_535),
  PUBLIC_URL: address.refine((url) => isOrigin(url), 'has more than scheme, host and port'),
  API_URL: address,
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'is not a postgres:// address' }),
  IDP_ISSUER: address,
  OIDC_CLIENT_ID: required,
  OIDC_CLIENT_SECRET: required,
  ENCRYPTION_KEYS: required,
  TRUSTED_PROXY_HOPS: z.coerce.number({ error: 'is not a number' }).int().min(0).max(10).default(0),
  CLIENT_COUNTRY_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, 'is not the name of a header')
    .optional(),
  IDP_PLATFORM_ADMIN_GROUP: z.string().default('platform-admins'),
  IDP_BUILTIN_ADMIN_GROUP: z.string().default('authentik Admins'),
  IDP_PARTNER_STAFF_GROUP: z.string().default('partner-staff'),
  MAIL_PUBLIC_HOST: z
    .string()
    .transform((host) => host.toLowerCase())
    .refine(isHostName, 'is not a host name')
    .optional(),
  PROFILE_SIGN_CERT: z.string().optional(),
  PROFILE_SIGN_KEY: z.string().optional(),
  STRIPE_PUBLISHABLE_KEY: z
    .string()
    .regex(/^pk_(test|live)_\w+$/, 'is no publishable key of Stripe')
    .optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
})

export interface AppConfig {
  app: WebApp
  host: string
  port: number
  /** Where browsers reach this server: scheme, host and port, without a slash at the end. */
  publicUrl: string
  apiUrl: string
  databaseUrl: string
  oidc: { issuer: string; clientId: string; clientSecret: string }
  keyring: Keyring
  /** How many reverse proxies of ours stand in front and append to X-Forwarded-For. */
  trustedProxyHops: number
  /** The header in which a proxy of ours names the browser's country, always overwriting what was sent; undefined when none does. */
  countryHeader: string | undefined
  /** Identity groups that are no tenant: administrators and partner staff. */
  staffGroups: readonly string[]
  /** Where devices reach the mail server. */
  mailHost: string | undefined
  /** Whether cards are entered through Stripe's form, which its page must be allowed to load. */
  stripeForm: boolean
  /** What mail profiles are signed with. */
  profileSigning: SigningConfig | undefined
  logLevel: string
}

/**
 * The settings of an app's server from its environment. Throws one error with one line per fault, naming the variable. Nothing else
 * in the server reads the environment.
 */
export function readAppConfig(app: WebApp, env: Readonly<Record<string, string | undefined>>): AppConfig {
  // An empty variable means the same as none, as in the files that container tools read.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = Env.safeParse(given)
  if (!parsed.success) throw unusable(faultsOf(parsed.error, given))
  const e = parsed.data
  const faults: string[] = []
  for (const name of ['PUBLIC_URL', 'IDP_ISSUER'] as const) {
    // Cookies and codes would cross the network in the clear (RFC 9700 section 2.6).
    if (!isHttps(e[name]) && !isLoopback(e[name])) faults.push(`${name}: plain http is accepted for localhost only`)
  }
  if ((e.PROFILE_SIGN_CERT === undefined) !== (e.PROFILE_SIGN_KEY === undefined)) {
    const missing = e.PROFILE_SIGN_CERT === undefined ? 'PROFILE_SIGN_CERT' : 'PROFILE_SIGN_KEY'
    faults.push(`${missing}: missing, while the other half of the pair is set`)
  }
  const keyring = readKeyring(e.ENCRYPTION_KEYS, faults)
  if (!keyring || faults.length > 0) throw unusable(faults)
  return {
    app,
    host: e.HOST,
    port: e.PORT,
    publicUrl: new URL(e.PUBLIC_URL).origin,
    apiUrl: e.API_URL,
    databaseUrl: e.DATABASE_URL,
    oidc: { issuer: e.IDP_ISSUER, clientId: e.OIDC_CLIENT_ID, clientSecret: e.OIDC_CLIENT_SECRET },
    keyring,
    trustedProxyHops: e.TRUSTED_PROXY_HOPS,
    countryHeader: e.CLIENT_COUNTRY_HEADER,
    staffGroups: [e.IDP_PLATFORM_ADMIN_GROUP, e.IDP_BUILTIN_ADMIN_GROUP, e.IDP_PARTNER_STAFF_GROUP],
    mailHost: e.MAIL_PUBLIC_HOST,
    stripeForm: app === 'portal' && e.STRIPE_PUBLISHABLE_KEY !== undefined,
    profileSigning: e.PROFILE_SIGN_CERT && e.PROFILE_SIGN_KEY ? { certificate: e.PROFILE_SIGN_CERT, key: e.PROFILE_SIGN_KEY } : undefined,
    logLevel: e.LOG_LEVEL,
  }
}

export function isHttps(url: string): boolean {
  return new URL(url).protocol === 'https:'
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

function isOrigin(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { origin, href } = new URL(url)
  return href === `${origin}/`
}

function readKeyring(spec: string, faults: string[]): Keyring | undefined {
  try {
    return createKeyring(spec)
  } catch (error) {
    faults.push(`ENCRYPTION_KEYS: ${error instanceof Error ? error.message : 'is not usable'}`)
    return undefined
  }
}

/** One line per variable: the first fault of a value explains the rest. */
function faultsOf(error: z.ZodError, given: Readonly<Record<string, string | undefined>>): string[] {
  const faults = new Map<string, string>()
  for (const { path, message } of error.issues) {
    const name = path.join('.')
    if (!faults.has(name)) faults.set(name, `${name}: ${given[name] === undefined ? 'is missing' : message}`)
  }
  return [...faults.values()]
}

function unusable(faults: readonly string[]): Error {
  return new Error(`The configuration is not usable:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
}
