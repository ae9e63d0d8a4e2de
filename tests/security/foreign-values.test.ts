import { randomBytes } from 'node:crypto'
import { drainOutbox } from '@atrium/api/outbox/drain'
import { demoClients } from '@atrium/core/demo/demo'
import { overTrpc, restRequest, routeOf } from '@atrium/testing/calls'
import type { Schema } from '@atrium/testing/json-schema'
import { caughtMails } from '@atrium/testing/mails'
import { matrix } from '@atrium/testing/matrix/all'
import type { World } from '@atrium/testing/matrix/rows'
import { openLocations } from '@atrium/testing/matrix/world'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { valuesOf } from './document-arbitraries.ts'
import { markEverything } from './marked-values.ts'

const places = await openLocations({ mailer: true })
const { testApp, issuer } = places
const { db } = testApp.database
afterAll(() => places[Symbol.asyncDispose]())

const mark = () => `mark${randomBytes(6).toString('hex')}`
type Input = Record<string, unknown>

async function hostsOf({ tenantId }: World): Promise<number> {
  const { rows } = await sql<{
    count: number
  }>`select count(*)::int as count from hosts where tenant_id = ${tenantId}`.execute(db)
  return rows[0]?.count ?? 0
}

async function newColleague(tenantId: string): Promise<string> {
  const subject = randomBytes(32).toString('hex')
  const { id } = await db
    .insertInto('users')
    .values({
      idp_subject_id: subject,
      email: `${subject.slice(0, 20)}@example.test`,
      name: 'Person',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('memberships')
    .values({ tenant_id: tenantId, user_id: id, role: 'member', status: 'active' })
    .execute()
  return id
}

/**
 * One of everything that calls of the matrix need, in this world, each with a colleague of its own
 * where it needs one.
 */
async function furnish(world: World): Promise<Map<string, Input[]>> {
  const inputs = new Map<string, Input[]>()
  let colleague = await newColleague(world.tenantId)
  for (const [name, rows] of Object.entries(matrix)) {
    for (const row of rows) {
      const before = await hostsOf(world)
      // Some set up for the second time what a tenant has once.
      const input = await Promise.resolve(
        row.input({ ...world, colleague, self: undefined }),
      ).catch(() => undefined)
      if (input) inputs.set(name, [...(inputs.get(name) ?? []), input])
      if ((await hostsOf(world)) === before) continue
      // Makes room for the next: hosts are one to a person and named alike.
      await sql`update hosts set slug = 'h' || left(md5(id::text), 12) where tenant_id = ${world.tenantId} and slug = 'host'`.execute(
        db,
      )
      colleague = await newColleague(world.tenantId)
    }
  }
  await db
    .insertInto('invoices')
    .values({
      tenant_id: world.tenantId,
      stripe_invoice_id: `in_${mark()}`,
      number: `A-${mark()}`,
      status: 'open',
      currency: 'eur',
      subtotal: 8_000,
      total: 8_000,
      total_excluding_tax: 8_000,
      amount_due: 8_000,
      amount_paid: 0,
      amount_remaining: 8_000,
      created_at: new Date(),
    })
    .execute()
  return inputs
}

const ours = await places.build('owner')
// Another customer of the same partner, and others of other partners.
const neighbours = [await places.build('owner'), await places.elsewhere(), await places.elsewhere()]
const ownInputs = await furnish(ours)
const foreignInputs: Map<string, Input[]>[] = []
const foreignMarks: string[] = []
const marked = new Set<string>()
for (const world of neighbours) {
  foreignInputs.push(await furnish(world))
  const [ofTenant, ofPartner] = [mark(), mark()]
  const tenantColumns = await markEverything(db, 'tenants', world.tenantId, ofTenant)
  // The partner of our own tenant is no stranger to it: what it shows its customers is theirs to
  // see.
  const partnerColumns =
    world.partnerId === ours.partnerId
      ? { marked: [] }
      : await markEverything(db, 'partners', world.partnerId, ofPartner)
  foreignMarks.push(ofTenant, ofPartner)
  for (const column of [...tenantColumns.marked, ...partnerColumns.marked]) marked.add(column)
}

async function tokenOf(userId: string, aud: string = demoClients.portal.clientId): Promise<string> {
  const { idp_subject_id } = await db
    .selectFrom('users')
    .select('idp_subject_id')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  // In full the questions take longer than an ordinary token lives.
  return issuer.sign({
    sub: idp_subject_id,
    aud,
    groups: undefined,
    exp: Math.floor(Date.now() / 1000) + 72_000,
  })
}

const admin = await places.build('owner')
await db
  .insertInto('memberships')
  .values({ tenant_id: ours.tenantId, user_id: ours.other, role: 'admin', status: 'active' })
  .execute()
const people = {
  owner: await tokenOf(ours.self ?? ''),
  admin: await tokenOf(ours.other),
  member: await tokenOf(ours.colleague),
  outsider: await tokenOf(admin.self ?? ''),
}
const operatorToken = (await places.build('operator')).token

/**
 * What happens at the neighbours through the service itself: audit entries, mails, jobs, all with
 * their marks.
 */
async function neighboursAct(): Promise<void> {
  for (const [at, { slug }] of neighbours.entries()) {
    const text = foreignMarks[at * 2] ?? ''
    const act = (method: string, path: string, body: object) =>
      testApp.request(method, `/tenants/${slug}${path}`, { token: operatorToken, body })
    await act('PATCH', '', { name: `Name ${text}` })
    await act('PATCH', '/billing-info', {
      company: `Company ${text}`,
      email: `billing-${text}@example.test`,
    })
    await act('PUT', '/branding', { productName: text })
    await act('POST', '/users', { email: `new-${text}@example.test`, name: `Person ${text}` })
    await act('POST', '/domains', { domain: `${text}.test` })
    for (const { bookingId } of foreignInputs[at]?.get('scheduling.bookings.cancel') ?? []) {
      await testApp.request('POST', `/api/v1/tenants/${slug}/bookings/${bookingId}/cancel`, {
        token: operatorToken,
        body: { reason: text },
      })
    }
  }
}

const leaks: string[] = []
const counts = { requests: 0, answered: 0, kinds: new Set<string>(), bytes: 0 }

function search(text: string, where: string): void {
  counts.bytes += text.length
  for (const one of foreignMarks)
    if (text.includes(one))
      leaks.push(
        `${where}: ${text.slice(Math.max(0, text.indexOf(one) - 100), text.indexOf(one) + 40)}`,
      )
}

const document = (await testApp.request('GET', '/openapi.json')).body as {
  paths: Record<
    string,
    Record<string, { parameters?: { name: string; in: string; schema: Schema }[] }>
  >
}
// Visitors' pages are public; the address names their owner.
const reads = Object.keys(matrix).filter(
  (name) => routeOf(name).type !== 'mutation' && !name.startsWith('scheduling.pages.'),
)

/** Questions that go through anything that is there: words, pages, filters, exports. */
const questions: Record<string, fc.Arbitrary<Input>> = Object.fromEntries(
  reads.map((name) => {
    const { method, path } = routeOf(name)
    const parameters =
      document.paths[path]?.[method.toLowerCase()]?.parameters?.filter(
        (one) => one.in === 'query',
      ) ?? []
    const words = fc.constantFrom('mark', 'm', '@', '%', 'example', 'Person', '')
    const fields = parameters.map((one): [string, fc.Arbitrary<unknown>] => [
      one.name,
      one.name === 'q' ? words : valuesOf(one.schema),
    ])
    return [name, fc.record(Object.fromEntries(fields), { requiredKeys: [] })]
  }),
)

interface Question {
  name: string
  who: keyof typeof people
  wire: 'REST' | 'tRPC'
  about: 'own' | 'foreign id under the own name' | 'foreign'
  which: number
  input: Input
}
const drawn: fc.Arbitrary<Question> = fc.constantFrom(...reads).chain((name) =>
  fc.record({
    name: fc.constant(name),
    who: fc.constantFrom(...(Object.keys(people) as (keyof typeof people)[])),
    wire: fc.constantFrom('REST', 'REST', 'tRPC'),
    about: fc.constantFrom('own', 'own', 'own', 'foreign id under the own name', 'foreign'),
    which: fc.nat(),
    input: questions[name] ?? fc.constant({}),
  }),
)

function inputOf({ name, about, which, input }: Question): Input {
  const foreign = foreignInputs[which % foreignInputs.length]?.get(name)
  const given = (about === 'own'
    ? ownInputs
    : (foreignInputs[which % foreignInputs.length] ?? ownInputs)
  ).get(name) ??
    foreign ?? [{}]
  const base = given[which % given.length] ?? {}
  const named =
    about === 'foreign id under the own name' && base.slug !== undefined
      ? { ...base, slug: ours.slug }
      : base
  return { ...input, ...named }
}

async function ask(question: Question): Promise<void> {
  const { name, who, wire } = question
  const input = inputOf(question)
  const token = people[who]
  counts.requests++
  if (counts.requests % 20 === 0) await db.deleteFrom('rate_limits').execute()
  const where = `${who} at ${name} over ${wire} (${question.about})`
  if (wire === 'tRPC' && routeOf(name).type === 'query') {
    const { status, body, headers } = await overTrpc(testApp, name, input, token)
    if (status < 300) counts.answered++
    return search(`${JSON.stringify([...headers])} ${JSON.stringify(body)}`, where)
  }
  const { method, path, body } = restRequest(name, input)
  const leave = new AbortController()
  const response = await testApp.app.fetch(
    new Request(`http://api.test${path}`, {
      method,
      signal: leave.signal,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(question.which % 5 === 0 && { accept: 'text/csv' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    }),
    {},
  )
  if (response.ok) counts.answered++
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? ''
  counts.kinds.add(type)
  search(`${JSON.stringify([...response.headers])} ${await textOf(response, type, leave)}`, where)
}

/** Of a stream that goes on, what has come so far. */
async function textOf(response: Response, type: string, leave: AbortController): Promise<string> {
  if (type !== 'text/event-stream') return response.text()
  const reader = response.body?.getReader()
  const first = await reader?.read()
  leave.abort()
  await reader?.cancel().catch(() => {})
  return first?.value ? new TextDecoder().decode(first.value) : ''
}

const recipientsOf = (mail: string) =>
  (JSON.parse(mail) as { envelope: { to: string[] } }).envelope.to
const isMarked = (text: string) => foreignMarks.some((one) => text.includes(one))

/** Every mail that reached the mail server so far, oldest first, as text. */
async function sentMails(): Promise<string[]> {
  await drainOutbox(testApp.app.services)
  return caughtMails(testApp).map((mail) => JSON.stringify(mail))
}

it('nothing of anybody else is in any answer, export, header, mail or log line', async () => {
  await neighboursAct()
  // The neighbours' own mails bear their marks, which shows that mails are looked into.
  const mailsOfNeighbours = await sentMails()
  const linesBefore = testApp.logLines.length
  const requested = rounds(600, 10_000)
  await fc.assert(fc.asyncProperty(drawn, ask), { numRuns: requested })
  // What the people of the tenant do sends mails too: those must be of their own alone.
  for (const [name, inputs] of ownInputs) {
    if (
      routeOf(name).type !== 'mutation' ||
      !/^(members|lists|branding|billingInfo|domains|scheduling\.bookings)\./.test(name)
    )
      continue
    const { method, path, body } = restRequest(name, inputs[0] ?? {})
    const answer = await testApp.request(method, path, {
      token: people.owner,
      ...(body && { body }),
    })
    counts.requests++
    search(
      `${JSON.stringify([...answer.headers])} ${JSON.stringify(answer.body)}`,
      `owner at ${name}`,
    )
  }
  const sentByUs = (await sentMails()).slice(mailsOfNeighbours.length)
  for (const line of testApp.logLines.slice(linesBefore)) search(line, 'a log line')
  // Mails of the neighbours that had to be tried again go to addresses with their marks.
  for (const mail of sentByUs) if (!recipientsOf(mail).some(isMarked)) search(mail, 'a mail')
  await recordMeasurement({
    target: 'S2',
    what: 'marks of neighbours in all that the people of a tenant and a stranger get',
    measured: `${marked.size} columns marked at ${neighbours.length} neighbours; ${counts.requests} requests to ${reads.length} reading calls, ${counts.answered} answered, ${counts.kinds.size} types of answers, ${Math.round(counts.bytes / 1_000_000)} MB searched with ${testApp.logLines.length - linesBefore} log lines and ${sentByUs.length} mails: ${leaks.length} foreign marks`,
    reached: leaks.length === 0 && counts.requests >= requested && marked.size >= 60,
  })
  expect(leaks).toEqual([])
  expect(marked.size).toBeGreaterThanOrEqual(60)
  expect(counts.answered).toBeGreaterThan(counts.requests / 10)
  expect(mailsOfNeighbours.some((mail) => foreignMarks.some((one) => mail.includes(one)))).toBe(
    true,
  )
  expect(sentByUs.length).toBeGreaterThan(0)
})

it('the search finds what there is to find: an operator, who may see all, gets the marks', async () => {
  const { body } = await testApp.request('GET', `/tenants/${neighbours[0]?.slug}`, {
    token: operatorToken,
  })
  expect(JSON.stringify(body)).toContain(foreignMarks[0])
  const users = await testApp.request('GET', '/users?limit=100', { token: operatorToken })
  expect(foreignMarks.some((one) => JSON.stringify(users.body).includes(one))).toBe(true)
})
