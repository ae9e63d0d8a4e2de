import { isIP, isIPv4 } from 'node:net'
import { isCountryCode } from '@atrium/core/billing/countries'
import {
  euCountries,
  isEuCountry,
  type TaxSeller,
  taxModes,
  vatCountry,
} from '@atrium/core/billing/taxes'
import { checkVatNumber } from '@atrium/core/billing/vat-numbers'
import { isLimitName, type LimitName } from '@atrium/core/platform/limits'
import {
  drainSeconds,
  isLoopback,
  readSettings,
  type SettingsOf,
} from '@atrium/core/platform/settings'
import { trim } from '@atrium/core/platform/trim'
import { tenantGroupPrefixFault, tenantGroupPrefixShape } from '@atrium/core/tenants/slugs'
import { plan } from '@atrium/core/tenants/tenants'
import { createKeyring, weakKey } from '@atrium/db/platform/encryption'
import { z } from 'zod'
import { bookkeepingOf, bookkeepingShape } from './bookkeeping-settings.ts'
import { type IssuerSettings, operatorIssuersOf, subjectPrefixes } from './issuers.ts'
import { sellerOf, sellerShape } from './seller.ts'

const list = z
  .string()
  .transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  )
  .pipe(z.array(z.string()).min(1, 'names at least one value'))
const toggle = z
  .enum(['true', 'false', '1', '0', 'on', 'off'])
  .transform((value) => value === 'true' || value === '1' || value === 'on')
const issuers = list.refine(
  (all) => all.every((issuer) => URL.canParse(issuer)),
  'holds something that is no address',
)
const port = z.coerce.number().int().min(0).max(65_535)
const address = z.url({ protocol: /^https?$/, error: 'is not an http(s) address' })
/** Node's resolver takes addresses, not names. */
const dnsServers = z
  .string()
  .transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  )
  .refine(
    (servers) => servers.every(isDnsServer),
    'holds something that is no IP address, with or without a port',
  )
const ipAddresses = z
  .string()
  .transform((value) => value.split(',').map((item) => item.trim()))
  .refine(
    (addresses) => addresses.every((one) => isIP(one) !== 0),
    'holds something that is no IP address',
  )
/**
 * `name=value` pairs with commas between them, values percent-encoded (OpenTelemetry, OTLP exporter
 * configuration).
 */
