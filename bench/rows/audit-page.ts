import { createHttpLoad, type HttpRequest, runRounds } from '../measure/slots.ts'
import { median } from '../measure/statistics.ts'
import type { Session } from '../session.ts'
import type { AuditBench } from './audit.ts'
import { type Server, startProduct, startServer } from './product.ts'
import type { RowResult } from './result.ts'

/** Owners whose tenants have far more than a page of entries. */
const owners = 4
const page = 100

/**
 * P6: a page of a tenant's audit log over tRPC, with token and guard, against Hono that reads the
 * same rows and returns the same object.
 */
export async function measureAuditPage(session: Session, bench: AuditBench): Promise<RowResult> {
  const database = { DATABASE_URL: bench.appUrl }
  const [peer, product] = await Promise.all([
    startServer(session, 'servers/hono-audit.ts', database),
    startProduct(session, database),
  ])
  const load = createHttpLoad({ connections: 32, seconds: 1, folder: session.folder })
  try {
    const asked = await Promise.all(
      bench.population.owners
        .slice(0, owners)
        .map(async ({ subject, slug }) => ({ slug, token: await session.issuer.sign(subject) })),
    )
    const bare = asked.map(
      ({ slug }): HttpRequest => ({ method: 'GET', path: `/tenants/${slug}/audit` }),
    )
    const input = (slug: string) =>
      encodeURIComponent(JSON.stringify({ json: { slug, limit: page } }))
    const ours = asked.map(
      ({ slug, token }): HttpRequest => ({
        method: 'GET',
        path: `/trpc/tenants.audit?input=${input(slug)}`,
        headers: { authorization: `Bearer ${token}` },
      }),
    )
    for (const [n, request] of bare.entries()) await compare(peer, request, product, ours[n])
    const { measured, failures } = await runRounds(
      [
        load.contender({ name: 'peer', server: peer, requests: bare }),
        load.contender({ name: 'peer again', server: peer, requests: bare }),
        load.contender({ name: 'trpc', server: product, requests: ours }),
      ],
      session,
    )
    const cpu = (name: string) =>
      (measured.get(name) ?? []).map((figures) => figures.cpuMicrosPerCall ?? Number.NaN)
    const rate = (name: string) =>
      median((measured.get(name) ?? []).map((figures) => figures.callsPerSecond))
    const [first, second, own] = [cpu('peer'), cpu('peer again'), cpu('trpc')]
    const failure = [...failures].map(([name, reason]) => `${name}: ${reason}`).join('; ')
    return {
      row: 'P6',
      what: `tRPC page of ${page} audit entries`,
      peer: 'Hono + one named select of them',
      unit: 'x',
      direction: 'at least',
      reach: 0.5,
      beyond: 0.75,
      values: failure
        ? []
        : own.map(
            (micros, i) => ((first[i] ?? Number.NaN) + (second[i] ?? Number.NaN)) / 2 / micros,
          ),
      nullTest: first.map((micros, i) => micros / (second[i] ?? Number.NaN)),
      ...(failure
        ? { note: failure }
        : {
            figures: {
              peer: { cpuMicrosPerCall: median(first), callsPerSecond: rate('peer') },
              trpc: { cpuMicrosPerCall: median(own), callsPerSecond: rate('trpc') },
            },
          }),
    }
  } finally {
    await load.stop()
    await Promise.all([peer, product].map((server) => server.process.stop()))
  }
}

interface Page {
  items: { id: string }[]
  nextCursor: string | null
}

async function compare(
  peer: Server,
  bare: HttpRequest,
  product: Server,
  ours: HttpRequest | undefined,
): Promise<void> {
  const read = async (server: Server, request: HttpRequest | undefined) => {
    const response = await fetch(`${server.url}${request?.path}`, {
      headers: request?.headers ?? {},
    })
    if (response.status !== 200)
      throw new Error(
        `${request?.path} answered ${response.status}: ${(await response.text()).slice(0, 300)}`,
      )
    return response.json()
  }
  const theirs = (await read(peer, bare)) as Page
  const { result } = (await read(product, ours)) as { result: { data: { json: Page } } }
  if (theirs.items.length !== page || JSON.stringify(theirs) !== JSON.stringify(result.data.json))
    throw new Error(`${bare.path} is answered with something else over tRPC`)
}
