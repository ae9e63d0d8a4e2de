import { demoServiceCredentials } from '@atrium/core/demo'
import { type CallLog, createCallLog } from '../src/call-log.ts'
import { createFaults, type Faults } from '../src/faults.ts'
import { createMail, type MailOptions, type MailSystem } from '../src/mail/system.ts'
import { guarded, listen } from '../src/serve.ts'

/** JSON as it came over the wire; a test says what it expects of it. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests check.
export type Wire = any

export interface MailServer extends AsyncDisposable {
  readonly url: string
  readonly mail: MailSystem
  readonly faults: Faults
  readonly calls: CallLog
  /** Moves the server's clock, which stands still otherwise. */
  advance(ms: number): void
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Sends method calls as the service account and answers `[name, result, callId]` of each. */
  jmap(...calls: readonly unknown[][]): Promise<readonly [string, Wire, string][]>
  /** One call as the service account: its result. */
  call(name: string, args: unknown): Promise<Wire>
  /** One call with other credentials. */
  callAs(authorization: string, name: string, args: unknown): Promise<Wire>
}

export const serviceKey = `Bearer ${demoServiceCredentials.mailApiKey}`
export const using = ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:principals', 'urn:ietf:params:jmap:quota', 'urn:stalwart:jmap']

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
  const send = async (authorization: string, methodCalls: readonly unknown[][]): Promise<readonly [string, Wire, string][]> => {
    const response = await fetch(`${url}/jmap`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ using, methodCalls }),
    })
    if (response.status !== 200) throw new Error(`POST /jmap answered ${response.status}: ${await response.text()}`)
    const answer: Wire = await response.json()
    return answer.methodResponses
  }
  const callAs = async (authorization: string, name: string, args: unknown): Promise<Wire> => {
    const [response] = await send(authorization, [[name, args, '0']])
    return response?.[1]
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