const otlpHeaders = list.transform((pairs, ctx) => {
  const headers: Record<string, string> = {}
  for (const pair of pairs) {
    const separator = pair.indexOf('=')
    const name = pair.slice(0, Math.max(separator, 0)).trimEnd()
    const value = pair.slice(separator + 1).trimStart()
    if (!/^[!#$%&'*+\-.^_`|~\w]+$/.test(name)) ctx.addIssue('holds something that is no name=value')
    else headers[name] = decodeURIComponent(value)
  }
  return headers
})
/**
 * `name=number` pairs with commas between them: limits of
 * `@atrium/core/platform/limits` with another number than the declared one.
 */
const limitNumbers = list.transform((pairs, ctx) => {
  const numbers: Partial<Record<LimitName, number>> = {}
  for (const pair of pairs) {
    const [, name = '', most] = /^(\w+)\s*=\s*(\d{1,9})$/.exec(pair) ?? []
    if (!isLimitName(name)) ctx.addIssue(`holds ${pair}, which is no limit=number`)
    else numbers[name] = Number(most)
  }
  return numbers
})

/** `country=percent` pairs with commas between them: `DE=19,FR=20,FI=25.5`. */
const taxRates = list.transform((pairs, ctx) => {
  const rates: Record<string, number> = {}
  for (const pair of pairs) {
    const [, country = '', percent] = /^([A-Z]{2})\s*=\s*(\d{1,2}(?:\.\d{1,4})?)$/.exec(pair) ?? []
    if (!isCountryCode(country)) ctx.addIssue(`holds ${pair}, which is no country=percent`)
    else rates[country] = Number(percent)
  }
  return rates
})

const groupPrefix = z.string().regex(tenantGroupPrefixShape, tenantGroupPrefixFault)

const shape = {
  PORT: port.default(4000),
  HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port.optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'is not a postgres:// address' }),
  DATABASE_DIRECT_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'is not a postgres:// address' })
    .optional(),
  DATABASE_REPLICA_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'is not a postgres:// address' })
    .optional(),
  PLATFORM_TENANT_DOMAIN: z.string().default('tenants.local'),
  MAIL_PROVISIONING_ENABLED: toggle.default(false),
  IDP_ISSUER: issuers,
  IDP_AUDIENCE: list,
  IDP_OPERATOR_AUDIENCE: z.string().optional(),
  IDP_OPERATOR_ISSUER: issuers.optional(),
  IDP_MANAGED_ISSUER: issuers.optional(),
  IDP_CLI_ISSUER: issuers.optional(),
  IDP_CLI_AUDIENCE: z.string().optional(),
  RECENT_SIGN_IN_SECONDS: z.coerce
    .number()
    .int()
    .max(86_400)
    .refine((seconds) => seconds === 0 || seconds >= 60, 'is neither 0 nor at least 60')
    .default(3_600),
  IDP_API_URL: address.optional(),
  IDP_API_TOKEN: z.string().optional(),
  IDP_PUBLIC_URL: address.optional(),
  IDP_PLATFORM_ADMIN_GROUP: z.string().default('platform-admins'),
  IDP_BUILTIN_ADMIN_GROUP: z.string().default('authentik Admins'),
  IDP_PARTNER_STAFF_GROUP: z.string().default('partner-staff'),
  IDP_TENANT_GROUP_PREFIX: groupPrefix.optional(),
  MAIL_API_URL: address.optional(),
  MAIL_API_KEY: z.string().optional(),
  FILES_API_URL: address.optional(),
  FILES_API_USER: z.string().optional(),
  FILES_API_TOKEN: z.string().optional(),
  BILLING_PAYMENTS_ENABLED: toggle.default(false),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^[sr]k_(test|live)_\w+$/, 'is no secret key of Stripe')
    .optional(),
  STRIPE_PUBLISHABLE_KEY: z
    .string()
    .regex(/^pk_(test|live)_\w+$/, 'is no publishable key of Stripe')
    .optional(),
  STRIPE_WEBHOOK_SECRET: list.optional(),
  STRIPE_API_URL: address.optional(),
  INVITATION_DAYS: z.coerce.number().int().min(1).max(30).default(7),
  TENANT_RESTORE_DAYS: z.coerce.number().int().min(1).max(365).default(30),
  ADDRESS_CLAIM_DAYS: z.coerce.number().int().min(1).max(90).default(14),
  BILLING_GRACE_DAYS: z.coerce.number().int().min(0).max(90).default(14),
  RENEWAL_NOTICE_DAYS: z.coerce.number().int().min(1).max(90).default(30),
  BILLING_AUTO_SUSPEND: toggle.default(false),
  FREE_PLAN_SEATS: z.coerce.number().int().min(1).max(1_000_000).default(5),
  TRIAL_MAX_PLAN: plan.default('business'),
  TRIAL_MAX_SEATS: z.coerce.number().int().min(1).max(1_000_000).default(20),
  ...sellerShape,
  ...bookkeepingShape,
  PARTNER_HOLD_DAYS: z.coerce.number().int().min(0).max(365).default(30),
  TAX_MODE: z.enum(taxModes).default('none'),
  TAX_SELLER_COUNTRY: z.string().refine(isCountryCode, 'is no country of ISO 3166-1').optional(),
  TAX_SELLER_VAT_NUMBER: z.string().optional(),
  TAX_RATES: taxRates.optional(),
  TAX_OSS: toggle.default(false),
  VIES_API_URL: address.optional(),
  PORTAL_URL: address.optional(),
  OPERATOR_URL: address.optional(),
  BOOKING_URL: address.optional(),
  BOOKING_APP_SECRET: z.string().optional(),
  PORTAL_APP_SECRET: z.string().optional(),
  OPERATOR_APP_SECRET: z.string().optional(),
  ENCRYPTION_KEYS: z.string().optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'is not an smtp:// address' }).optional(),
  AUDIT_HASH_CHAIN: toggle.default(false),
  DNS_SERVERS: dnsServers.optional(),
  SMTP_FROM: z.string().default('Atrium <no-reply@localhost>'),
  WEBHOOK_ADDRESSES: ipAddresses.optional(),
  TRUSTED_PROXY_HOPS: z.coerce.number().int().min(0).max(10).default(0),
  SHUTDOWN_DRAIN_SECONDS: drainSeconds,
  SHUTDOWN_GRACE_SECONDS: z.coerce.number().int().min(1).max(120).default(15),
  LIMITS: limitNumbers.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: otlpHeaders.optional(),
  OTEL_SERVICE_NAME: z.string().min(1).default('atrium-api'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
}

