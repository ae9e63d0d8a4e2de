import type { JsonObject } from './json.ts'
import { limits } from './limits.ts'

export const capabilities = {
  core: 'urn:ietf:params:jmap:core',
  calendars: 'urn:ietf:params:jmap:calendars',
  principals: 'urn:ietf:params:jmap:principals',
  quota: 'urn:ietf:params:jmap:quota',
  /** In no session's `capabilities`, only in `accountCapabilities` and `primaryAccounts`. */
  stalwart: 'urn:stalwart:jmap',
} as const

/** The `capabilities` of the session resource. `host` is the public host name. */
export function serverCapabilities(host: string): JsonObject {
  return {
    [capabilities.core]: {
      ...limits,
      collationAlgorithms: ['i;ascii-numeric', 'i;ascii-casemap', 'i;unicode-casemap'],
    },
    'urn:ietf:params:jmap:mail': {},
    'urn:ietf:params:jmap:submission': {},
    'urn:ietf:params:jmap:vacationresponse': {},
    [capabilities.calendars]: {},
    'urn:ietf:params:jmap:calendars:parse': {},
    'urn:ietf:params:jmap:contacts': {},
    'urn:ietf:params:jmap:contacts:parse': {},
    [capabilities.principals]: {},
    'urn:ietf:params:jmap:principals:availability': {},
    [capabilities.quota]: {},
    'urn:ietf:params:jmap:blob': {},
    'urn:ietf:params:jmap:filenode': {},
    'urn:ietf:params:jmap:emailpush': {},
    'urn:ietf:params:jmap:sieve': { implementation: 'Stalwart v1.0.0' },
    'urn:ietf:params:jmap:webpush-vapid': {
      applicationServerKey:
        'BEl62iUYgUivxIkv69yViEuiBIa-Ib9-SkvMeAtA3LFgDzkrxZJjSgSnfckjBJuBkr3qBUYIHBQFLXYp5Nksh8U',
    },
    'urn:ietf:params:jmap:websocket': { url: `wss://${host}/jmap/ws`, supportsPush: true },
  }
}

const known = new Set([
  ...Object.keys(serverCapabilities('')),
  capabilities.stalwart,
  'urn:ietf:params:jmap:principals:owner',
  'urn:ietf:params:jmap:mdn',
])

/** True for a capability that a request may name in `using`. */
export function isCapability(name: string): boolean {
  return known.has(name)
}
