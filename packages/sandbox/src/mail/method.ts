import type { Caller } from './caller.ts'
import type { JsonObject } from './json.ts'
import type { References } from './references.ts'
import type { MailWorld } from './registry-type.ts'

/** One call of a method: back references are resolved, access to the account is checked. */
export interface MethodCall {
  readonly world: MailWorld
  readonly caller: Caller
  readonly accountId: string
  readonly args: JsonObject
  readonly references: References
}

export interface Method {
  /** The capability that `using` has to name; undefined where the server does not ask for it. */
  readonly capability?: string
  /** The permission without which the call is forbidden. Sets check theirs object by object. */
  readonly permission?: string
  /** Whether `accountId` may be left out to mean the caller, or is not looked at. */
  readonly accountId: 'optional' | 'required' | 'ignored'
  readonly run: (call: MethodCall) => JsonObject
}