export type Config = ReturnType<typeof readConfig>

type Settings = SettingsOf<typeof shape>

/**
 * The service's settings from its environment, nested by concern; a group is whole or null. Throws
 * SettingsError with one line per faulty variable. Nothing else in the service reads the
 * environment. `docs/how-to/operate.md` lists every variable.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>) {
  const e = readSettings(env, {
    shape,
    ownSecrets: ['BOOKING_APP_SECRET', 'PORTAL_APP_SECRET', 'OPERATOR_APP_SECRET'],
    providedSecrets: [
      'IDP_API_TOKEN',
      'MAIL_API_KEY',
      'FILES_API_TOKEN',
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRET',
    ],
    together: (values, production) => [
      ...groupFaults(values, env),
      ...(production ? productionFaults(values) : []),
    ],
  })
  const issuing = issuerSettings(e)
  const commandLine = commandLineSettings(e)
  return {
    /** Run for real: what is only good for trying things out is rejected. */
    production: env.NODE_ENV === 'production',
    host: e.HOST,
    port: e.PORT,
    metricsPort: e.METRICS_PORT ?? (e.PORT === 0 ? 0 : e.PORT + 500),
    databaseUrl: e.DATABASE_URL,
    /** The same database without a transaction pooler in between; null where there is none. */
    databaseDirectUrl: e.DATABASE_DIRECT_URL ?? null,
    /** A copy that reports and the audit log are read from. */
    databaseReplicaUrl: e.DATABASE_REPLICA_URL,
    tenantDomain: trim(e.PLATFORM_TENANT_DOMAIN.toLowerCase(), /\./),
    /** Days in which a deleted tenant can be restored. */
    invitationDays: e.INVITATION_DAYS,
    tenantRestoreDays: e.TENANT_RESTORE_DAYS,
    /** Days that a person has after a claim to the address. */
    addressClaimDays: e.ADDRESS_CLAIM_DAYS,
    mailProvisioning: e.MAIL_PROVISIONING_ENABLED,
    tokens: {
      audiences: commandLine ? [...e.IDP_AUDIENCE, commandLine.audience] : e.IDP_AUDIENCE,
      /** Where the command line signs people in; null where it cannot. */
      commandLine,
      operatorAudience: issuing.operatorAudience,
      /** Issuers whose tokens for the operator audience are an operator's. */
      operatorIssuers: operatorIssuersOf(issuing) ?? [],
      /** Every accepted issuer, with the prefix of its subjects in our records. */
      subjectPrefixes: subjectPrefixes(
        commandLine ? { ...issuing, issuers: [...issuing.issuers, commandLine.issuer] } : issuing,
      ),
    },
    /** How old a sign-in may be for a sensitive act; 0 lets any pass. */
    recentSignInSeconds: e.RECENT_SIGN_IN_SECONDS,
    groups: {
      platformAdmins: e.IDP_PLATFORM_ADMIN_GROUP,
      builtinAdmins: e.IDP_BUILTIN_ADMIN_GROUP,
      partnerStaff: e.IDP_PARTNER_STAFF_GROUP,
    },
    /** Before the slug in the names of new tenants' groups; empty for none. */
    tenantGroupPrefix: e.IDP_TENANT_GROUP_PREFIX ?? '',
    identity:
      e.IDP_API_URL && e.IDP_API_TOKEN
        ? { baseUrl: e.IDP_API_URL, token: e.IDP_API_TOKEN, publicUrl: e.IDP_PUBLIC_URL }
        : null,
    mail:
      e.MAIL_API_URL && e.MAIL_API_KEY ? { baseUrl: e.MAIL_API_URL, apiKey: e.MAIL_API_KEY } : null,
    files:
      e.FILES_API_URL && e.FILES_API_USER && e.FILES_API_TOKEN
        ? { baseUrl: e.FILES_API_URL, user: e.FILES_API_USER, appToken: e.FILES_API_TOKEN }
        : null,
    payments: e.STRIPE_SECRET_KEY
      ? { secretKey: e.STRIPE_SECRET_KEY, apiUrl: e.STRIPE_API_URL }
      : null,
    billing: {
      paymentsEnabled: e.BILLING_PAYMENTS_ENABLED,
      publishableKey: e.STRIPE_PUBLISHABLE_KEY ?? null,
      /** Several while a secret is being changed; an event signed with any of them is taken. */
      webhookSecrets: e.STRIPE_WEBHOOK_SECRET ?? [],
      livemode: e.STRIPE_SECRET_KEY?.includes('_live_') ?? false,
      graceDays: e.BILLING_GRACE_DAYS,
      renewalNoticeDays: e.RENEWAL_NOTICE_DAYS,
      autoSuspend: e.BILLING_AUTO_SUSPEND,
      freeSeats: e.FREE_PLAN_SEATS,
      trial: { plan: e.TRIAL_MAX_PLAN, seats: e.TRIAL_MAX_SEATS },
      partnerHoldDays: e.PARTNER_HOLD_DAYS,
      tax: taxSettings(e),
    },
    /** Where VAT numbers are checked; null where tax does not depend on them. */
    vies: viesSettings(e),
    /** Accounts and names of the bookkeeping export. */
    bookkeeping: bookkeepingOf(e),
    /** Who issues invoices and statements. */
    seller: sellerOf({
      ...e,
      SELLER_COUNTRY: e.SELLER_COUNTRY ?? e.TAX_SELLER_COUNTRY,
      SELLER_VAT_NUMBER: e.SELLER_VAT_NUMBER ?? e.TAX_SELLER_VAT_NUMBER,
      SELLER_VAT_PERCENT: e.SELLER_VAT_PERCENT ?? homeRate(e),
    }),
    /**
     * Where people reach the customer portal, for links in mails and back from the payment
     * processor's pages.
     */
    portalUrl: e.PORTAL_URL ?? null,
    /** Where operators reach their portal, for links in mails. */
    operatorUrl: e.OPERATOR_URL ?? null,
    /**
     * By these the portals' word about the app, the address and the country of a person is
     * believed.
     */
    appSecrets: { portal: e.PORTAL_APP_SECRET ?? null, operator: e.OPERATOR_APP_SECRET ?? null },
    booking: {
      /** Where visitors reach the booking pages, for links in mails. */
      url: e.BOOKING_URL ?? null,
      /** By this the booking app's word about a visitor's address is believed. */
      appSecret: e.BOOKING_APP_SECRET ?? null,
    },
    /** Encrypts what the API stores of other systems' secrets; null switches scheduling off. */
    keyring: e.ENCRYPTION_KEYS === undefined ? null : createKeyring(e.ENCRYPTION_KEYS),
    smtp: e.SMTP_URL ? { url: e.SMTP_URL, from: e.SMTP_FROM } : null,
    auditHashChain: e.AUDIT_HASH_CHAIN,
    dns: { servers: e.DNS_SERVERS ?? [] },
    /** Addresses that are not public and that events may be delivered to, also by plain http. */
    webhookAddresses: e.WEBHOOK_ADDRESSES ?? [],
    trustedProxyHops: e.TRUSTED_PROXY_HOPS,
    /**
     * How long a stopping process still accepts requests, so that clients can learn of the stop.
     */
    shutdownDrainSeconds: e.SHUTDOWN_DRAIN_SECONDS,
    shutdownGraceSeconds: e.SHUTDOWN_GRACE_SECONDS,
    /** Limits whose number differs from the declared one. */
    limits: e.LIMITS ?? {},
    /** Where traces go; null where nothing is traced. */
    tracing: e.OTEL_EXPORTER_OTLP_ENDPOINT
      ? {
          endpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT,
          headers: e.OTEL_EXPORTER_OTLP_HEADERS ?? {},
          serviceName: e.OTEL_SERVICE_NAME,
          ratio: e.OTEL_TRACES_SAMPLER_ARG,
        }
      : null,
    logLevel: e.LOG_LEVEL,
  }
}

