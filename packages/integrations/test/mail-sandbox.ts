import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { type Sandbox, type StartOptions, startSandbox } from '@atrium/sandbox/start'
import type { HttpClientOptions } from '../src/http-client.ts'
import type { MailServer } from '../src/mail/port.ts'
import { stalwart } from '../src/mail/stalwart.ts'

export interface MailSandbox {
  readonly sandbox: Sandbox
  /** A client of the platform; with another key when one is given. */
  client(apiKey?: string, options?: Partial<HttpClientOptions>): MailServer
  /** The result of one management call past our client, as an administrator would make it. */
  call(name: string, args: object): Promise<JmapResult>
  /** The status that a mailbox's own sign-in is answered with. */
  signIn(address: string, password: string): Promise<number>
  /** The names of the management calls since the last reset. */
  calls(): string[]
}

/** What the tests read of a result. */
export interface JmapResult {
  ids: string[]
  list: { id: string; [property: string]: unknown }[]
  created: Record<string, { id: string; secret?: string }>
  updated: Record<string, unknown>
  notUpdated: Record<string, { type: string }>
}

export async function openMailSandbox(options: StartOptions['mail'] = {}): Promise<MailSandbox> {
  const sandbox = await startSandbox({
    mail: { failedLoginDelayMs: [0, 0], workMs: 0, ...options },
  })
  return {
    sandbox,
    client: (apiKey = demoServiceCredentials.mailApiKey, more = {}) =>
      stalwart({ baseUrl: sandbox.mailUrl, apiKey, backoffMs: { initial: 1, max: 5 }, ...more }),
    async call(name, args) {
      const response = await fetch(`${sandbox.mailUrl}/jmap`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${demoServiceCredentials.mailApiKey}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          using: ['urn:ietf:params:jmap:core', 'urn:stalwart:jmap'],
          methodCalls: [[name, args, '0']],
        }),
      })
      const { methodResponses } = (await response.json()) as {
        methodResponses: [string, JmapResult, string][]
      }
      const result = methodResponses[0]?.[1]
      if (!result) throw new Error(`${name} was not answered`)
      return result
    },
    async signIn(address, password) {
      const authorization = `Basic ${Buffer.from(`${address}:${password}`).toString('base64')}`
      const response = await fetch(`${sandbox.mailUrl}/jmap/session`, {
        headers: { authorization },
      })
      await response.body?.cancel()
      return response.status
    },
    calls: () => sandbox.state().mail.calls.flatMap((one) => one.operations ?? []),
  }
}
