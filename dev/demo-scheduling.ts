import { setTimeout as wait } from 'node:timers/promises'

/** The address of the local workplace; `control` is the sandbox's. */
export interface Workplace {
  api: string
  control: string
}

interface Member {
  id: string
  email: string
  mailboxAddress: string | null
}
interface Host {
  id: string
  userId: string
  credential: { present: boolean }
}

const tenant = '/tenants/acme'
const scheduling = '/api/v1/tenants/acme'
const readyWithinMs = 120_000
const people = [
  { email: 'owner@acme.test', title: 'Managing director', hostSlug: 'anna' },
  { email: 'admin@acme.test', title: 'Support engineer', hostSlug: 'adam' },
] as const

/**
 * Gives the demo tenant Acme two hosts with connected mailboxes, and event types to book: all
 * through the API, as people would. The texts of the booking page come last: when they are already
 * set, nothing is created, and an interrupted run is completed. Throws an error that says what
 * failed.
 */
export async function seedDemoScheduling(
  workplace: Workplace,
  signal?: AbortSignal,
): Promise<void> {
  const call = callerOf(workplace, await tokenOf(workplace, 'owner@acme.test', signal), signal)
  await untilActive(call)
  const { version } = await call<{ version: number }>('GET', `${scheduling}/booking-page`)
  if (version > 0) return
  const members = (await call<{ items: Member[] }>('GET', `${tenant}/users`)).items
  const hosts = (await call<{ items: Host[] }>('GET', `${scheduling}/hosts`)).items
  const [anna, adam] = [
    await connectedHost(call, people[0], members, hosts),
    await connectedHost(call, people[1], members, hosts),
  ]
  await makeEventTypes(call, anna, adam)
  const words = {
    headline: 'Talk to Acme',
    intro: 'Choose who you would like to meet, and when. You need no account.',
  }
  await call('PATCH', `${scheduling}/booking-page`, { version, ...words })
}

type Call = <Result>(method: string, path: string, body?: object) => Promise<Result>

async function connectedHost(
  call: Call,
  person: (typeof people)[number],
  members: readonly Member[],
  hosts: readonly Host[],
): Promise<string> {
  const member = members.find(({ email }) => email === person.email)
  if (!member) throw new Error(`Acme has no member ${person.email}`)
  if (member.mailboxAddress === null)
    await call('POST', `${tenant}/users/${member.id}/mailbox`, { address: person.hostSlug })
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const { title, hostSlug } = person
  const host =
    hosts.find(({ userId }) => userId === member.id) ??
    (await call<Host>('POST', `${scheduling}/hosts`, { userId: member.id, zone, title, hostSlug }))
  if (!host.credential.present)
    await call('PUT', `${scheduling}/hosts/${host.id}/mail-credential`, { mode: 'mint' })
  return host.id
}

async function makeEventTypes(call: Call, anna: string, adam: string): Promise<void> {
  const { items } = await call<{ items: { slug: string }[] }>('GET', `${scheduling}/event-types`)
  const make = async (body: { eventSlug: string } & Record<string, unknown>) => {
    if (!items.some(({ slug }) => slug === body.eventSlug))
      await call('POST', `${scheduling}/event-types`, body)
  }
  await make({
    hostId: anna,
    title: 'Introduction call',
    eventSlug: 'introduction',
    durations: [30, 60],
    noticeMinutes: 60,
    afterMinutes: 10,
    locationKind: 'video',
    location: 'https://meet.example/acme-introduction',
    description: 'We get to know each other, and you tell us what you need.',
    fields: [
      {
        key: 'topic',
        label: 'What would you like to talk about?',
        kind: 'long_text',
        required: false,
      },
    ],
  })
  await make({
    hostId: anna,
    title: 'Workshop',
    eventSlug: 'workshop',
    durations: [120],
    noticeMinutes: 1_440,
    seats: 6,
    requiresConfirmation: true,
    locationKind: 'in_person',
    location: 'Acme Engineering, Factory Lane 1',
    description: 'Two hours around one table, with up to six people.',
  })
  await make({
    hostId: adam,
    title: 'Support',
    eventSlug: 'support',
    durations: [30],
    assignment: 'round_robin',
    hostIds: [anna, adam],
    locationKind: 'visitor_phone',
    noticeMinutes: 30,
    description: 'Whoever of us is free calls you.',
    fields: [{ key: 'phone', label: 'Your phone number', kind: 'phone', required: true }],
  })
}

/** A new workplace sets its demo tenants up after it has started. */
async function untilActive(call: Call): Promise<void> {
  const giveUpAt = performance.now() + readyWithinMs
  for (;;) {
    const { status } = await call<{ status: string }>('GET', tenant)
    if (status === 'active') return
    if (performance.now() > giveUpAt) throw new Error(`Acme is still ${status}`)
    await wait(500)
  }
}

async function tokenOf(
  { control }: Workplace,
  email: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const response = await fetch(`${control}/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, app: 'portal' }),
    signal: signal ?? null,
  })
  if (!response.ok) throw new Error(`the sandbox gave no token: ${response.status}`)
  return ((await response.json()) as { accessToken: string }).accessToken
}

function callerOf({ api }: Workplace, token: string, signal: AbortSignal | undefined): Call {
  return async (method, path, body) => {
    const response = await fetch(`${api}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: signal ?? null,
    })
    const text = await response.text()
    const parsed = text === '' ? undefined : JSON.parse(text)
    if (!response.ok)
      throw new Error(
        `${method} ${path} answered ${response.status}: ${parsed?.detail ?? ''} ${JSON.stringify(parsed?.issues ?? [])}`,
      )
    return parsed
  }
}
