import { z } from 'zod'

type Environment = Readonly<Record<string, string | undefined>>
type Shape = Readonly<Record<string, z.ZodType>>
export type SettingsOf<S extends Shape> = { [Name in keyof S]: z.output<S[Name]> }

export interface SettingRules<S extends Shape> {
  /** What each variable of the program must be. */
  shape: S
  /**
   * Secrets made for this installation by `openssl rand`: at least 32 characters, and not to be
   * guessed.
   */
  ownSecrets?: readonly (keyof S & string)[]
  /** Secrets that another system gave. */
  providedSecrets?: readonly (keyof S & string)[]
  /**
   * Faults that concern several variables, each as `NAME: text`. A variable with a fault of its own
   * is absent from the values.
   */
  together?: (values: Partial<SettingsOf<S>>, production: boolean) => readonly string[]
}

/**
 * Settings that cannot be used: `message` has one line per variable. A program that meets it exits
 * with status 78 (EX_CONFIG).
 */
export class SettingsError extends Error {
  constructor(faults: readonly string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
    this.name = 'SettingsError'
  }
}

/**
 * The exit status of a program with settings that cannot be used: EX_CONFIG of sysexits.h. Service
 * managers do not restart it.
 */
export const settingsExitStatus = 78

/**
 * `SHUTDOWN_DRAIN_SECONDS` of every server. Longer than balancers take to see that a process is no
 * longer ready: two checks of the examples in `deploy/proxies`.
 */
export const drainSeconds = z.coerce.number({ error: 'is not a number' }).min(0).max(60).default(5)

/**
 * The settings of a program from its environment. Throws SettingsError with every fault at once,
 * one line per variable: absent or malformed values, empty ones, placeholders of the example files,
 * secrets that can be guessed, and names that no program knows.
 */
export function readSettings<S extends Shape>(
  env: Environment,
  rules: SettingRules<S>,
): SettingsOf<S> {
  const faults = new Map<string, string>()
  const values: Partial<SettingsOf<S>> = {}
  for (const name of Object.keys(rules.shape) as (keyof S & string)[]) {
    const value = env[name]
    const fault =
      value === undefined ? undefined : (valueFault(value) ?? secretFault(value, name, rules))
    if (fault) {
      faults.set(name, fault)
      continue
    }
    // Read once: to compile how it is read, as zod does for what is read often, takes longer.
    const parsed = rules.shape[name]?.safeParse(value, { jitless: true })
    if (parsed?.success) values[name] = parsed.data as SettingsOf<S>[typeof name]
    else
      faults.set(
        name,
        value === undefined ? 'is missing' : (parsed?.error.issues[0]?.message ?? 'is not usable'),
      )
  }
  for (const line of rules.together?.(values, env.NODE_ENV === 'production') ?? []) {
    const [, name = line, text = ''] = /^([^:]+): (.*)$/s.exec(line) ?? []
    if (!faults.has(name)) faults.set(name, text)
  }
  for (const [name, fault] of unknownNames(env)) faults.set(name, fault)
  if (faults.size > 0)
    throw new SettingsError([...faults].map(([name, fault]) => `${name}: ${fault}`))
  return values as SettingsOf<S>
}

/** What is wrong with a value whatever it means; undefined for a usable one. */
function valueFault(value: string): string | undefined {
  if (value.trim() === '') return 'is empty. Give it a value, or remove the line for the default'
  if (/change[-_ ]?me/i.test(value)) return 'holds the placeholder of the example file'
  if (/(^|[^a-z0-9-])example\.(com|net|org)($|[^a-z0-9-])/i.test(value))
    return 'names example.com or another placeholder of the example file'
  return undefined
}

const ownSecretLength = 32
const ownSecretBits = 96
const providedSecretBits = 20

function secretFault<S extends Shape>(
  value: string,
  name: string,
  rules: SettingRules<S>,
): string | undefined {
  if (rules.ownSecrets?.includes(name)) {
    if (value.length < ownSecretLength) return `is shorter than ${ownSecretLength} characters`
    if (entropyBits(value) < ownSecretBits)
      return 'can be guessed. Make one with "openssl rand -base64 32"'
  }
  if (rules.providedSecrets?.includes(name) && entropyBits(value) < providedSecretBits)
    return 'is too simple for a secret'
  return undefined
}

