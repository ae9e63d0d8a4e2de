import { join } from 'node:path'
import { ask, cores, startProcess } from './process.ts'

/** Waits for a quiet moment before each slot. */
export interface NoiseGate {
  /** Resolves when the core is quiet, or when waiting has used up its share of the run. */
  pass(): Promise<void>
  /** What the gate saw: slots that waited, and slots that had to start while the core was busy. */
  summary(): { slots: number; waited: number; noisy: number }
  stop(): Promise<void>
}

const tolerance = 1.1
const pauseMs = 100
const longestWaitMs = 1_500

/**
 * Spins for a fixed amount of work on the servers' core; a spin more than a tenth slower than the
 * usual one means that the core is busy. The usual one is the lower quartile of all so far, so that
 * a lucky first spin does not condemn the rest. `budgetMs` bounds the waiting of the whole run.
 */
export async function createNoiseGate(budgetMs: number): Promise<NoiseGate> {
  const spinner = startProcess({ file: join(import.meta.dirname, 'spin.ts'), core: cores.server })
  const seen: number[] = []
  const counts = { slots: 0, waited: 0, noisy: 0 }
  let left = budgetMs
  async function spin(): Promise<number> {
    const { ms } = await ask<{ ms: number }>(spinner.child, 'spin')
    seen.push(ms)
    return ms
  }
  const usual = () =>
    seen.toSorted((a, b) => a - b)[Math.floor(seen.length / 4)] ?? Number.POSITIVE_INFINITY
  for (let i = 0; i < 8; i++) await spin()
  seen.splice(0, 3)
  return {
    async pass() {
      counts.slots++
      const began = performance.now()
      for (let first = true; (await spin()) > usual() * tolerance; first = false) {
        if (first) counts.waited++
        const waited = performance.now() - began
        if (waited > Math.min(longestWaitMs, left)) {
          counts.noisy++
          break
        }
        await new Promise((done) => setTimeout(done, pauseMs))
      }
      left -= performance.now() - began
    },
    summary: () => ({ ...counts }),
    stop: () => spinner.stop(),
  }
}
