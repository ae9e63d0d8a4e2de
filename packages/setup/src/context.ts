import { setTimeout as wait } from 'node:timers/promises'
import type { DnsResolver } from '@atrium/integrations/dns/port'
import type { Answers } from './answers.ts'
import type { ServerAddresses } from './dns-records.ts'
import type { Docker } from './docker.ts'
import type { Files } from './files.ts'
import type { Names } from './names.ts'

/** Everything that the steps of a set-up use. */
export interface SetupContext {
  answers: Answers
  names: Names
  files: Files
  docker: Docker
  resolver: DnsResolver
  addresses: ServerAddresses
  /** Of the sources that images are built from; undefined outside of a repository. */
  commit: string | undefined
  /** The parts as this machine reaches them. */
  endpoints: { identity: string; mail: string; files: string }
  /** Texts of the repository: blueprints and the example of `.env`. */
  readAsset(path: string): Promise<string>
  say(line: string): void
  patience: { timeoutMs: number; intervalMs: number; dnsTimeoutMs: number }
}

/** A set-up cannot go on. The message says what to do next. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}

/**
 * Tries again while a part is still starting, as long as `isStarting` takes the error for that.
 * Throws the last error when the patience ends.
 */
export async function untilStarted<T>(
  { patience }: Pick<SetupContext, 'patience'>,
  isStarting: (error: unknown) => boolean,
  attempt: () => Promise<T>,
): Promise<T> {
  for (const end = performance.now() + patience.timeoutMs; ; await wait(patience.intervalMs)) {
    try {
      return await attempt()
    } catch (error) {
      if (!isStarting(error) || performance.now() > end) throw error
    }
  }
}
