import type { CalendarStore } from './calendars/store.ts'
import type { Caller } from './caller.ts'
import type { ObjectId } from './errors.ts'
import type { Installation } from './installation.ts'
import type { JsonObject } from './json.ts'
import type { ObjectShape, UnionShape } from './shapes.ts'
import type { IndexKey, MailStore, ObjectName } from './store.ts'

export interface MailSettings {
  /**
   * Milliseconds from the creation of a domain to its Ed25519 key; the RSA key comes after twice
   * that time.
   */
  readonly dkimDelayMs: number
  /** Host name of the server, which MX, SRV and CNAME records point to. */
  readonly hostname: string
  /**
   * Whether accounts may only be given permissions that the caller holds, as the real server has
   * it.
   */
  readonly grantRule: boolean
  /** Milliseconds until a search by uid or words finds an event as it was written. */
  readonly searchLagMs: number
}

/** Everything that a method works on. */
export interface MailWorld {
  readonly store: MailStore
  readonly calendars: CalendarStore
  /** How the server itself is set up. */
  installation: Installation
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly settings: MailSettings
}

/** A reference to another object. With `variant` it has to be of that `@type`. */
export interface ForeignKey extends Omit<ObjectId, 'object'> {
  readonly object:
    | ObjectName
    | 'Tenant'
    | 'Directory'
    | 'DnsServer'
    | 'AcmeProvider'
    | 'PublicKey'
    | 'Role'
  readonly variant?: string
}

/** A change of one record before it is stored. */
export interface Change {
  readonly world: MailWorld
  readonly caller: Caller
  /** The id of the record; undefined while it is created. */
  readonly id: string | undefined
  readonly record: JsonObject
  readonly previous: JsonObject | undefined
}

/** How one object type of the registry behaves; get, set and query are the same for all of them. */
export interface RegistryType {
  readonly name: ObjectName
  readonly shape: ObjectShape | UnionShape
  /** What a query can filter by, besides `text`. */
  readonly filters: Readonly<Record<string, 'keyword' | 'id' | 'members' | 'type'>>
  /** What a query can sort by, besides `id`. */
  readonly sorts: readonly string[]
  /** Texts whose words the `text` filter finds. Absent: no `text` filter. */
  readonly words?: (record: JsonObject) => readonly string[]
  readonly indexKeys: (record: JsonObject) => readonly IndexKey[]
  readonly foreignKeys: (record: JsonObject) => readonly ForeignKey[]
  /** Validates a change and returns the record to store. Throws a SetError to reject it. */
  readonly prepare: (change: Change) => JsonObject
  /** Runs after a change was stored. */
  readonly stored?: (
    world: MailWorld,
    id: string,
    record: JsonObject,
    previous: JsonObject | undefined,
  ) => void
  /** Runs after a record was destroyed. */
  readonly removed?: (world: MailWorld, id: string) => void
  /**
   * The record as a get shows it. `wants` returns whether a property was requested: costly ones are
   * built on demand.
   */
  readonly view: (
    world: MailWorld,
    id: string,
    record: JsonObject,
    wants: (property: string) => boolean,
  ) => JsonObject
}
