import { hash } from 'node:crypto'
import {
  createFlagEvaluation,
  type FlagEvaluation,
  type FlagRules,
  type FlagTarget,
} from '@atrium/core/flags/flag-evaluation'
import { readFlagRules, saveFlagUses } from '@atrium/db/flags/flags'
import type { Database } from '@atrium/db/platform/connect'
import type { Clock } from './clock.ts'
import type { Logger } from './log.ts'

/** The flags as this process knows them. */
export interface Flags {
  /** Listens for changes, which otherwise are seen after five seconds at the latest. */
  start(): Promise<void>
  /**
   * All flags that are not removed, by key. Throws when they cannot be read; callers report a
   * failure, never old flags.
   */
  rules(): Promise<FlagRules>
  /** Evaluates flags for one tenant, or without one, as of now. */
  evaluation(target: FlagTarget | undefined): Promise<(key: string) => FlagEvaluation>
  /**
   * One flag, for our own code. Noted as a use, so that it cannot be removed while something
   * depends on it. Unknown flags are off.
   */
  isOn(key: string, target: FlagTarget | undefined): Promise<boolean>
  /**
   * The same for work inside a transaction, which may not ask the database: read before, evaluated
   * for a tenant when it is known.
   */
  readFlag(key: string): Promise<(target: FlagTarget | undefined) => boolean>
  /** Notes that code asked for this flag by its name. */
  noteUse(key: string): void
  /** Forgets what is known: this process has just changed a flag. */
  forget(): void
  /** Writes the noted uses down. */
  saveUses(): Promise<void>
  stop(): Promise<void>
}

const oldestMs = 5_000
const saveEveryMs = 30_000

const mostHashes = 50_000
const hashes = new Map<string, number>()

/**
 * The first four bytes, big-endian, of SHA-256. Kept, because it never changes and is dearer than
 * all the rest of an evaluation; a few megabytes hold it for the flags and tenants that are asked
 * about.
 */
export function flagHash(text: string): number {
  const known = hashes.get(text)
  if (known !== undefined) return known
  if (hashes.size >= mostHashes) hashes.clear()
  const fresh = hashOnce(text)
  hashes.set(text, fresh)
  return fresh
}

/**
 * The same, not kept: for work on very many tenants, which would push out those that are asked
 * about.
 */
export function hashOnce(text: string): number {
  return hash('sha256', text, 'buffer').readUInt32BE(0)
}

/**
 * Rules are read at once for all who wait, and kept until a notification, a change of our own, or
 * five seconds.
 */
export function createFlags(parts: { database: Database; clock: Clock; log: Logger }): Flags {
  const { database, clock, log } = parts
  let generation = 0
  // The age comes from a monotonic clock: a killed flag must not live on because the time was set
  // back.
  let kept: { rules: FlagRules; readAt: number } | undefined
  let reading: Promise<FlagRules> | undefined
  let uses = new Map<string, Date>()
  let unlisten: (() => Promise<void>) | undefined
  let saving: NodeJS.Timeout | undefined

  function forget(): void {
    generation++
    kept = undefined
    // Later calls must not get what was read before the change.
    reading = undefined
  }

  function read(): Promise<FlagRules> {
    const [started, readAt] = [generation, performance.now()]
    const attempt: Promise<FlagRules> = readFlagRules(database.db)
      .then((all) => {
        const rules: FlagRules = new Map(all.map((rule) => [rule.key, rule]))
        if (started === generation) kept = { rules, readAt }
        return rules
      })
      .finally(() => {
        if (reading === attempt) reading = undefined
      })
    return attempt
  }

  async function rules(): Promise<FlagRules> {
    if (kept && performance.now() - kept.readAt < oldestMs) return kept.rules
    reading ??= read()
    return reading
  }

  async function evaluation(target: FlagTarget | undefined) {
    return createFlagEvaluation({
      rules: await rules(),
      target,
      now: clock.now().getTime(),
      hash: flagHash,
    })
  }

  async function readFlag(key: string) {
    const known = await rules()
    return (target: FlagTarget | undefined) => {
      const { value, errorCode } = createFlagEvaluation({
        rules: known,
        target,
        now: clock.now().getTime(),
        hash: flagHash,
      })(key)
      if (errorCode !== 'FLAG_NOT_FOUND') noteUse(key)
      return value
    }
  }

  function noteUse(key: string): void {
    uses.set(key, clock.now())
  }

  async function saveUses(): Promise<void> {
    const noted = [...uses].map(([key, at]) => ({ key, at }))
    uses = new Map()
    try {
      await saveFlagUses(database.db, noted)
    } catch (error) {
      for (const { key, at } of noted) if (!uses.has(key)) uses.set(key, at)
      throw error
    }
  }

  return {
    async start() {
      unlisten = await database.listen('flags', forget, forget)
      saving = setInterval(() => {
        saveUses().catch((err: unknown) => log.warn({ err }, 'failed to save flag usage'))
      }, saveEveryMs)
      saving.unref()
    },
    rules,
    evaluation,
    isOn: async (key, target) => (await readFlag(key))(target),
    readFlag,
    noteUse,
    forget,
    saveUses,
    async stop() {
      clearInterval(saving)
      await unlisten?.()
      unlisten = undefined
      await saveUses().catch((err: unknown) => log.warn({ err }, 'failed to save flag usage'))
    },
  }
}
