import { z } from 'zod'
import { type SystemName, systemNames } from './system-names.ts'

/**
 * The effect of a fault on a call: `latency` responds late; `timeout` never responds; `error`
 * returns `status` with the system's own error body; `reset` drops the connection; `garbage`
 * returns 200 with bytes that are not JSON; `shape` returns 200 with JSON of another shape. In DNS
 * `error` is REFUSED, and two more exist: `servfail`, and `truncated`, which makes the client retry
 * over TCP.
 */
export const faultModes = [
  'latency',
  'timeout',
  'error',
  'reset',
  'garbage',
  'shape',
  'servfail',
  'truncated',
] as const

export const FaultInput = z
  .strictObject({
    system: z.enum(systemNames),
    /**
     * A part of `METHOD path`, or of a name inside the call such as the JMAP method `x:Domain/set`.
     * Absent: every call.
     */
    match: z.string().min(1).max(200).optional(),
    mode: z.enum(faultModes),
    /** For `error`; 503 when absent. */
    status: z.int().min(400).max(599).optional(),
    /** Milliseconds before the fault shows, in any mode; for `latency` 1000 when absent. */
    delayMs: z.int().min(0).max(600_000).optional(),
    /** How many calls are hit before the fault is gone. Absent: until it is removed. */
    times: z.int().min(1).max(1_000_000).optional(),
    /**
     * The call runs first and the fault hits its response: a connection that drops after the
     * commit.
     */
    after: z.boolean().optional(),
  })
  .refine(
    (fault) => fault.system === 'dns' || (fault.mode !== 'servfail' && fault.mode !== 'truncated'),
    'This mode exists in DNS only.',
  )
export type FaultInput = z.infer<typeof FaultInput>

export type Fault = FaultInput & {
  readonly id: string
  /** How many calls it has hit. */
  hits: number
}

export interface Faults {
  add(input: FaultInput): Fault
  list(): readonly Fault[]
  /** False when there is no such fault. */
  remove(id: string): boolean
  clear(): void
  /**
   * The oldest fault for a call whose names are `subjects` (`POST /jmap`, `x:Domain/set`, …),
   * counted down by one; undefined when the call is to go its normal way.
   */
  take(system: SystemName, subjects: readonly string[]): Fault | undefined
}

/** The faults that are switched on, oldest first. */
export function createFaults(): Faults {
  let faults: Fault[] = []
  let made = 0
  return {
    add(input) {
      made += 1
      const fault: Fault = { ...input, id: `fault-${made}`, hits: 0 }
      faults.push(fault)
      return { ...fault }
    },
    list: () => faults.map((fault) => ({ ...fault })),
    remove(id) {
      const left = faults.filter((fault) => fault.id !== id)
      const found = left.length < faults.length
      faults = left
      return found
    },
    clear() {
      faults = []
    },
    take(system, subjects) {
      const fault = faults.find(
        (one) =>
          one.system === system && subjects.some((subject) => subject.includes(one.match ?? '')),
      )
      if (!fault) return undefined
      fault.hits += 1
      if (fault.times !== undefined) {
        fault.times -= 1
        if (fault.times === 0) faults = faults.filter((one) => one !== fault)
      }
      return { ...fault }
    },
  }
}
