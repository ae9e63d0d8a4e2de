import { residentMiB } from '@atrium/bench/measure/process'

interface Watched {
  readonly pid: number
  readonly url: string
}

const collect = `process.on('SIGUSR2', () => gc({ type: 'major', flavor: 'last-resort', execution: 'sync' }))`

/**
 * Environment of a process that throws away what nothing holds when it gets SIGUSR2, with the
 * arenas of deploy/Dockerfile.
 */
export const collectsWhenAsked = {
  MALLOC_ARENA_MAX: '2',
  NODE_OPTIONS: `--expose-gc --import=data:text/javascript,${encodeURIComponent(collect)}`,
}

/**
 * Resident memory in MiB of a process that `collectsWhenAsked`, once it has thrown away what
 * nothing holds.
 */
export async function keptMemory(process: Watched): Promise<number> {
  globalThis.process.kill(process.pid, 'SIGUSR2')
  // The process responds after the collection: it handles signals between two turns of its loop.
  for (let n = 0; n < 3; n++) await fetch(`${process.url}/health`)
  return residentMiB(process.pid)
}
