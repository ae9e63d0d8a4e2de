import { join } from 'node:path'
import type { LoadOrder, LoadResult } from './generator.ts'
import type { NoiseGate } from './noise-gate.ts'
import { ask, cores, type MeasuredProcess, startProcess } from './process.ts'
import { shuffled } from './statistics.ts'
import { createWrkLoad, findWrk } from './wrk.ts'

export interface HttpRequest {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
}

/** One thing that is measured in every round. */
export interface Contender {
  readonly name: string
  /**
   * Runs the work for a while and returns its duration. Throws when a response was not the expected
   * one.
   */
  measure(): Promise<Figures>
}

export interface Figures {
  /**
   * User and system time of the server process per call; not known for what is measured by the
   * clock alone.
   */
  cpuMicrosPerCall?: number
  callsPerSecond: number
  p50Ms?: number
  p95Ms?: number
  p99Ms?: number
}

/** Figures of every contender by round, in the order of the rounds. */
export type Measured = ReadonlyMap<string, readonly Figures[]>

/**
 * Runs every contender once per round, in an order drawn again for each round, after the noise
 * gate. A contender that fails is left out from then on and named in `failures` with the reason.
 */
export async function runRounds(
  contenders: readonly Contender[],
  options: {
    rounds: number
    random: () => number
    gate: NoiseGate
    onRound?: (round: number) => void
  },
): Promise<{ measured: Measured; failures: ReadonlyMap<string, string> }> {
  const measured = new Map<string, Figures[]>(contenders.map(({ name }) => [name, []]))
  const failures = new Map<string, string>()
  for (let round = 1; round <= options.rounds; round++) {
    options.onRound?.(round)
    for (const contender of shuffled(contenders, options.random)) {
      if (failures.has(contender.name)) continue
      await options.gate.pass()
      try {
        measured.get(contender.name)?.push(await contender.measure())
      } catch (error) {
        failures.set(contender.name, error instanceof Error ? error.message : String(error))
      }
    }
  }
  return { measured, failures }
}

export interface HttpLoad {
  contender(options: HttpContenderOptions): Contender
  stop(): Promise<void>
}

export interface HttpContenderOptions {
  name: string
  server: { url: string; process: MeasuredProcess }
  requests: readonly HttpRequest[]
  /** Calls that one request carries, for batches. */
  callsPerRequest?: number
}

/**
 * One load generator for all contenders, on the core that servers are not on, with the same number
 * of connections for each: wrk where it is installed, else autocannon. `folder` is for files of
 * this run.
 */
export function createHttpLoad(options: {
  connections: number
  seconds: number
  folder: string
}): HttpLoad {
  const wrk = findWrk()
  const generator = wrk
    ? undefined
    : startProcess({ file: join(import.meta.dirname, 'generator.ts'), core: cores.generator })
  const load = wrk
    ? createWrkLoad(wrk, options.folder)
    : (order: LoadOrder) =>
        generator
          ? ask<LoadResult>(generator.child, order)
          : Promise.reject(new Error('there is no load generator'))
  return {
    contender({ name, server, requests, callsPerRequest = 1 }) {
      return {
        name,
        async measure() {
          const order = { url: server.url, connections: options.connections, requests }
          await load({ ...order, seconds: 0.2 })
          const before = await server.process.usage()
          const result = await load({ ...order, seconds: options.seconds })
          const after = await server.process.usage()
          if (result.failed > 0)
            throw new Error(
              `${result.failed} of ${result.completed + result.failed} answers were not 2xx`,
            )
          const calls = result.completed * callsPerRequest
          return {
            cpuMicrosPerCall: (after.cpuMicros - before.cpuMicros) / calls,
            callsPerSecond: calls / result.seconds,
            p50Ms: result.p50Ms,
            p99Ms: result.p99Ms,
          }
        },
      }
    },
    stop: async () => generator?.stop(),
  }
}
