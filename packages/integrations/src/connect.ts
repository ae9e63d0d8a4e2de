import type { Calendars } from './calendars/port.ts'
import { stalwartCalendars } from './calendars/stalwart.ts'
import type { CallOptions } from './call-options.ts'
import type { CallPolicyOptions, CallReport } from './call-policy.ts'
import { deadline } from './deadline.ts'
import type { DnsResolver } from './dns/port.ts'
import { dnsResolver } from './dns/resolver.ts'
import { opencloud } from './files/opencloud.ts'
import type { FileStorage } from './files/port.ts'
import { authentik } from './identity/authentik.ts'
import type { IdentityProvider } from './identity/port.ts'
import type { MailServer } from './mail/port.ts'
import { stalwart } from './mail/stalwart.ts'
import { parseMailbox } from './mailer/addresses.ts'
import type { Mailer } from './mailer/port.ts'
import type { Payments } from './payments/port.ts'
import { UpstreamError, type UpstreamSystem } from './upstream-error.ts'
import type { VatRegistry } from './vat-registry/port.ts'
import { vies } from './vat-registry/vies.ts'

/** Addresses and credentials; a system that is null is off. */
export interface IntegrationsConfig {
  /** `publicUrl`: the origin that people see, where it differs from that of `baseUrl`. */
  identity: { baseUrl: string; token: string; publicUrl?: string | undefined } | null
  mail: { baseUrl: string; apiKey: string } | null
  files: { baseUrl: string; user: string; appToken: string } | null
  smtp: { url: string; from: string } | null
  /** `apiUrl`: where Stripe's API is, if not at its own address. */
  payments: { secretKey: string; apiUrl?: string | undefined } | null
  /** `requester`: the VAT number in whose name the register is asked. */
  vies?: { baseUrl: string; requester: string | null } | null | undefined
  /** Recursive resolvers as `address:port`; those of the machine when absent or empty. */
  dns?: { servers: readonly string[] } | undefined
  /** Called after each try of each request. Must not throw. */
  onCall?: ((report: CallReport) => void) | undefined
  /** Called when a client's circuit opens or closes. Must not throw. */
  onCircuit?: ((system: UpstreamSystem, open: boolean) => void) | undefined
  /**
   * Headers that tell systems of our own installation where a call comes from. The payment
   * processor does not get them.
   */
  callHeaders?: (() => Record<string, string>) | undefined
  /** Deadlines, retries and circuit of every client, where they differ from the usual ones. */
  policy?:
    | Pick<
        CallPolicyOptions,
        'deadlineMs' | 'operationDeadlineMs' | 'retries' | 'backoffMs' | 'circuit'
      >
    | undefined
}

export interface Integrations {
  identity: IdentityProvider | null
  mail: MailServer | null
  /** Hosts' calendars on the same server as `mail`, with credentials of their own. */
  calendars: Calendars | null
  files: FileStorage | null
  mailer: Mailer | null
  payments: Payments | null
  vatRegistry: VatRegistry | null
  /** Live DNS; always there. */
  dns: DnsResolver
  /** Sender of the platform's own mail, `Name <user@host>`. Null when there is no mailer. */
  mailFrom: string | null
}

/**
 * Creates one client per configured system; connects to nothing yet. Rejects when an address or a
 * credential has no usable form. The libraries of mail and payments are loaded only where those are
 * wanted: they are a fifth of all that the service would load.
 */
export async function connectIntegrations({
  onCall,
  onCircuit,
  callHeaders,
  policy,
  ...config
}: IntegrationsConfig): Promise<Integrations> {
  if (config.smtp && !parseMailbox(config.smtp.from))
    throw new Error('The sender of outgoing mail must be one address, "Name <user@host>".')
  return {
    identity:
      config.identity &&
      authentik({ ...config.identity, ...policy, onCall, onCircuit, callHeaders }),
    mail: config.mail && stalwart({ ...config.mail, ...policy, onCall, onCircuit, callHeaders }),
    calendars:
      config.mail &&
      stalwartCalendars({ baseUrl: config.mail.baseUrl, ...policy, onCall, callHeaders }),
    files:
      config.files && opencloud({ ...config.files, ...policy, onCall, onCircuit, callHeaders }),
    mailer:
      config.smtp &&
      (await import('./mailer/smtp.ts')).smtp({ ...config.smtp, ...policy, onCall, onCircuit }),
    payments:
      config.payments &&
      (await import('./payments/stripe.ts')).stripe({
        ...config.payments,
        ...policy,
        onCall,
        onCircuit,
      }),
    vatRegistry: config.vies ? vies({ ...config.vies, ...policy, onCall, onCircuit }) : null,
    dns: dnsResolver({ servers: config.dns?.servers ?? [] }),
    mailFrom: config.smtp?.from ?? null,
  }
}

export type IntegrationName = Exclude<
  keyof Integrations,
  'calendars' | 'vatRegistry' | 'dns' | 'mailFrom'
>

export interface IntegrationCheck {
  state: 'ok' | 'error' | 'off'
  /** What is wrong, fit for operators. */
  message?: string
  /** ISO 8601. */
  checkedAt: string
  /** How long the system took to respond, or until we gave up. */
  latencyMs?: number
}

export interface CheckOptions {
  deadlineMs: number
  now?: (() => Date) | undefined
}

/**
 * Checks all systems in parallel: whether each is available and accepts our credentials. Failures
 * are returned, not thrown.
 */
export async function checkIntegrations(
  integrations: Integrations,
  options: CheckOptions,
): Promise<Record<IntegrationName, IntegrationCheck>> {
  const [identity, mail, files, mailer, payments] = await Promise.all([
    check(integrations.identity, options),
    check(integrations.mail, options),
    check(integrations.files, options),
    check(integrations.mailer, options),
    check(integrations.payments, options),
  ])
  return { identity, mail, files, mailer, payments }
}

interface Checked {
  check(options: CallOptions): Promise<unknown>
}

async function check(
  system: Checked | null,
  { deadlineMs, now = () => new Date() }: CheckOptions,
): Promise<IntegrationCheck> {
  if (!system) return { state: 'off', checkedAt: now().toISOString() }
  const limit = deadline(deadlineMs, undefined)
  const started = performance.now()
  const seen = () => ({
    checkedAt: now().toISOString(),
    latencyMs: Math.round(performance.now() - started),
  })
  try {
    await system.check({ signal: limit.signal })
    return { state: 'ok', ...seen() }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    return { state: 'error', message: error.message, ...seen() }
  } finally {
    limit.clear()
  }
}
