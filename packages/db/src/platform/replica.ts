import { isUnavailable } from './failures.ts'
import type { NamedStatement } from './keyed-read.ts'
import type { PipelinedQueries } from './pipelined-queries.ts'

/** Where a read was carried out that may go to the copy, and why it did not. */
export type ReplicaRead = 'replica' | 'behind' | 'unreachable'

export interface Replica {
  /**
   * Runs a read on the copy if that shows everything that was committed before this call, through
   * whichever process; else on the first server. A copy that is behind is waited for some 60 ms. A
   * read that fails there because the copy went away, or because it had to give way to what the
   * copy applies, is run again on the first server. Only for reads: they may be run twice.
   */
  read<Result>(onReplica: () => Promise<Result>, onPrimary: () => Promise<Result>): Promise<Result>
  close(): void
}

export interface ReplicaOptions {
  primary: PipelinedQueries
  replica: PipelinedQueries
  onError: (error: Error) => void
  onRead?: ((where: ReplicaRead) => void) | undefined
}

/**
 * How far the first server's log is safe on its disk: what is acknowledged is in it (PostgreSQL,
 * Backup Control Functions).
 */
const flushed: NamedStatement = {
  name: 'replica.flushed',
  text: 'select pg_current_wal_flush_lsn()::text as position',
}
/**
 * How far the copy has applied it. A server that does not follow another may know nothing of the
 * first one's writes.
 */
const applied: NamedStatement = {
  name: 'replica.applied',
  text: `select pg_is_in_recovery() as following, coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as "caughtUp"`,
}

const lookAgainAfterMs = [0, 1, 2, 4, 8, 16, 32] as const
/** Skips the replica for a second after it was found lagging. */
const behindMs = 1_000
const tryAgainMs = 5_000

/**
 * Decides for each read whether a streaming replica may serve it. The check costs one short
 * statement on either server. Every read sees every write acknowledged before it: no cookie, no
 * sticky process, no stale result after a change.
 */
export function createReplica({ primary, replica, onError, onRead }: ReplicaOptions): Replica {
  let away = false
  let behindUntil = 0
  let retry: NodeJS.Timeout | undefined
  let closed = false

  /**
   * From here on the primary serves reads. The replica is probed in the background, so that no
   * request waits for it.
   */
  function lose(error: Error): void {
    if (away || closed) return
    away = true
    onError(error)
    retry = setTimeout(tryAgain, tryAgainMs)
    retry.unref()
  }

  function tryAgain(): void {
    replica.read<{ following: boolean }>(applied, ['0/0']).then(
      (rows) => {
        away = false
        if (rows[0]?.following !== true) lose(notFollowing())
      },
      () => {
        if (closed) return
        retry = setTimeout(tryAgain, tryAgainMs)
        retry.unref()
      },
    )
  }

  async function choose(): Promise<ReplicaRead> {
    if (away) return 'unreachable'
    if (performance.now() < behindUntil) return 'behind'
    const position = (await primary.read<{ position: string }>(flushed, []))[0]?.position ?? ''
    try {
      return await untilApplied(position)
    } catch (error) {
      lose(toError(error))
      return 'unreachable'
    }
  }

  async function untilApplied(position: string): Promise<ReplicaRead> {
    for (const ms of lookAgainAfterMs) {
      if (ms > 0) await new Promise((done) => setTimeout(done, ms))
      const [state] = await replica.read<{ following: boolean; caughtUp: boolean }>(applied, [
        position,
      ])
      if (!state?.following) throw notFollowing()
      if (state.caughtUp) return 'replica'
    }
    behindUntil = performance.now() + behindMs
    return 'behind'
  }

  return {
    async read(onReplica, onPrimary) {
      const where = await choose()
      if (where === 'replica') {
        try {
          const result = await onReplica()
          onRead?.('replica')
          return result
        } catch (error) {
          if (isUnavailable(error)) lose(toError(error))
          else if (!gaveWay(error)) throw error
        }
      }
      onRead?.(where === 'replica' ? 'unreachable' : where)
      return onPrimary()
    },
    close() {
      closed = true
      clearTimeout(retry)
    },
  }
}

/**
 * The replica cancels a read that conflicts with what it has to apply (PostgreSQL, Hot Standby,
 * Handling Query Conflicts).
 */
function gaveWay(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === '40001'
}

function notFollowing(): Error {
  return new Error(
    'The server of DATABASE_REPLICA_URL does not follow another one, so it is not read from.',
  )
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
