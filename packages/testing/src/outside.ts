import { setImmediate } from 'node:timers/promises'
import type { Config } from '@atrium/api/platform/config'
import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { stalwartCalendars } from '@atrium/integrations/calendars/stalwart'
import type { Integrations } from '@atrium/integrations/connect'
import { opencloud } from '@atrium/integrations/files/opencloud'
import { authentik } from '@atrium/integrations/identity/authentik'
import { stalwart } from '@atrium/integrations/mail/stalwart'
import type { TestApp } from './test-app.ts'

/**
 * The real clients without a circuit, so that one test's faults do not reach into the next, and
 * with quick second tries.
 */
export function clientsWithDeadline(deadlineMs: number) {
  return (integrations: Integrations, config: Config): Integrations => {
    const policy = {
      deadlineMs,
      retries: 1,
      backoffMs: { initial: 5, max: 10 },
      circuit: { failures: 10_000, openMs: 1 },
    }
    return {
      ...integrations,
      identity: config.identity && authentik({ ...config.identity, ...policy }),
      mail: config.mail && stalwart({ ...config.mail, ...policy }),
      calendars: config.mail && stalwartCalendars({ baseUrl: config.mail.baseUrl, ...policy }),
      files: config.files && opencloud({ ...config.files, ...policy }),
    }
  }
}

/** How the mail server can fail a call. */
export const mailFaults = [
  { mode: 'timeout' },
  { mode: 'error', status: 503 },
  { mode: 'error', status: 403 },
  { mode: 'reset' },
  { mode: 'garbage' },
  { mode: 'shape' },
] as const

/**
 * What no sentence about a failure may hold: our credentials for the upstream systems, their
 * addresses, a driver's words.
 */
export const upstreamText: readonly string[] = [
  ...Object.values(demoServiceCredentials).filter((value) => value !== 'atrium'),
  'localhost',
  '127.0.0.1',
  'http',
  'ECONN',
]

interface Group {
  pk: string
  name: string
  attributes: Record<string, unknown>
}
interface User {
  pk: number
  uid: string
  email: string
  groups: string[]
  is_active: boolean
}
interface Drive {
  id: string
  driveAlias: string
  total: number
  trashed: boolean
}

export function identityRecords(testApp: TestApp) {
  return testApp.sandbox.state().identity.records as {
    groups: Group[]
    users: User[]
    artifacts: { model: string; accountId?: string }[]
  }
}

/**
 * What the upstream systems hold for a tenant. More than one of anything is a fault of
 * provisioning.
 */
export function outsideObjects(
  testApp: TestApp,
  slug: string,
  domains: readonly string[] = [`${slug}.tenants.local`],
) {
  const { groups, users } = identityRecords(testApp)
  const named = groups.filter((group) => group.name === slug)
  const mail = testApp.sandbox.state().mail.records as { Domain: { name: string }[] } & Record<
    string,
    { name: string }[]
  >
  const allDomains = Object.entries(mail).flatMap(([name, rows]) =>
    /domain$/i.test(name) ? rows : [],
  )
  const files = testApp.sandbox.state().files.records as { drives: Drive[] }
  const spaces = files.drives.filter((drive) => drive.driveAlias === `project/${slug}`)
  return {
    groups: named.length,
    members: users
      .filter((user) => named.some((group) => user.groups.includes(group.pk)))
      .map((user) => user.email),
    domains: allDomains.map(({ name }) => name).filter((name) => domains.includes(name)),
    spaces: spaces.length,
    quota: spaces[0]?.total,
  }
}

/** The names under which the mail server has domains whose ownership was not shown. */
export async function waitingNames(
  testApp: TestApp,
  domains: readonly string[],
): Promise<string[]> {
  const rows = await testApp.database.db
    .selectFrom('domains')
    .select('ownership_token')
    .where('name', 'in', [...domains])
    .execute()
  return rows.map((row) => `unproven-${row.ownership_token}.tenants.local`)
}

/** A call to the identity provider's REST API, as an administrator's. */
export async function identityApi(testApp: TestApp, method: string, path: string, body?: object) {
  // A connection that the server has closed is noticed before it is used again.
  await setImmediate()
  const response = await fetch(`${testApp.sandbox.identityUrl}/api/v3${path}`, {
    method,
    headers: {
      authorization: `Bearer ${demoServiceCredentials.identityToken}`,
      'content-type': 'application/json',
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}
