import type { CallLog } from '../call-log.ts'
import type { Zones } from '../dns/zones.ts'
import type { Faults } from '../faults.ts'
import type { IdentitySystem } from '../identity/system.ts'
import type { PeopleCalendars } from '../mail/calendars/people.ts'
import type { PaymentsSystem } from '../payments/system.ts'
import type { SandboxSystem } from '../system.ts'
import type { WebhookReceiver } from '../webhooks/receiver.ts'

/** One running system as the control API sees it. */
export interface HostedSystem {
  readonly system: SandboxSystem
  readonly calls: CallLog
  /** Addresses for people: the first one is the main one. */
  readonly addresses: readonly string[]
}

export interface ControlParts {
  readonly systems: readonly HostedSystem[]
  readonly identity: IdentitySystem
  readonly payments: PaymentsSystem
  readonly dns: Zones
  readonly calendars: PeopleCalendars
  readonly webhooks: WebhookReceiver
  readonly faults: Faults
  /** To be called after a change of the records. */
  readonly changed: () => void
  /** Resets every system to its seed and clears faults and call logs. */
  readonly reset: () => void
}
