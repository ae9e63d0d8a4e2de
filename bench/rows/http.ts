import { tenantForCallerBySlug } from '@atrium/db/tenants/tenants'
import type { Population } from '../data.ts'
import type { Issuer } from '../issuer.ts'
import {
  type Contender,
  createHttpLoad,
  type Figures,
  type HttpRequest,
  type Measured,
  runRounds,
} from '../measure/slots.ts'
import { median } from '../measure/statistics.ts'
import type { Session } from '../session.ts'
import { checkAnswers, type ExpectedTenant } from './answers.ts'
import { pgbenchContender, pgbenchMissing } from './pgbench.ts'
import { type Server, startProduct, startServer } from './product.ts'
import type { RowResult } from './result.ts'

const connections = 32
const secondsPerSlot = 1

/** P1 to P5 and P16: the same requests, product and peers in turn, in one list. */
export async function measureRequests(
  session: Session,
  requested: ReadonlySet<string>,
): Promise<RowResult[]> {
  const [peer, product, nodeHttp, honoFixed] = await Promise.all([
    startServer(session, 'servers/hono-select.ts'),
    startProduct(session),
    startServer(session, 'servers/node-http.ts'),
    startServer(session, 'servers/hono-fixed.ts'),
  ])
  const load = createHttpLoad({ connections, seconds: secondsPerSlot, folder: session.folder })
  try {
    const requests = await buildRequests(session.population, session.issuer)
    await checkAnswers(
      { peer: peer.url, product: product.url, nodeHttp: nodeHttp.url, honoFixed: honoFixed.url },
      requests,
    )
    const http = (
      name: string,
      server: Server,
      list: readonly HttpRequest[],
      callsPerRequest?: number,
    ) =>
      load.contender({
        name,
        server,
        requests: list,
        ...(callsPerRequest ? { callsPerRequest } : {}),
      })
    const reads = requested.has('P1') || requested.has('P2') || requested.has('P3')
    const missing = requested.has('P4') ? pgbenchMissing() : undefined
    const database = () =>
      pgbenchContender(session, 'pgbench', [
        tenantForCallerBySlug.replaceAll('$3::timestamptz', 'now()'),
      ])
    const contenders: Contender[] = [
      ...(reads
        ? [http('peer', peer, requests.peer), http('peer again', peer, requests.peer)]
        : []),
      ...(requested.has('P1')
        ? [http('row', peer, requests.row), http('row again', peer, requests.row)]
        : []),
      ...(requested.has('P16')
        ? (['few', 'many'] as const).flatMap((tenants) => [
            http(`peer, ${tenants}`, peer, requests.peerList[tenants]),
            http(`peer, ${tenants} again`, peer, requests.peerList[tenants]),
            http(`list, ${tenants}`, product, requests.list[tenants]),
          ])
        : []),
      ...(requested.has('P1') || requested.has('P4') ? [http('rest', product, requests.rest)] : []),
      ...(requested.has('P2') ? [http('trpc', product, requests.trpc)] : []),
      ...(requested.has('P3') ? [http('batch', product, requests.batch, 10)] : []),
      ...(requested.has('P4') && !missing
        ? [await database(), { ...(await database()), name: 'pgbench again' }]
        : []),
      ...(requested.has('P5')
        ? [
            http('node:http', nodeHttp, requests.health),
            http('node:http again', nodeHttp, requests.health),
            http('health', product, requests.health),
            http('hono', honoFixed, requests.health),
            http('hono again', honoFixed, requests.health),
          ]
        : []),
    ]
    const { measured, failures } = await runRounds(contenders, session)
    return toRows(measured, failures, missing).filter(({ row }) =>
      requested.has(/^P\d+/.exec(row)?.[0] ?? row),
    )
  } finally {
    await load.stop()
    await Promise.all([peer, product, nodeHttp, honoFixed].map((server) => server.process.stop()))
  }
}

export interface RequestLists {
  /** The record that the product returns. */
  peer: readonly HttpRequest[]
  /** The columns of one table. */
  row: readonly HttpRequest[]
  rest: readonly HttpRequest[]
  trpc: readonly HttpRequest[]
  batch: readonly HttpRequest[]
  /** The tenants of owners, who have about two, and of consultants, who have about twelve. */
  list: Record<'few' | 'many', readonly HttpRequest[]>
  peerList: Record<'few' | 'many', readonly HttpRequest[]>
  health: readonly HttpRequest[]
  expected: readonly ExpectedTenant[]
  expectedBatch: readonly (readonly string[])[]
}

