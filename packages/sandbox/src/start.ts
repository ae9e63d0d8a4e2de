import type { RequestListener } from 'node:http'
import { commandLineClient, demoClients } from '@atrium/core/demo/demo'
import type { DemoHistory } from '@atrium/core/demo/demo-history'
import { type Call, type CallLog, createCallLog } from './call-log.ts'
import { controlApp } from './control/app.ts'
import type { HostedSystem } from './control/parts.ts'
import { createDns, type DnsSystem } from './dns/system.ts'
import { createFaults, type Fault, FaultInput } from './faults.ts'
import { createFiles, type FilesOptions, type FilesSystem } from './files/system.ts'
import { createIdentity, type IdentityOptions, type IdentitySystem } from './identity/system.ts'
import { createMail, type MailOptions, type MailSystem } from './mail/system.ts'
import { createPayments, type PaymentsOptions, type PaymentsSystem } from './payments/system.ts'
import { openSavedState, type SavedState, unsaved } from './saved-state.ts'
import { describeListenError, guarded, listen } from './serve.ts'
import { createSmtp, type SmtpSystem } from './smtp/system.ts'
import { honoListener, type SandboxSystem, type SystemContext } from './system.ts'
import type { SystemName } from './system-names.ts'
import { createVies, type ViesSystem } from './vies/system.ts'
import { createWebhookReceiver } from './webhooks/receiver.ts'

export interface StartOptions {
  /**
   * First port of the workplace: control is +1000, identity +1100, mail +1200, files +1300,
   * payments +1400, SMTP +1500 and its page +1501, DNS +1600 and its page +1601,
   * VIES +1410. Absent: free
   * ports.
   */
  readonly portBase?: number
  /** Address to listen on; 127.0.0.1 when absent. */
  readonly host?: string
  /** Host name in the addresses that are handed out; localhost when absent. */
  readonly publicHost?: string
  /** JSON file that holds the records over a restart. Absent: they live as long as the process. */
  readonly statePath?: string
  readonly seed?: 'demo' | 'empty'
  /**
   * What happened before the start, at the identity provider and the payment processor. Without it
   * they hold the seed alone.
   */
  readonly history?: DemoHistory
  /**
   * Where the two portals run; by default at +100 and +200 of the base, which is 4000 when absent.
   */
  readonly apps?: {
    readonly portal: { readonly origin: string }
    readonly operator: { readonly origin: string }
  }
  readonly identity?: Omit<IdentityOptions, 'apps'>
  readonly mail?: MailOptions
  readonly files?: FilesOptions
  readonly payments?: PaymentsOptions
  /**
   * Below it every domain of the mail server is published by itself; `tenants.local` when absent.
   */
  readonly platformDomain?: string
  /** Milliseconds since 1970; the clock of the machine when absent. */
  readonly now?: () => number
}

export interface SystemState {
  readonly records: unknown
  readonly calls: readonly Call[]
}

/** A sandbox that runs. */
export interface Sandbox {
  readonly controlUrl: string
  readonly identityUrl: string
  readonly mailUrl: string
  readonly filesUrl: string
  readonly paymentsUrl: string
  readonly viesUrl: string
  /** `smtp://localhost:port` */
  readonly smtpUrl: string
  readonly smtpPageUrl: string
  /** `127.0.0.1:port`, UDP and TCP. */
  readonly dnsServer: string
  readonly dnsPageUrl: string
  readonly issuers: {
    readonly portal: string
    readonly operator: string
    readonly commandLine: string
  }
  /**
   * An access token as the person would get it by signing in, now or at that moment. Rejects when
   * there is no such active person.
   */
  token(email: string, app: 'portal' | 'operator', signedInAt?: Date): Promise<string>
  fault(input: FaultInput): Fault
  clearFaults(): void
  /** Every system's records and calls, secrets masked: the response of `GET /state`, by system. */
  state(): Readonly<Record<SystemName, SystemState>>
  /** Back to the seed, without faults and calls. */
  reset(): void
  readonly identity: IdentitySystem
  readonly mail: MailSystem
  readonly files: FilesSystem
  readonly payments: PaymentsSystem
  readonly vies: ViesSystem
  readonly smtp: SmtpSystem
  readonly dns: DnsSystem
  close(): Promise<void>
}

const offsets = {
  control: 1_000,
  identity: 1_100,
  mail: 1_200,
  files: 1_300,
  payments: 1_400,
  vies: 1_410,
  smtp: 1_500,
  smtpPage: 1_501,
  dns: 1_600,
  dnsPage: 1_601,
} as const

/**
 * Starts every stand-in and the control API. Rejects with one line when a port is taken; nothing is
 * left running then.
 */