/** `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`. */
function isDnsServer(server: string): boolean {
  const [, bracketed, host, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(server) ?? []
  if (port !== undefined && Number(port) > 65_535) return false
  return isIP(server) !== 0 || isIP(bracketed ?? '') === 6 || isIPv4(host ?? '')
}

/** The standard rate of the seller's country, where it is among the fixed ones. */
function homeRate({ SELLER_COUNTRY, TAX_SELLER_COUNTRY, TAX_RATES }: Settings): number | undefined {
  return TAX_RATES?.[vatCountry(SELLER_COUNTRY ?? TAX_SELLER_COUNTRY ?? '')]
}

/** How invoices are taxed. `fixed_rates` has all that the decision needs. */
export type TaxSettings =
  | { mode: 'none' }
  | { mode: 'stripe_tax' }
  | { mode: 'fixed_rates'; seller: TaxSeller }

function taxSettings(e: Settings): TaxSettings {
  const { TAX_MODE: mode } = e
  if (mode !== 'fixed_rates') return { mode }
  const { TAX_SELLER_COUNTRY: country = '', TAX_RATES: rates = {}, TAX_OSS: oss } = e
  return { mode, seller: { country, oss, rates } }
}

const publicViesUrl = 'https://ec.europa.eu/taxation_customs/vies/rest-api'

function viesSettings(e: Settings) {
  const baseUrl = e.VIES_API_URL ?? (e.TAX_MODE === 'none' ? undefined : publicViesUrl)
  if (baseUrl === undefined) return null
  return {
    baseUrl,
    /** Whose question it is: with it the authority gives a consultation number as proof. */
    requester: checkVatNumber(e.TAX_SELLER_VAT_NUMBER ?? null, null).value,
  }
}

function taxFaults(e: Partial<Settings>): string[] {
  const faults: string[] = []
  const { TAX_SELLER_COUNTRY: country, TAX_RATES: rates, TAX_SELLER_VAT_NUMBER: number } = e
  if (number !== undefined && checkVatNumber(number, country ?? null).fault !== null)
    faults.push('TAX_SELLER_VAT_NUMBER: does not have the form of its country')
  if (e.TAX_MODE !== 'fixed_rates') return faults
  if (country === undefined)
    faults.push('TAX_SELLER_COUNTRY: is missing, while TAX_MODE is fixed_rates')
  if (rates === undefined) faults.push('TAX_RATES: is missing, while TAX_MODE is fixed_rates')
  if (country === undefined || rates === undefined) return faults
  const home = vatCountry(country)
  const needed = e.TAX_OSS ? [home, ...euCountries] : [home]
  const missing = [...new Set(needed)].filter((one) => rates[one] === undefined)
  if (missing.length > 0) faults.push(`TAX_RATES: has no rate for ${missing.join(', ')}`)
  if (e.TAX_OSS && !isEuCountry(home)) faults.push('TAX_OSS: is for sellers in the European Union')
  return faults
}

/** Where the command line signs people in; null where it cannot. */
function commandLineSettings({
  IDP_CLI_ISSUER: [issuer] = [],
  IDP_CLI_AUDIENCE: audience,
}: Partial<Settings>): { issuer: string; audience: string } | null {
  return issuer !== undefined && audience !== undefined ? { issuer, audience } : null
}

function issuerSettings(
  e: Pick<Settings, 'IDP_ISSUER' | 'IDP_AUDIENCE'> & Partial<Settings>,
): IssuerSettings {
  return {
    issuers: e.IDP_ISSUER,
    audiences: e.IDP_AUDIENCE,
    operatorAudience: e.IDP_OPERATOR_AUDIENCE ?? e.IDP_AUDIENCE.at(-1) ?? '',
    operatorIssuers: e.IDP_OPERATOR_ISSUER,
    managedIssuers: e.IDP_MANAGED_ISSUER,
  }
}

function groupFaults(
  e: Partial<Settings>,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const faults: string[] = []
  const whole = (names: readonly (keyof Settings)[]) => {
    const missing = names.filter((name) => env[name] === undefined)
    if (missing.length === names.length) return
    for (const name of missing)
      faults.push(`${name}: is missing, while the rest of its group is set`)
  }
  if (e.ENCRYPTION_KEYS !== undefined) {
    try {
      createKeyring(e.ENCRYPTION_KEYS)
      const weak = weakKey(e.ENCRYPTION_KEYS)
      if (weak !== undefined)
        faults.push(
          `ENCRYPTION_KEYS: key "${weak}" is not random. Make one with "openssl rand -base64 32"`,
        )
    } catch (error) {
      faults.push(`ENCRYPTION_KEYS: ${error instanceof Error ? error.message : 'is not usable'}`)
    }
  }
  faults.push(...taxFaults(e))
  whole(['IDP_API_URL', 'IDP_API_TOKEN'])
  whole(['IDP_CLI_ISSUER', 'IDP_CLI_AUDIENCE'])
  whole(['MAIL_API_URL', 'MAIL_API_KEY'])
  whole(['FILES_API_URL', 'FILES_API_USER', 'FILES_API_TOKEN'])
  if (e.MAIL_PROVISIONING_ENABLED && env.MAIL_API_URL === undefined) {
    faults.push('MAIL_API_URL: is missing, while MAIL_PROVISIONING_ENABLED is on')
  }
  if (e.IDP_ISSUER && e.IDP_AUDIENCE)
    faults.push(...issuerFaults({ ...e, IDP_ISSUER: e.IDP_ISSUER, IDP_AUDIENCE: e.IDP_AUDIENCE }))
  return faults
}

function issuerFaults(
  e: Pick<Settings, 'IDP_ISSUER' | 'IDP_AUDIENCE'> & Partial<Settings>,
): string[] {
  const faults: string[] = []
  if (e.IDP_OPERATOR_AUDIENCE !== undefined && !e.IDP_AUDIENCE.includes(e.IDP_OPERATOR_AUDIENCE)) {
    faults.push('IDP_OPERATOR_AUDIENCE: is not one of IDP_AUDIENCE')
  }
  for (const name of ['IDP_OPERATOR_ISSUER', 'IDP_MANAGED_ISSUER'] as const) {
    if (e[name]?.some((issuer) => !e.IDP_ISSUER.includes(issuer)))
      faults.push(`${name}: names an issuer that is not in IDP_ISSUER`)
  }
  // Its tokens would be those of a portal.
  if (e.IDP_CLI_AUDIENCE !== undefined && e.IDP_AUDIENCE.includes(e.IDP_CLI_AUDIENCE))
    faults.push('IDP_CLI_AUDIENCE: is one of IDP_AUDIENCE')
  if (e.IDP_CLI_ISSUER !== undefined && e.IDP_CLI_ISSUER.length > 1)
    faults.push('IDP_CLI_ISSUER: names more than one issuer')
  if (operatorIssuersOf(issuerSettings(e)) === undefined) {
    faults.push(
      'IDP_OPERATOR_ISSUER: is missing. IDP_ISSUER and IDP_AUDIENCE differ in length, so nothing tells which issuer has operators',
    )
  }
  return faults
}

function productionFaults(e: Partial<Settings>): string[] {
  const faults: string[] = []
  for (const name of ['IDP_ISSUER', 'IDP_CLI_ISSUER'] as const)
    if (e[name]?.some(isPlainHttp))
      faults.push(`${name}: holds a plain http address, which is accepted for localhost only`)
  if (e.IDP_AUDIENCE && new Set(e.IDP_AUDIENCE).size < 2) {
    faults.push(
      'IDP_AUDIENCE: names one audience for both portals, so every token of the customer portal would be an operator token',
    )
  }
  if (e.STRIPE_SECRET_KEY?.includes('_live_') && !e.STRIPE_WEBHOOK_SECRET) {
    faults.push('STRIPE_WEBHOOK_SECRET: is missing, while STRIPE_SECRET_KEY is a live key')
  }
  return faults
}

/** True for an address over which keys and tokens would cross a network in the clear. */
function isPlainHttp(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && !isLoopback(hostname)
}
