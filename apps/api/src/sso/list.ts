import type { SsoAppList, SsoAppState } from '@atrium/core/sso/sso'
import { listSsoApps as readSsoApps, type SsoAppRow } from '@atrium/db/sso/sso'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import type { Services } from '../rpc/services.ts'
import { toSsoAppView } from './view.ts'

const lookupDeadlineMs = 5_000
const lookupsAtOnce = 6

/**
 * The tenant's applications with what became of each at the provider. One that cannot be looked up
 * in time is `unknown`: the list never waits longer and never fails for the provider's sake.
 */
export async function listSsoApps(
  { services, request }: Context,
  access: Access,
  signal: AbortSignal | undefined,
): Promise<SsoAppList> {
  const rows = await readSsoApps(services.database.db, access.tenant.id)
  const deadline = AbortSignal.any([
    signal ?? request.signal,
    AbortSignal.timeout(lookupDeadlineMs),
  ])
  const states = new Map<string, SsoAppState>()
  const queue = [...rows]
  const look = async () => {
    for (let row = queue.shift(); row; row = queue.shift())
      states.set(row.id, await stateOf(services, row, deadline))
  }
  await Promise.all(Array.from({ length: lookupsAtOnce }, look))
  return {
    items: rows.map((row) => toSsoAppView(services, row, states.get(row.id) ?? 'unknown')),
    nextCursor: null,
  }
}

async function stateOf(
  services: Services,
  row: SsoAppRow,
  signal: AbortSignal,
): Promise<SsoAppState> {
  if (row.state !== 'active') return row.state
  const { identity } = services.systems
  if (!identity || signal.aborted) return 'unknown'
  try {
    const found = await identity.readSsoApplication(row.slug, { signal })
    // Another owner's application under our slug is not this one.
    return found?.clientId === row.clientId ? 'active' : 'missing'
  } catch (err) {
    services.log.warn({ err, app: row.id }, 'failed to look up application')
    return 'unknown'
  }
}
