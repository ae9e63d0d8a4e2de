import { z } from 'zod'
import type { ObjectId } from './errors.ts'
import { encodeId, longId } from './ids.ts'
import { type JsonObject, json } from './json.ts'

export const objectNames = ['Account', 'DkimSignature', 'Domain', 'MailingList'] as const
export type ObjectName = (typeof objectNames)[number]

/**
 * A name under which a record is found. With a `property` no two records may have it, and the
 * rejection names the property.
 */
export interface IndexKey {
  readonly key: string
  readonly property?: string
}

/** A key that the server generates once its time has come. */
export interface KeyTask {
  readonly domainId: string
  readonly algorithm: string
  /** Milliseconds since 1970. */
  readonly dueAt: number
}

const Saved = z.object({
  counters: z.record(z.string(), z.int()),
  lastLongId: z.string().optional(),
  records: z.record(
    z.enum(objectNames),
    z.array(z.tuple([z.string(), z.record(z.string(), json)])),
  ),
  tasks: z.array(z.object({ domainId: z.string(), algorithm: z.string(), dueAt: z.number() })),
  usedDiskQuota: z.record(z.string(), z.number()),
})

/** The records of the mail server: everything that lasts. */
export interface MailStore {
  get(object: ObjectName, id: string): JsonObject | undefined
  /** Ascending by id. */
  list(object: ObjectName): readonly (readonly [id: string, record: JsonObject])[]
  /**
   * Stores a new record under the next id of its type, or a long id for a type that counts none.
   */
  insert(object: ObjectName, record: JsonObject): string
  update(object: ObjectName, id: string, record: JsonObject): void
  remove(object: ObjectName, id: string): void
  /** The record that holds an index key. */
  holder(key: string): ObjectId | undefined
  tasks: KeyTask[]
  /** Bytes by account id. */
  readonly usedDiskQuota: Map<string, number>
  save(): unknown
  load(saved: unknown): void
  clear(): void
}

export interface StoreOptions {
  readonly indexKeys: (object: ObjectName, record: JsonObject) => readonly IndexKey[]
  readonly now: () => number
  /** Called after every change. */
  readonly changed: () => void
}

export function createMailStore({ indexKeys, now, changed }: StoreOptions): MailStore {
  const records = new Map<ObjectName, Map<string, JsonObject>>(
    objectNames.map((name) => [name, new Map()]),
  )
  const index = new Map<string, ObjectId>()
  const counters = new Map<string, number>()
  let lastLongId: string | undefined

  const table = (object: ObjectName): Map<string, JsonObject> => {
    const found = records.get(object)
    if (!found) throw new Error(`The mail store has no ${object}.`)
    return found
  }
  const unlink = (object: ObjectName, id: string) => {
    const record = table(object).get(id)
    if (!record) return
    for (const { key } of indexKeys(object, record)) {
      const holder = index.get(key)
      if (holder?.object === object && holder.id === id) index.delete(key)
    }
  }
  const put = (object: ObjectName, id: string, record: JsonObject) => {
    unlink(object, id)
    table(object).set(id, record)
    for (const { key } of indexKeys(object, record)) index.set(key, { object, id })
  }
  const nextId = (object: ObjectName): string => {
    if (object === 'DkimSignature') {
      lastLongId = longId(now(), lastLongId)
      return lastLongId
    }
    const count = (counters.get(object) ?? 0) + 1
    counters.set(object, count)
    return encodeId(count)
  }
  const clear = () => {
    for (const name of objectNames) table(name).clear()
    index.clear()
    counters.clear()
    lastLongId = undefined
    store.tasks = []
    store.usedDiskQuota.clear()
  }

  const store: MailStore = {
    get: (object, id) => table(object).get(id),
    list: (object) => [...table(object)],
    insert(object, record) {
      const id = nextId(object)
      put(object, id, record)
      changed()
      return id
    },
    update(object, id, record) {
      put(object, id, record)
      changed()
    },
    remove(object, id) {
      unlink(object, id)
      table(object).delete(id)
      changed()
    },
    holder: (key) => index.get(key),
    tasks: [],
    usedDiskQuota: new Map(),
    save: () => ({
      counters: Object.fromEntries(counters),
      ...(lastLongId !== undefined && { lastLongId }),
      records: Object.fromEntries(objectNames.map((name) => [name, [...table(name)]])),
      tasks: store.tasks,
      usedDiskQuota: Object.fromEntries(store.usedDiskQuota),
    }),
    load(saved) {
      const parsed = Saved.parse(saved)
      clear()
      for (const name of objectNames)
        for (const [id, record] of parsed.records[name]) put(name, id, record)
      for (const [name, count] of Object.entries(parsed.counters)) counters.set(name, count)
      lastLongId = parsed.lastLongId
      store.tasks = parsed.tasks
      for (const [id, used] of Object.entries(parsed.usedDiskQuota))
        store.usedDiskQuota.set(id, used)
    },
    clear,
  }
  return store
}