export async function startSandbox(options: StartOptions = {}): Promise<Sandbox> {
  const { portBase, host = '127.0.0.1', publicHost = 'localhost', seed = 'demo' } = options
  const appOrigin = (offset: number) => `http://${publicHost}:${(portBase ?? 4_000) + offset}`
  const apps = {
    portal: options.apps?.portal.origin ?? appOrigin(100),
    operator: options.apps?.operator.origin ?? appOrigin(200),
  }
  const faults = createFaults()
  const origins = new Map<SystemName, string>()
  let saved: SavedState = unsaved

  const calls = createLogs()
  const context = (name: SystemName): SystemContext => ({
    faults,
    calls: calls[name],
    now: options.now ?? Date.now,
    changed: () => saved.changed(),
    origin: () => origins.get(name) ?? '',
    seed,
  })
  const history = options.history && { history: options.history }
  const identity = createIdentity(context('identity'), { ...options.identity, apps, ...history })
  const mail = createMail(context('mail'), options.mail)
  const files = createFiles(context('files'), options.files)
  const payments = createPayments(context('payments'), { ...options.payments, ...history })
  const vies = createVies(context('vies'))
  const smtp = createSmtp(context('smtp'))
  const dns = createDns(context('dns'), {
    mailZone: (domain) => mail.zone(domain),
    mailDomains: () => mail.domainNames(),
    mailHost: options.mail?.hostname ?? `mail.${options.mail?.defaultDomain ?? 'atrium.test'}`,
    platformDomain: options.platformDomain ?? 'tenants.local',
  })
  const webhooks = createWebhookReceiver(options.now ?? Date.now)
  const systems: readonly SandboxSystem[] = [identity, mail, files, payments, vies, smtp, dns]
  if (options.statePath !== undefined) saved = openSavedState(options.statePath, systems)

  const opened: { close(): Promise<void> }[] = []
  const closeAll = () => {
    payments.close()
    return Promise.all(opened.map((one) => one.close()))
  }
  const portOf = (purpose: keyof typeof offsets) =>
    portBase === undefined ? 0 : portBase + offsets[purpose]
  const open = async (
    listener: RequestListener,
    purpose: keyof typeof offsets,
  ): Promise<string> => {
    const listening = await listen(listener, portOf(purpose), host, purpose)
    opened.push(listening)
    return `http://${publicHost}:${listening.port}`
  }
  const reset = () => {
    for (const system of systems) {
      system.reset()
      calls[system.name].clear()
    }
    faults.clear()
    webhooks.reset()
  }

  try {
    const hosted: HostedSystem[] = []
    for (const system of [identity, mail, files, payments, vies]) {
      const url = await open(guarded(system, { faults, calls: calls[system.name] }), system.name)
      origins.set(system.name, url)
      hosted.push({ system, calls: calls[system.name], addresses: [url] })
    }
    const smtpPort = await smtp.listen(portOf('smtp'), host).catch((error: unknown) => {
      throw describeListenError(error, portOf('smtp'), 'smtp')
    })
    opened.push(smtp)
    const smtpUrl = `smtp://${publicHost}:${smtpPort}`
    // Faults of SMTP are about its commands; the page that shows the mail stays readable.
    const smtpPageUrl = await open(smtp.listener, 'smtpPage')
    origins.set('smtp', smtpPageUrl)
    hosted.push({ system: smtp, calls: calls.smtp, addresses: [smtpPageUrl, smtpUrl] })
    const dnsPort = await dns.listen(portOf('dns'), host).catch((error: unknown) => {
      throw describeListenError(error, portOf('dns'), 'dns')
    })
    opened.push(dns)
    const dnsServer = `${host}:${dnsPort}`
    const dnsPageUrl = await open(dns.listener, 'dnsPage')
    origins.set('dns', dnsPageUrl)
    hosted.push({ system: dns, calls: calls.dns, addresses: [dnsPageUrl, dnsServer] })
    const control = await open(
      honoListener(
        controlApp({
          systems: hosted,
          identity,
          payments,
          dns: dns.zones,
          calendars: mail.calendars,
          webhooks,
          faults,
          changed: () => saved.changed(),
          reset,
        }),
      ),
      'control',
    )
    const identityUrl = origins.get('identity') ?? ''
    const issuer = ({ slug }: { slug: string }) => `${identityUrl}/application/o/${slug}/`
    return {
      controlUrl: control,
      identityUrl,
      mailUrl: origins.get('mail') ?? '',
      filesUrl: origins.get('files') ?? '',
      paymentsUrl: origins.get('payments') ?? '',
      viesUrl: origins.get('vies') ?? '',
      smtpUrl,
      smtpPageUrl,
      dnsServer,
      dnsPageUrl,
      issuers: {
        portal: issuer(demoClients.portal),
        operator: issuer(demoClients.operator),
        commandLine: issuer(commandLineClient),
      },
      async token(email, app, signedInAt) {
        const issued = await identity.issueToken(email, demoClients[app].slug, signedInAt)
        if ('reason' in issued) throw new Error(issued.reason)
        return issued.accessToken
      },
      fault: (input) => faults.add(FaultInput.parse(input)),
      clearFaults: () => faults.clear(),
      state: () => ({
        identity: { records: identity.state(), calls: calls.identity.list() },
        mail: { records: mail.state(), calls: calls.mail.list() },
        files: { records: files.state(), calls: calls.files.list() },
        payments: { records: payments.state(), calls: calls.payments.list() },
        vies: { records: vies.state(), calls: calls.vies.list() },
        smtp: { records: smtp.state(), calls: calls.smtp.list() },
        dns: { records: dns.state(), calls: calls.dns.list() },
      }),
      reset,
      identity,
      mail,
      files,
      payments,
      vies,
      smtp,
      dns,
      async close() {
        await closeAll()
        await saved.close()
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

function createLogs(): Readonly<Record<SystemName, CallLog>> {
  return {
    identity: createCallLog(),
    mail: createCallLog(),
    files: createCallLog(),
    payments: createCallLog(),
    vies: createCallLog(),
    smtp: createCallLog(),
    dns: createCallLog(),
  }
}
