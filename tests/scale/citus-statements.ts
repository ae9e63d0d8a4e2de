import { restRoutes } from '@atrium/api/http/rest'
import { restRequest } from '@atrium/testing/calls'
import { carriedOut } from '@atrium/testing/carried-out'
import { openLocations, type Places } from '@atrium/testing/matrix/world'
import { startReplicated } from '@atrium/testing/postgres/replicated'
import type { TestResponse } from '@atrium/testing/test-app'
import pg from 'pg'

interface Statement {
  text: string
  values: unknown[]
}

export interface PlannedStatements {
  /** Procedures with a call that is carried out. */
  procedures: number
  /** Procedures of which the engine plans every statement. */
  whole: number
  statements: number
  planned: number
  /** How many statements each reason of the engine rejects, most first. */
  rejected: [reason: string, statements: number][]
}

/**
 * Carries out the calls of every procedure once on an ordinary server and has Citus plan each
 * distinct statement that they send. Nothing is executed there. `citus`: the distributed schema.
 */
export async function planStatements(citus: pg.Client): Promise<PlannedStatements> {
  const sent = await recordCalls()
  const reasons = new Map<string, string | undefined>()
  for (const statements of sent.values())
    for (const statement of statements)
      if (!reasons.has(statement.text))
        reasons.set(statement.text, await rejection(citus, statement))
  const rejected = new Map<string, number>()
  for (const reason of reasons.values())
    if (reason !== undefined) rejected.set(reason, (rejected.get(reason) ?? 0) + 1)
  const isPlanned = ({ text }: Statement) => reasons.get(text) === undefined
  return {
    procedures: sent.size,
    whole: [...sent.values()].filter((statements) => statements.every(isPlanned)).length,
    statements: reasons.size,
    planned: [...reasons.values()].filter((reason) => reason === undefined).length,
    rejected: [...rejected].sort(([, one], [, other]) => other - one),
  }
}

/** What each procedure sends, by its name. */
async function recordCalls(): Promise<Map<string, Statement[]>> {
  await using database = await startReplicated()
  using prepared = watchPrepared()
  await using places = await openLocations({ accounts: database.accounts })
  const sent = new Map<string, Statement[]>()
  for (const { name, type } of restRoutes()) {
    // A stream does not end.
    if (type === 'subscription') continue
    const statements: Statement[] = []
    for (const call of carriedOut(name)) {
      const place = await places.build(call.caller)
      const ready = await call.prepare(place).catch(() => undefined)
      if (!ready) continue
      prepared.bound.length = 0
      statements.push(...(await recorded(() => sendCall(places, name, ready))), ...prepared.bound)
    }
    if (statements.length > 0) sent.set(name, statements)
  }
  return sent
}

/** A prepared call of the procedure, over REST. */
export function sendCall(
  { testApp }: Places,
  name: string,
  { input, token }: { input: Record<string, unknown>; token: string | undefined },
): Promise<TestResponse> {
  const { method, path, body } = restRequest(name, input)
  return testApp.request(method, path, { token, ...(body ? { body } : {}) })
}

/** pg's connection, as far as `@types/pg` does not describe it. */
interface Wire {
  parse(message: { name?: string; text: string }): void
  bind(message: { statement?: string; values?: unknown[] }): void
}

/** Collects the statements that are prepared by name, with the values of each run. */
function watchPrepared(): { bound: Statement[] } & Disposable {
  const wire = pg.Connection.prototype as unknown as Wire
  const { parse, bind } = wire
  const texts = new Map<string, string>()
  const bound: Statement[] = []
  wire.parse = function watched(message) {
    if (message.name) texts.set(message.name, message.text)
    Reflect.apply(parse, this, [message])
  }
  wire.bind = function watched(message) {
    const text = message.statement && texts.get(message.statement)
    if (text) bound.push({ text, values: message.values ?? [] })
    Reflect.apply(bind, this, [message])
  }
  return {
    bound,
    [Symbol.dispose]() {
      Object.assign(wire, { parse, bind })
    },
  }
}

/** The statements on rows that all connections of the process send while `work` runs. */
async function recorded(work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function record(this: pg.Client, ...args: unknown[]) {
    const [first, second] = args
    const { text, values } =
      typeof first === 'string'
        ? { text: first, values: second }
        : (first as { text?: string; values?: unknown })
    if (text !== undefined && /^\s*(select|insert|update|delete|with)\b/i.test(text))
      statements.push({ text, values: Array.isArray(values) ? values : [] })
    return Reflect.apply(query, this, args)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return statements
}

/** The engine's reason for not planning the statement, without names; undefined when it does. */
async function rejection(
  citus: pg.Client,
  { text, values }: Statement,
): Promise<string | undefined> {
  try {
    await citus.query(`explain ${text}`, values)
    return undefined
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return message.replaceAll(/"[^"]*"/g, '…').split('\n', 1)[0]
  }
}
