import { randomBytes } from 'node:crypto'
import { searchAuditEvents } from '@atrium/db/audit/audit-search'
import { insertInboxEvent } from '@atrium/db/billing/webhook-inbox'
import { listMembers } from '@atrium/db/members/members'
import { type Database, openDatabase } from '@atrium/db/platform/connect'
import { pipelined, platformScope, readMrr } from '@atrium/db/reports/reports'
import { listOwnEvents, listTaken } from '@atrium/db/scheduling/availability'
import { bookedSpansOf } from '@atrium/db/scheduling/hosts'
import { dropDatabase } from '@atrium/db/server/provision-database'
import { findTenantForCaller, listTenants } from '@atrium/db/tenants/tenants'
import { sql } from 'kysely'
import { slugOf, subjectOf } from '../data.ts'
import { type GrownWorkplace, growWorkplace } from '../growth-data.ts'
import { runRounds } from '../measure/slots.ts'
import { median, slopeOf } from '../measure/statistics.ts'
import type { Session } from '../session.ts'
import { attempted, type Bars, type RowResult } from './result.ts'
import { callContender } from './sequence.ts'

const callsPerSlot = 60
const page = 50
/** Spread evenly over a table. */
const manyKeys = 200
const depths = [1, 100, 10_000] as const

interface Grown {
  workplace: GrownWorkplace
  database: Database
  reports: Database
}

/**
 * How cost grows from one size to the next, as the exponent of the number of rows (0: not at all,
 * 1: in proportion), and what a page costs that lies deep in a list of the largest size.
 */
export async function measureGrowth(
  session: Session,
  requested: ReadonlySet<string>,
  sizes: readonly number[],
  say: (text: string) => void,
) {
  const all: Grown[] = []
  const adminNames: string[] = []
  try {
    for (const rows of requested.has('GROWTH') ? sizes : sizes.slice(-1)) {
      const began = performance.now()
      const workplace = await growWorkplace(session.adminUrl, rows)
      adminNames.push(...workplace.names)
      const open = (url: string) =>
        openDatabase({ url, applicationName: 'bench', onError: () => {} })
      all.push({
        workplace,
        database: open(workplace.appUrl),
        reports: open(workplace.appUrl.replace(workplace.names[0] ?? '', workplace.names[1] ?? '')),
      })
      say(`${rows} rows of everything in ${Math.round((performance.now() - began) / 1000)} s`)
    }
    const largest = all.at(-1)
    return [
      ...(requested.has('GROWTH') ? await exponents(session, all) : []),
      ...(requested.has('DEPTH') && largest ? await measureDepths(session, largest) : []),
    ]
  } finally {
    for (const { database, reports } of all) await Promise.all([database.close(), reports.close()])
    for (const name of adminNames) await dropDatabase(session.adminUrl, name)
  }
}

interface Work {
  what: string
  /** What it does with a test app of one size. */
  calls(grown: Grown, session: Session): Promise<() => Promise<unknown>>
}

const works: readonly Work[] = [
  {
    what: 'tenant by key, with the caller',
    calls: async ({ database, workplace }, { random }) => {
      // Of the second tenant on, since the first has all people. A larger database keeps a smaller
      // part of itself in memory, and what is asked for here is the work, not the disk: the same
      // keys come again.
      const one = () =>
        2 + Math.floor(random() * manyKeys) * Math.floor((workplace.rows - 2) / manyKeys)
      return async () => {
        const n = one()
        const found = await findTenantForCaller(database, subjectOf(n), slugOf(n), new Date())
        if (!found?.tenant) throw new Error('the tenant was not found')
      }
    },
  },
  { what: 'first page of tenants', calls: async (grown) => () => tenantPage(grown, undefined) },
  {
    what: 'page in the middle of all tenants',
    calls: async (grown) => {
      const before = await cursorAt(grown, 'tenants', Math.floor(grown.workplace.rows / 2))
      return () => tenantPage(grown, before)
    },
  },
  {
    what: 'page of the members of one tenant',
    calls: async (grown) => () => memberPage(grown, undefined),
  },
  { what: 'page of the audit log', calls: async (grown) => () => auditPage(grown, {}) },
  {
    what: 'audit log of one tenant',
    calls:
      async (grown, { random }) =>
      async () =>
        auditPage(grown, { tenantSlug: slugOf(1 + Math.floor(random() * 3)) }, 1),
  },
  {
    what: 'recurring revenue now',
    calls:
      async ({ reports, workplace }) =>
      async () => {
        const { rows } = await readMrr(pipelined(reports), platformScope, {
          at: workplace.subscriptions.now,
          past: false,
        })
        if (rows.length === 0) throw new Error('the report is empty')
      },
  },
  {
    what: 'bookings in the way of 30 days of a host',
    calls: async ({ database, workplace }) => {
      const range = { from: new Date(workplace.month.start), to: new Date(workplace.month.end) }
      const events = Array.from({ length: 30 }, (_, n) => `event-${n * 100}`)
      return async () => {
        const taken = await listTaken(
          database.db,
          workplace.hostId,
          { ...range, now: new Date() },
          undefined,
        )
        const own = await listOwnEvents(database.db, workplace.hostId, range, events)
        const spans = await bookedSpansOf(database.db, workplace.hostId, workplace.month)
        if (taken.length === 0 || own.length === 0 || spans.length === 0)
          throw new Error('the host has no bookings')
      }
    },
  },
  {
    what: 'payment event taken in',
    calls:
      async ({ database }) =>
      async () => {
        const id = `evt_${randomBytes(12).toString('hex')}`
        const event = {
          id,
          type: 'invoice.paid',
          objectId: 'in_1',
          apiVersion: null,
          created: new Date(),
          livemode: false,
          payload: '{}',
        }
        if (!(await insertInboxEvent(database.db, { ...event, state: 'received' })))
          throw new Error('the event was there already')
      },
  },
]

