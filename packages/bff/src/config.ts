import {
  drainSeconds,
  isLoopback,
  readSettings,
  type SettingsOf,
} from '@atrium/core/platform/settings'
import { isHostName } from '@atrium/core/platform/text'
import { tenantGroupPrefixFault, tenantGroupPrefixShape } from '@atrium/core/tenants/slugs'
import { createKeyring, type Keyring, weakKey } from '@atrium/db/platform/encryption'
import type { WebApp } from '@atrium/db/users/web-sessions'
import { z } from 'zod'
import type { SigningConfig } from './mail-profile-signing.ts'

const address = z.url({ protocol: /^https?$/, error: 'is not an http(s) address' })

const port = z.coerce.number({ error: 'is not a port' }).int().min(0).max(65_535)

const flowSlug = z.string().regex(/^[-a-zA-Z0-9_]{1,50}$/, 'is not the slug of a flow')

const shape = {
  HOST: z.string().default('127.0.0.1'),
  PORT: port,
  METRICS_PORT: port.optional(),
  PUBLIC_URL: address.refine((url) => isOrigin(url), 'has more than scheme, host and port'),
  API_URL: address,
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'is not a postgres:// address' }),
  IDP_ISSUER: address,
  OIDC_CLIENT_ID: z.string(),
  OIDC_CLIENT_SECRET: z.string(),
  ENCRYPTION_KEYS: z.string(),
  APP_SECRET: z.string().optional(),
  TRUSTED_PROXY_HOPS: z.coerce.number({ error: 'is not a number' }).int().min(0).max(10).default(0),
  SHUTDOWN_DRAIN_SECONDS: drainSeconds,
  CLIENT_COUNTRY_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, 'is not the name of a header')
    .optional(),
  IDP_PLATFORM_ADMIN_GROUP: z.string().default('platform-admins'),
  IDP_BUILTIN_ADMIN_GROUP: z.string().default('authentik Admins'),
  IDP_PARTNER_STAFF_GROUP: z.string().default('partner-staff'),
  IDP_PASSWORD_FLOW: flowSlug.default('default-password-change'),
  IDP_PASSKEY_FLOW: flowSlug.default('default-authenticator-webauthn-setup'),
  IDP_CODE_APP_FLOW: flowSlug.default('default-authenticator-totp-setup'),
  IDP_RECOVERY_CODES_FLOW: flowSlug.default('default-authenticator-static-setup'),
  IDP_RECOVERY_FLOW: flowSlug.optional(),
  IDP_TENANT_GROUP_PREFIX: z
    .string()
    .regex(tenantGroupPrefixShape, tenantGroupPrefixFault)
    .optional(),
  API_PUBLIC_URL: address.optional(),
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
}

export type AccountFlows = Readonly<
  Record<'password' | 'passkey' | 'code-app' | 'recovery-codes', string>
>

export interface AppConfig {
  app: WebApp
  host: string
  port: number
  /** Where Prometheus reads metrics; undefined for no metrics. */
  metricsPort: number | undefined
  /** Where browsers reach this server: scheme, host and port, without a slash at the end. */
  publicUrl: string
  apiUrl: string
  databaseUrl: string
  oidc: { issuer: string; clientId: string; clientSecret: string }
  keyring: Keyring
  /** How many trusted reverse proxies append to X-Forwarded-For. */
  trustedProxyHops: number
  /** How long a stopping server still takes requests while `/health/ready` is 503. */
  drainSeconds: number
  /**
   * Shown to the API, which then believes what this server says of the app, the address and the
   * country of a person.
   */
  appSecret: string | undefined
  /**
   * The header in which our proxy names the browser's country, always overwriting what was sent;
   * undefined when no proxy does.
   */
  countryHeader: string | undefined
  /** Slugs of the provider's flows in which people change what they sign in with. */
  accountFlows: AccountFlows
  /** Of the flow for a forgotten password; undefined when the provider has none. */
  recoveryFlow: string | undefined
  /** Identity groups that are no tenant: administrators and partner staff. */
  staffGroups: readonly string[]
  /** What the names of tenants' groups begin with, before the slug; empty for nothing. */
  tenantGroupPrefix: string
  /** Where programs reach the API, without a slash at the end. */
  apiPublicUrl: string | undefined
  /** Where devices reach the mail server. */
  mailHost: string | undefined
  /** Whether cards are entered through Stripe's form, which its page must be allowed to load. */
  stripeForm: boolean
  /** What mail profiles are signed with. */
  profileSigning: SigningConfig | undefined
  logLevel: string
}