/**
 * An upper bound of the entropy of a text in bits: Shannon's of its characters, times their number;
 * of a text that repeats a part, that of the part. Random texts come near it, words do not: it
 * finds what is obviously no secret, and proves nothing of the rest.
 */
export function entropyBits(text: string): number {
  const part = text.slice(0, periodOf(text))
  const counts = new Map<string, number>()
  for (const character of part) counts.set(character, (counts.get(character) ?? 0) + 1)
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return [...counts.values()].reduce((sum, count) => sum - count * Math.log2(count / total), 0)
}

/**
 * The length of the shortest part that the whole text repeats; the length of the text where it
 * repeats none (Knuth, Morris, Pratt).
 */
function periodOf(text: string): number {
  const borders = [0]
  for (let end = 1, border = 0; end < text.length; end++) {
    while (border > 0 && text[end] !== text[border]) border = borders[border - 1] ?? 0
    if (text[end] === text[border]) border++
    borders.push(border)
  }
  const period = text.length - (borders.at(-1) ?? 0)
  return text.length % period === 0 ? period : text.length
}

/**
 * Every variable that any program of the service reads. What is not here and looks as if it were is
 * reported.
 */
export const settingNames = [
  ...[
    'PORT',
    'HOST',
    'METRICS_PORT',
    'LOG_LEVEL',
    'NODE_ENV',
    'API_URL',
    'API_PUBLIC_URL',
    'PUBLIC_URL',
    'PORTAL_URL',
    'BOOKING_URL',
    'OPERATOR_URL',
  ],
  ...[
    'DATABASE_URL',
    'DATABASE_DIRECT_URL',
    'DATABASE_REPLICA_URL',
    'DATABASE_MIGRATION_URL',
    'DATABASE_ADMIN_URL',
  ],
  ...[
    'PLATFORM_TENANT_DOMAIN',
    'MAIL_PROVISIONING_ENABLED',
    'MAIL_API_URL',
    'MAIL_API_KEY',
    'MAIL_PUBLIC_HOST',
  ],
  ...[
    'IDP_ISSUER',
    'IDP_AUDIENCE',
    'IDP_OPERATOR_AUDIENCE',
    'IDP_OPERATOR_ISSUER',
    'IDP_MANAGED_ISSUER',
    'IDP_API_URL',
  ],
  ...['IDP_CLI_ISSUER', 'IDP_CLI_AUDIENCE'],
  ...[
    'IDP_API_TOKEN',
    'IDP_SETUP_TOKEN',
    'IDP_PUBLIC_URL',
    'IDP_PLATFORM_ADMIN_GROUP',
    'IDP_BUILTIN_ADMIN_GROUP',
    'IDP_PARTNER_STAFF_GROUP',
  ],
  ...[
    'IDP_TENANT_GROUP_PREFIX',
    'LIMITS',
    'FREE_PLAN_SEATS',
    'TRIAL_MAX_PLAN',
    'TRIAL_MAX_SEATS',
    'PORTAL_APP_SECRET',
    'OPERATOR_APP_SECRET',
    'APP_SECRET',
  ],
  ...[
    'RECENT_SIGN_IN_SECONDS',
    'OIDC_CLIENT_ID',
    'OIDC_CLIENT_SECRET',
    'FILES_API_URL',
    'FILES_API_USER',
    'FILES_API_TOKEN',
  ],
  ...[
    'BILLING_PAYMENTS_ENABLED',
    'BILLING_GRACE_DAYS',
    'BILLING_AUTO_SUSPEND',
    'RENEWAL_NOTICE_DAYS',
    'PARTNER_HOLD_DAYS',
    'STRIPE_SECRET_KEY',
    'TAX_MODE',
    'TAX_SELLER_COUNTRY',
    'TAX_SELLER_VAT_NUMBER',
    'TAX_RATES',
    'TAX_OSS',
    'VIES_API_URL',
  ],
  ...[
    'SELLER_NAME',
    'SELLER_ADDRESS_LINE1',
    'SELLER_ADDRESS_LINE2',
    'SELLER_POSTAL_CODE',
    'SELLER_CITY',
    'SELLER_COUNTRY',
    'SELLER_VAT_NUMBER',
    'SELLER_TAX_NUMBER',
  ],
  ...[
    'SELLER_REGISTER',
    'SELLER_EMAIL',
    'SELLER_CONTACT_NAME',
    'SELLER_CONTACT_PHONE',
    'SELLER_IBAN',
    'SELLER_BIC',
    'SELLER_TAX_EXEMPTION',
    'SELLER_VAT_PERCENT',
  ],
  ...[
    'BOOKKEEPING_CHART',
    'BOOKKEEPING_ACCOUNTS',
    'BOOKKEEPING_FIRST_MONTH',
    'DATEV_CONSULTANT',
    'DATEV_CLIENT',
  ],
  ...[
    'STRIPE_PUBLISHABLE_KEY',
    'STRIPE_WEBHOOK_SECRET',
    'STRIPE_API_URL',
    'BOOKING_APP_SECRET',
    'ENCRYPTION_KEYS',
  ],
  ...[
    'SMTP_URL',
    'SMTP_FROM',
    'AUDIT_HASH_CHAIN',
    'DNS_SERVERS',
    'TRUSTED_PROXY_HOPS',
    'WEBHOOK_ADDRESSES',
    'CLIENT_COUNTRY_HEADER',
  ],
  ...[
    'SHUTDOWN_DRAIN_SECONDS',
    'SHUTDOWN_GRACE_SECONDS',
    'INVITATION_DAYS',
    'TENANT_RESTORE_DAYS',
    'ADDRESS_CLAIM_DAYS',
    'IDP_PASSWORD_FLOW',
    'IDP_PASSKEY_FLOW',
    'IDP_CODE_APP_FLOW',
    'IDP_RECOVERY_CODES_FLOW',
    'IDP_RECOVERY_FLOW',
    'PROFILE_SIGN_CERT',
    'PROFILE_SIGN_KEY',
  ],
  ...[
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_SERVICE_NAME',
    'OTEL_TRACES_SAMPLER_ARG',
  ],
  // Of the local workplace and the tests, which start the programs and pass on their own
  // environment.
  ...[
    'ATRIUM_PORT_BASE',
    'ATRIUM_SANDBOX_STATE',
    'ATRIUM_TEST_FORM',
    'ATRIUM_MEASUREMENTS',
    'ATRIUM_ALL_ORDERS',
    'ATRIUM_BUILT_API',
    'ATRIUM_COMMIT',
  ],
]