async function exponents(session: Session, all: readonly Grown[]): Promise<RowResult[]> {
  const rows: RowResult[] = []
  for (const [n, work] of works.entries()) {
    const sizes = all.map(({ workplace }) => workplace.rows)
    const bars: Bars = {
      row: `G${n + 1}`,
      what: `${work.what}, ${powers(sizes)} rows`,
      peer: 'the exponent of the number of rows',
      unit: 'exponent',
      direction: 'at most',
      reach: 0.15,
      beyond: 0.05,
    }
    rows.push(
      await attempted(bars, async () => {
        const contenders = await Promise.all(
          all.map(async (grown) =>
            callContender(
              String(grown.workplace.rows),
              callsPerSlot,
              await work.calls(grown, session),
            ),
          ),
        )
        for (const { measure } of contenders) await measure()
        const { measured, failures } = await runRounds(contenders, session)
        for (const [size, reason] of failures) throw new Error(`${size} rows: ${reason}`)
        const times = sizes.map((size) =>
          (measured.get(String(size)) ?? []).map((figures) => figures.p50Ms ?? Number.NaN),
        )
        const ofRound = (round: number) =>
          slopeOf(
            sizes.map((size, i) => [Math.log10(size), Math.log10(times[i]?.[round] ?? Number.NaN)]),
          )
        return {
          values: (times[0] ?? []).map((_, round) => ofRound(round)),
          note: sizes
            .map((size, i) => `${powers([size])}: ${median(times[i] ?? []).toFixed(2)} ms`)
            .join(', '),
        }
      }),
    )
  }
  return rows
}

const powers = (sizes: readonly number[]) =>
  sizes.map((size) => `10^${Math.log10(size)}`).join(', ')

/** Pages by how many lie before them; what is deeper than the list is long is left out. */
async function measureDepths(session: Session, grown: Grown): Promise<RowResult[]> {
  const lists = {
    tenants: (before: string | undefined) => tenantPage(grown, before),
    members: (before: string | undefined) => memberPage(grown, before),
    audit_events: (before: string | undefined) => auditPage(grown, { before }),
  }
  const deep = depths.map((depth) => Math.min(depth, Math.floor(grown.workplace.rows / page) - 1))
  const rows: RowResult[] = []
  for (const [n, [name, read]] of Object.entries(lists).entries()) {
    const bars: Bars = {
      row: `D${n + 1}`,
      what: `${name}: page ${deep.at(-1)} of ${page}, keyset`,
      peer: 'page 1 of the same list',
      unit: 'x',
      direction: 'at most',
      reach: 1.5,
      beyond: 1.1,
    }
    rows.push(
      await attempted(bars, async () => {
        const contenders = await Promise.all(
          deep.map(async (depth) => {
            const before =
              depth === 1
                ? undefined
                : await cursorAt(grown, name as keyof typeof lists, (depth - 1) * page)
            return callContender(String(depth), callsPerSlot, () => read(before))
          }),
        )
        contenders.push({
          ...(contenders[0] ?? callContender('1', 0, async () => {})),
          name: '1 again',
        })
        for (const { measure } of contenders) await measure()
        const { measured, failures } = await runRounds(contenders, session)
        for (const [depth, reason] of failures) throw new Error(`page ${depth}: ${reason}`)
        const times = (depth: string) =>
          (measured.get(depth) ?? []).map((figures) => figures.p50Ms ?? Number.NaN)
        const [first, again, last] = [times('1'), times('1 again'), times(String(deep.at(-1)))]
        return {
          values: last.map(
            (ms, i) => ms / (((first[i] ?? Number.NaN) + (again[i] ?? Number.NaN)) / 2),
          ),
          nullTest: first.map((ms, i) => ms / (again[i] ?? Number.NaN)),
          note: deep
            .map((depth) => `page ${depth}: ${median(times(String(depth))).toFixed(2)} ms`)
            .join(', '),
        }
      }),
    )
  }
  return rows
}

async function tenantPage({ database }: Grown, before: string | undefined): Promise<void> {
  expectFull(
    await listTenants(database.db, { scope: { everything: true }, before, limit: page }),
    page,
  )
}
async function memberPage(
  { database, workplace }: Grown,
  before: string | undefined,
): Promise<void> {
  expectFull(await listMembers(database.db, workplace.crowdedId, { before, limit: page }), page)
}
async function auditPage(
  { database }: Grown,
  filter: { tenantSlug?: string; before?: string | undefined },
  least = page,
): Promise<void> {
  const { events } = await database.search((db) => searchAuditEvents(db, filter, page))
  expectFull(events, least)
}
function expectFull(rows: readonly unknown[], least: number): void {
  if (rows.length < least) throw new Error(`the page has ${rows.length} rows`)
}

/** The cursor after so many rows of a list. */
async function cursorAt(
  { database, workplace }: Grown,
  list: 'tenants' | 'members' | 'audit_events',
  offset: number,
): Promise<string> {
  const cursors = {
    tenants: sql`select id::text as cursor from tenants order by id desc`,
    members: sql`select user_id::text as cursor from memberships where tenant_id = ${workplace.crowdedId} order by user_id desc`,
    audit_events: sql`select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '_' || id as cursor
      from audit_events order by at desc, id desc`,
  }
  const { rows } = await sql<{
    cursor: string
  }>`${cursors[list]} offset ${offset - 1} limit 1`.execute(database.db)
  if (!rows[0]) throw new Error(`the list ends before ${offset}`)
  return rows[0].cursor
}
