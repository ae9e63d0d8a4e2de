import type { Contender } from '../measure/slots.ts'
import { median } from '../measure/statistics.ts'

/** Calls one after the other in this process; the median time of a call. */
export function callContender(
  name: string,
  calls: number,
  call: () => Promise<unknown>,
): Contender {
  return {
    name,
    async measure() {
      const times: number[] = []
      for (let i = 0; i < calls; i++) {
        const began = performance.now()
        await call()
        times.push(performance.now() - began)
      }
      const ms = median(times)
      return { callsPerSecond: 1000 / ms, p50Ms: ms }
    },
  }
}