async function buildRequests(
  { owners, consultants }: Population,
  issuer: Issuer,
): Promise<RequestLists> {
  const get = (path: string, token?: string): HttpRequest => ({
    method: 'GET',
    path,
    headers: token ? { authorization: `Bearer ${token}` } : {},
  })
  const input = (value: unknown) => encodeURIComponent(JSON.stringify(value))
  const tokens = await Promise.all(owners.map(({ subject }) => issuer.sign(subject)))
  const consultantTokens = await Promise.all(consultants.map(({ subject }) => issuer.sign(subject)))
  return {
    peer: owners.map(({ slug }) => get(`/tenants/${slug}`)),
    row: owners.map(({ slug }) => get(`/rows/${slug}`)),
    rest: owners.map(({ slug }, i) => get(`/tenants/${slug}`, tokens[i])),
    trpc: owners.map(({ slug }, i) =>
      get(`/trpc/tenants.get?input=${input({ json: { slug } })}`, tokens[i]),
    ),
    batch: consultants.map(({ slugs }, i) => {
      const names = slugs.map(() => 'tenants.get').join(',')
      const inputs = Object.fromEntries(slugs.map((slug, k) => [k, { json: { slug } }]))
      return get(`/trpc/${names}?batch=1&input=${input(inputs)}`, consultantTokens[i])
    }),
    list: {
      few: tokens.map((token) => get('/tenants', token)),
      many: consultantTokens.map((token) => get('/tenants', token)),
    },
    peerList: {
      few: owners.map(({ subject }) => get(`/people/${subject}/tenants`)),
      many: consultants.map(({ subject }) => get(`/people/${subject}/tenants`)),
    },
    health: [get('/health')],
    expected: owners,
    expectedBatch: consultants.map(({ slugs }) => slugs),
  }
}

const cpu = (figures: Figures) => figures.cpuMicrosPerCall ?? Number.NaN
const rate = (figures: Figures) => figures.callsPerSecond

function toRows(
  measured: Measured,
  failures: ReadonlyMap<string, string>,
  pgbenchIsMissing: string | undefined,
): RowResult[] {
  const select = 'Hono + one named select of the same record, Pool 8'
  const compare = (
    peer: string,
    ours: string,
    quantity: (figures: Figures) => number,
    invert = false,
  ): Pick<RowResult, 'values' | 'nullTest' | 'note' | 'figures'> => {
    const failure = [peer, `${peer} again`, ours].flatMap((name) =>
      failures.has(name) ? [`${name}: ${failures.get(name)}`] : [],
    )
    if (failure.length > 0) return { values: [], note: failure.join('; ') }
    const [a, b, own] = [peer, `${peer} again`, ours].map((name) =>
      (measured.get(name) ?? []).map(quantity),
    ) as [number[], number[], number[]]
    const ratio = (i: number, over: number[]) => {
      const [p, o] = [((a[i] ?? Number.NaN) + (b[i] ?? Number.NaN)) / 2, over[i] ?? Number.NaN]
      return invert ? o / p : p / o
    }
    return {
      values: own.map((_, i) => ratio(i, own)),
      nullTest: a.map((value, i) => value / (b[i] ?? Number.NaN)),
      figures: { [peer]: mid(measured.get(peer) ?? []), [ours]: mid(measured.get(ours) ?? []) },
    }
  }
  const base = { unit: 'x', direction: 'at least' } as const
  return [
    {
      row: 'P1',
      what: 'REST GET /tenants/{slug}',
      peer: select,
      ...base,
      reach: 1,
      beyond: 1.5,
      ...compare('peer', 'rest', cpu),
    },
    {
      row: 'P1 (row)',
      what: 'the same against a smaller answer',
      peer: 'Hono + one named select of one table, Pool 8',
      ...base,
      reach: 1,
      beyond: 1.5,
      ...compare('row', 'rest', cpu),
    },
    {
      row: 'P2',
      what: 'tRPC tenants.get',
      peer: select,
      ...base,
      reach: 0.85,
      beyond: 1,
      ...compare('peer', 'trpc', cpu),
    },
    {
      row: 'P3',
      what: 'tRPC batch of ten, per call',
      peer: select,
      ...base,
      reach: 1.5,
      beyond: 2.5,
      ...compare('peer', 'batch', cpu),
    },
    {
      row: 'P4',
      what: 'P1 in requests/s',
      peer: 'pgbench, same SQL, 8 clients',
      ...base,
      reach: 0.65,
      beyond: 0.75,
      ...(pgbenchIsMissing
        ? { values: [], note: pgbenchIsMissing }
        : compare('pgbench', 'rest', rate, true)),
    },
    {
      row: 'P5a',
      what: 'GET /health',
      peer: 'node:http, fixed JSON',
      ...base,
      reach: 0.85,
      beyond: 0.92,
      ...compare('node:http', 'health', cpu),
    },
    {
      row: 'P5b',
      what: 'GET /health',
      peer: 'Hono, fixed JSON',
      ...base,
      reach: 0.75,
      beyond: 0.85,
      ...compare('hono', 'health', cpu),
    },
    ...(['few', 'many'] as const).map(
      (tenants): RowResult => ({
        row: tenants === 'few' ? 'P16a' : 'P16b',
        what: `REST GET /tenants, ${tenants === 'few' ? 'about two' : 'about twelve'} tenants`,
        peer: 'Hono + one named select of the same records, Pool 8',
        unit: 'x',
        direction: 'at most',
        reach: 1.3,
        beyond: 1.1,
        ...compare(`peer, ${tenants}`, `list, ${tenants}`, cpu, true),
      }),
    ),
  ]
}

/** The middle of each figure over the rounds. */
function mid(rounds: readonly Figures[]): Figures {
  const of = (key: keyof Figures) =>
    median(rounds.map((figures) => figures[key]).filter((value) => value !== undefined))
  const known = (key: keyof Figures) => (rounds[0]?.[key] === undefined ? {} : { [key]: of(key) })
  return {
    callsPerSecond: of('callsPerSecond'),
    ...known('cpuMicrosPerCall'),
    ...known('p50Ms'),
    ...known('p99Ms'),
  }
}