const ours =
  /^(ATRIUM|IDP|OIDC|BOOKING|PLATFORM_TENANT|TRUSTED_PROXY|RECENT_SIGN|BILLING|BOOKKEEPING|DATEV|PARTNER|FILES_API|MAIL_API|MAIL_PROV|MAIL_PUBLIC|PROFILE_SIGN|SHUTDOWN|AUDIT_HASH|ENCRYPTION_KEY)_?/
/** Set by Kubernetes for each service automatically, such as BOOKING_SERVICE_HOST. */
const ofKubernetes = /_SERVICE_(HOST$|PORT)|_PORT$|_PORT_\d+_(TCP|UDP)/
const shortestCompared = 8

/**
 * Likely misspellings of our names: they have the same prefix, or differ from one in at most two
 * letters.
 */
function* unknownNames(env: Environment): Generator<[name: string, fault: string]> {
  const known = new Set(settingNames)
  for (const name of Object.keys(env)) {
    if (known.has(name) || env[name] === undefined || ofKubernetes.test(name)) continue
    const near =
      name.length < shortestCompared
        ? undefined
        : settingNames.find((one) => one.length >= shortestCompared && isNear(one, name))
    if (near) yield [name, `is not a setting. Is ${near} meant?`]
    else if (ours.test(name)) yield [name, 'is not a setting']
  }
}

/** True when at most two letters have to be added, dropped or replaced (Levenshtein distance). */
function isNear(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 2) return false
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return (row.at(-1) ?? 0) <= 2
}

/** True for a host name that never leaves the machine. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  )
}