/**
 * The settings of an app's server from its environment. Throws SettingsError with one line per
 * faulty variable. Nothing else in the server reads the environment.
 */
export function readAppConfig(
  app: WebApp,
  env: Readonly<Record<string, string | undefined>>,
): AppConfig {
  const e = readSettings(env, {
    shape,
    ownSecrets: ['APP_SECRET'],
    providedSecrets: ['OIDC_CLIENT_SECRET'],
    together: (values) => groupFaults(values),
  })
  return {
    app,
    host: e.HOST,
    port: e.PORT,
    metricsPort: e.METRICS_PORT,
    publicUrl: new URL(e.PUBLIC_URL).origin,
    apiUrl: e.API_URL,
    databaseUrl: e.DATABASE_URL,
    oidc: { issuer: e.IDP_ISSUER, clientId: e.OIDC_CLIENT_ID, clientSecret: e.OIDC_CLIENT_SECRET },
    keyring: createKeyring(e.ENCRYPTION_KEYS),
    trustedProxyHops: e.TRUSTED_PROXY_HOPS,
    drainSeconds: e.SHUTDOWN_DRAIN_SECONDS,
    appSecret: e.APP_SECRET,
    countryHeader: e.CLIENT_COUNTRY_HEADER,
    accountFlows: {
      password: e.IDP_PASSWORD_FLOW,
      passkey: e.IDP_PASSKEY_FLOW,
      'code-app': e.IDP_CODE_APP_FLOW,
      'recovery-codes': e.IDP_RECOVERY_CODES_FLOW,
    },
    recoveryFlow: e.IDP_RECOVERY_FLOW,
    staffGroups: [e.IDP_PLATFORM_ADMIN_GROUP, e.IDP_BUILTIN_ADMIN_GROUP, e.IDP_PARTNER_STAFF_GROUP],
    tenantGroupPrefix: e.IDP_TENANT_GROUP_PREFIX ?? '',
    apiPublicUrl: e.API_PUBLIC_URL?.replace(/\/$/, ''),
    mailHost: e.MAIL_PUBLIC_HOST,
    stripeForm: app === 'portal' && e.STRIPE_PUBLISHABLE_KEY !== undefined,
    profileSigning:
      e.PROFILE_SIGN_CERT && e.PROFILE_SIGN_KEY
        ? { certificate: e.PROFILE_SIGN_CERT, key: e.PROFILE_SIGN_KEY }
        : undefined,
    logLevel: e.LOG_LEVEL,
  }
}

export function isHttps(url: string): boolean {
  return new URL(url).protocol === 'https:'
}

function isOrigin(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { origin, href } = new URL(url)
  return href === `${origin}/`
}

function groupFaults(e: Partial<SettingsOf<typeof shape>>): string[] {
  const faults: string[] = []
  for (const name of ['PUBLIC_URL', 'IDP_ISSUER'] as const) {
    const value = e[name]
    // Cookies and codes would cross the network in the clear (RFC 9700 section 2.6).
    if (value !== undefined && !isHttps(value) && !isLoopback(new URL(value).hostname)) {
      faults.push(`${name}: plain http is accepted for localhost only`)
    }
  }
  if ((e.PROFILE_SIGN_CERT === undefined) !== (e.PROFILE_SIGN_KEY === undefined)) {
    const missing = e.PROFILE_SIGN_CERT === undefined ? 'PROFILE_SIGN_CERT' : 'PROFILE_SIGN_KEY'
    faults.push(`${missing}: is missing, while the other half of the pair is set`)
  }
  if (e.ENCRYPTION_KEYS !== undefined) faults.push(...keyFaults(e.ENCRYPTION_KEYS))
  return faults
}

function keyFaults(spec: string): string[] {
  try {
    createKeyring(spec)
    const weak = weakKey(spec)
    return weak === undefined
      ? []
      : [`ENCRYPTION_KEYS: key "${weak}" is not random. Make one with "openssl rand -base64 32"`]
  } catch (error) {
    return [`ENCRYPTION_KEYS: ${error instanceof Error ? error.message : 'is not usable'}`]
  }
}
