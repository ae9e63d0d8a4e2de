import type { CallOptions } from '../src/call-options.ts'
import { opencloud } from '../src/files/opencloud.ts'
import type { HttpClientOptions } from '../src/http-client.ts'
import { authentik } from '../src/identity/authentik.ts'
import { stalwart } from '../src/mail/stalwart.ts'
import type { UpstreamSystem } from '../src/upstream-error.ts'

export const credentialCanary = 'TOKEN-CANARY-93ad'

export interface ClientUnderTest {
  system: UpstreamSystem
  /** One read of one repeatable request, expecting an array or object of a certain shape. */
  read: (options: HttpClientOptions, callOptions?: CallOptions) => Promise<unknown>
}

/** The three HTTP clients, each with one call that sends a single repeatable request. */
export const clients: ClientUnderTest[] = [
  {
    system: 'identity',
    read: (options, callOptions) =>
      authentik({ ...options, token: credentialCanary }).findGroup('acme', callOptions),
  },
  {
    system: 'mail',
    read: (options, callOptions) =>
      stalwart({ ...options, apiKey: credentialCanary }).findDomain('acme.example', callOptions),
  },
  {
    system: 'files',
    read: (options, callOptions) =>
      opencloud({ ...options, user: 'atrium', appToken: credentialCanary }).check(callOptions),
  },
]
