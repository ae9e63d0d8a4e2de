import { restRoutes } from '@atrium/api/http/rest'
import { type CarriedOut, carriedOut } from '@atrium/testing/carried-out'
import { openLocations, type Places } from '@atrium/testing/matrix/world'
import pg from 'pg'
import { sendCall } from './citus-statements.ts'

export interface CarriedOutOnCitus {
  procedures: number
  /** Procedures of which every call succeeded. */
  succeeded: number
  /** Procedures with a call that failed, and what the first failed statement was rejected for. */
  failed: { procedure: string; reason: string }[]
}

/**
 * What the connections of the service need. A statement is planned for the key that it is run with,
 * and a node of the Citus may ask others.
 */
const settings = [
  'plan_cache_mode=auto',
  'citus.enable_unsafe_triggers=on',
  'citus.multi_shard_modify_mode=sequential',
  'citus.allow_nested_distributed_execution=on',
]

/**
 * Carries out the calls of every procedure by a service on the distributed schema. `url`: of a
 * superuser.
 */
export async function carryOutOnCitus(url: string): Promise<CarriedOutOnCitus> {
  const address = new URL(url)
  address.searchParams.set('options', settings.map((setting) => `-c ${setting}`).join(' '))
  const accounts = { ownerUrl: address.toString(), appUrl: address.toString() }
  await using places = await openLocations({ accounts })
  const found: CarriedOutOnCitus = { procedures: 0, succeeded: 0, failed: [] }
  for (const { name: procedure, type } of restRoutes()) {
    const calls = type === 'subscription' ? [] : carriedOut(procedure)
    if (calls.length === 0) continue
    found.procedures++
    const reason = await firstFailure(places, procedure, calls)
    if (reason === undefined) found.succeeded++
    else found.failed.push({ procedure, reason })
  }
  return found
}

async function firstFailure(
  places: Places,
  procedure: string,
  calls: readonly CarriedOut[],
): Promise<string | undefined> {
  for (const call of calls) {
    using rejected = watchRejections()
    try {
      const prepared = await call.prepare(await places.build(call.caller))
      const { status } = await sendCall(places, procedure, prepared)
      if (status >= 400) return rejected.reasons[0] ?? `status ${status}`
    } catch (error) {
      return rejected.reasons[0] ?? (error instanceof Error ? error.message : String(error))
    }
  }
  return undefined
}

/** What the statements of all connections are rejected for, without names. */
function watchRejections(): { reasons: string[] } & Disposable {
  const reasons: string[] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function watch(this: pg.Client, ...args: unknown[]) {
    const result: unknown = Reflect.apply(query, this, args)
    if (result instanceof Promise)
      result.catch((error: Error) => {
        reasons.push(error.message.replaceAll(/"[^"]*"/g, '…').split('\n', 1)[0] ?? '')
      })
    return result
  } as typeof query
  return {
    reasons,
    [Symbol.dispose]() {
      pg.Client.prototype.query = query
    },
  }
}
