import { getRequestListener } from '@hono/node-server'
import { z } from 'zod'
import type { SandboxSystem, SystemContext } from '../system.ts'
import { createMailApp, type HttpSettings } from './app.ts'
import { accountByAddress } from './authentication.ts'
import { type PeopleCalendars, peopleCalendars } from './calendars/people.ts'
import { createCalendarStore } from './calendars/store.ts'
import { methodNames } from './dispatcher.ts'
import { findDomain } from './domains.ts'
import { createInstallation, type Login } from './installation.ts'
import { type JsonObject, textOf } from './json.ts'
import { faultResponse } from './problems.ts'
import { indexKeys, registry } from './registry.ts'
import type { MailSettings, MailWorld } from './registry-type.ts'
import { seedInstallation, seedMail } from './seed.ts'
import { createMailStore, objectNames } from './store.ts'
import { zoneText } from './zone.ts'

const Saved = z.object({ registry: z.unknown(), calendars: z.unknown() })

export interface MailOptions extends Partial<MailSettings>, Partial<HttpSettings> {
  /** The domain that the first start creates. */
  readonly defaultDomain?: string
  /**
   * The recovery administrator of a new server: it starts in bootstrap mode and holds nothing.
   */
  readonly recoveryAdmin?: Login
}

export interface MailSystem extends SandboxSystem {
  readonly name: 'mail'
  /** Fills a mailbox, as mail that arrives would. False when there is no such address. */
  setUsedDiskQuota(address: string, bytes: number): boolean
  /** Starts again: what the bootstrap said takes effect. */
  restart(): void
  /** What people do in their calendars with a mail client. */
  readonly calendars: PeopleCalendars
  /** Names of its domains. */
  domainNames(): readonly string[]
  /** The zone text that `dnsZoneFile` holds; undefined for a domain that is not there. */
  zone(domain: string): string | undefined
}

/**
 * The stand-in for Stalwart 0.16.18: JMAP management of domains, DKIM signatures, accounts, groups,
 * mailing lists, API keys and app passwords, calendars with their events, with the service account
 * whose key is in `@atrium/core/demo/demo`.
 */
export function createMail(context: SystemContext, options: MailOptions = {}): MailSystem {
  const defaultDomain = options.defaultDomain ?? 'atrium.test'
  const world: MailWorld = {
    installation: createInstallation(options.recoveryAdmin),
    store: createMailStore({ indexKeys, now: context.now, changed: context.changed }),
    calendars: createCalendarStore(context.changed),
    now: context.now,
    settings: {
      dkimDelayMs: options.dkimDelayMs ?? 300,
      hostname: options.hostname ?? `mail.${defaultDomain}`,
      grantRule: options.grantRule ?? true,
      searchLagMs: options.searchLagMs ?? 300,
    },
  }
  const app = createMailApp(world, {
    failedLoginDelayMs: options.failedLoginDelayMs ?? [50, 500],
    workMs: options.workMs ?? 2,
    requestLimit: options.requestLimit,
  })
  const seed = () => {
    world.installation = createInstallation(options.recoveryAdmin)
    if (!options.recoveryAdmin) seedMail(world, defaultDomain)
  }
  seed()

  return {
    name: 'mail',
    listener: getRequestListener(
      (request, env) =>
        app.fetch(request, {
          remoteAddress: 'incoming' in env ? env.incoming.socket.remoteAddress : undefined,
        }),
      { overrideGlobalObjects: false },
    ),
    state: () => ({
      settings: world.installation.settings,
      certificates: [...world.installation.certificates.values()],
      ...Object.fromEntries(objectNames.map((name) => [name, views(world, name)])),
      calendars: world.calendars.save(),
    }),
    save: () => ({ registry: world.store.save(), calendars: world.calendars.save() }),
    load(saved) {
      const { registry: records, calendars } = Saved.parse(saved)
      world.store.load(records)
      world.calendars.load(calendars)
    },
    reset() {
      world.store.clear()
      world.calendars.clear()
      seed()
    },
    operations: ({ method, path, body }) =>
      method === 'POST' && path.replace(/\/$/, '') === '/jmap'
        ? methodNames(body.toString('utf8'))
        : [],
    errorResponse: faultResponse,
    restart() {
      const { installation } = world
      if (installation.mode !== 'written') return
      world.installation = { ...installation, mode: 'running' }
      seedInstallation(world, installation)
    },
    calendars: peopleCalendars(world),
    domainNames: () => world.store.list('Domain').map(([, record]) => textOf(record, 'name')),
    zone(domain) {
      const domainId = findDomain(world, domain)
      const record = domainId === undefined ? undefined : world.store.get('Domain', domainId)
      return domainId !== undefined && record ? zoneText(world, domainId, record) : undefined
    },
    setUsedDiskQuota(address, bytes) {
      const accountId = accountByAddress(world, address)
      if (accountId === undefined) return false
      world.store.usedDiskQuota.set(accountId, bytes)
      context.changed()
      return true
    },
  }
}

function views(world: MailWorld, name: (typeof objectNames)[number]): readonly JsonObject[] {
  return world.store.list(name).map(([id, record]) => ({
    id,
    ...registry[name].view(world, id, record, (property) => property !== 'dnsZoneFile'),
  }))
}
