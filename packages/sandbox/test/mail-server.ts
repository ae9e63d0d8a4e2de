import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { type CallLog, createCallLog } from '../src/call-log.ts'
import { createFaults, type Faults } from '../src/faults.ts'
import { createMail, type MailOptions, type MailSystem } from '../src/mail/system.ts'
import { guarded, listen } from '../src/serve.ts'

type ClientId =
  | 'd'
  | 'e'
  | 'f'
  | 'g'
  | 'k'
  | 'l'
  | 'm'
  | 'p'
  | 's'
  | 'a'
  | 'near'
  | 'far'
  | 'short'
  | 'member'
  | 'team'
  | 'good'
  | 'bad'

/**
 * An object as a get shows it: what the tests read of one. Only the properties of its type are
 * there.
 */
export interface Shown {
  readonly id: string
  readonly '@type': string
  readonly name: string
  readonly description: string
  readonly secret: string
  readonly publicKey: string
  readonly dnsZoneFile: string
  readonly recipients: unknown
  readonly aliases: Readonly<Record<string, unknown>>
  readonly credentials: unknown
  readonly memberGroupIds: unknown
  readonly permissions: Readonly<Record<string, unknown>>
}

/**
 * The answer of a method: what the tests read of one. A get has no `created`, an error only `type`
 * and `description`.
 */
export interface Result {
  readonly accountId: string
  readonly type: string
  readonly description: string
  readonly list: readonly Shown[]
  readonly notFound: readonly string[]
  readonly ids: readonly string[]
  readonly created: Readonly<Record<ClientId, { readonly id: string; readonly secret: string }>>
  readonly updated: unknown
  readonly destroyed: unknown
  readonly notCreated: Readonly<
    Record<ClientId, { readonly type: string; readonly description: string }>
  >
  readonly notUpdated: Readonly<Record<string, unknown>>
  readonly notDestroyed: Readonly<Record<string, unknown>>
}

export type Answered = readonly [name: string, result: Result, callId: string]

export interface MailServer extends AsyncDisposable {
  readonly url: string
  readonly mail: MailSystem
  readonly faults: Faults
  readonly calls: CallLog
  /** Moves the server's clock, which stands still otherwise. */
  advance(ms: number): void
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Sends method calls as the service account and answers `[name, result, callId]` of each. */
  jmap<const Calls extends readonly unknown[][]>(
    ...calls: Calls
  ): Promise<{ readonly [Index in keyof Calls]: Answered }>
  /** One call as the service account: its result. */
  call(name: string, args: unknown): Promise<Result>
  /** One call with other credentials. */
  callAs(authorization: string, name: string, args: unknown): Promise<Result>
}

export const serviceKey = `Bearer ${demoServiceCredentials.mailApiKey}`
export const using = [
  'urn:ietf:params:jmap:core',
  'urn:ietf:params:jmap:principals',
  'urn:ietf:params:jmap:quota',
  'urn:stalwart:jmap',
]

export function basic(user: string, secret: string): string {
  return `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`
}

/** A mail system on a free port with a clock of its own. */
export async function openMail(options: MailOptions = {}): Promise<MailServer> {
  let now = Date.UTC(2026, 7, 20, 10)
  const faults = createFaults()
  const calls = createCallLog()
  const mail = createMail(
    { faults, calls, now: () => now, changed: () => {}, origin: () => '', seed: 'demo' },
    { failedLoginDelayMs: [0, 0], workMs: 0, ...options },
  )
  const listening = await listen(guarded(mail, { faults, calls }), 0, '127.0.0.1', 'mail')
  const url = `http://127.0.0.1:${listening.port}`
  const send = async <const Calls extends readonly unknown[][]>(
    authorization: string,
    methodCalls: Calls,
  ): Promise<{ readonly [Index in keyof Calls]: Answered }> => {
    const response = await fetch(`${url}/jmap`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ using, methodCalls }),
    })
    if (response.status !== 200)
      throw new Error(`POST /jmap answered ${response.status}: ${await response.text()}`)
    // As many answers as calls, in their order: what the protocol promises.
    const answer = (await response.json()) as {
      methodResponses: { readonly [Index in keyof Calls]: Answered }
    }
    return answer.methodResponses
  }
  const callAs = async (authorization: string, name: string, args: unknown): Promise<Result> => {
    const [[, result]] = await send(authorization, [[name, args, '0']])
    return result
  }
  return {
    url,
    mail,
    faults,
    calls,
    advance(ms) {
      now += ms
    },
    fetch: (path, init) => fetch(`${url}${path}`, { redirect: 'manual', ...init }),
    jmap: (...methodCalls) => send(serviceKey, methodCalls),
    call: (name, args) => callAs(serviceKey, name, args),
    callAs,
    [Symbol.asyncDispose]: () => listening.close(),
  }
}
