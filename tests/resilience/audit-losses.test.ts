import { appRouter } from '@atrium/api/router'
import { proceduresOf } from '@atrium/api/rpc/procedure'
import { type Outcome, overRest } from '@atrium/testing/calls'
import { type CarriedOut, carriedOut } from '@atrium/testing/carried-out'
import { openLocations, type Places } from '@atrium/testing/matrix/world'
import { recordMeasurement } from '@atrium/testing/measurements'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordedApart } from './recorded-apart.ts'

let places: Places
let owner: pg.Client
beforeAll(async () => {
  places = await openLocations()
  owner = new pg.Client({ connectionString: places.testApp.ownerUrl })
  await owner.connect()
  await owner.query(`
    create function audit_is_away() returns trigger language plpgsql as $$ begin raise exception 'no space left on device' using errcode = '53100'; end $$;
    create trigger audit_is_away before insert on audit_events for each row execute function audit_is_away();
    alter table audit_events disable trigger audit_is_away`)
  await noteWrites()
})
afterAll(async () => {
  await owner.end()
  await places[Symbol.asyncDispose]()
})

/**
 * Mutations that record nothing: they change nothing that lasts, or only what the caller alone sees
 * for minutes.
 */
const unrecorded = [
  'billing.createSetupIntent',
  'branding.preview',
  'partnerTransfers.preview',
  'scheduling.eventTypes.preview',
  'scheduling.hosts.check',
  'scheduling.locks.release',
  'scheduling.locks.renew',
  'scheduling.locks.take',
  'scheduling.manage.sendLink',
  'securityPolicy.preview',
]

const mutations = Object.entries(proceduresOf(appRouter)).flatMap(([name, { _def }]) =>
  _def.type === 'mutation' ? [{ name, action: _def.meta?.audit }] : [],
)
const audited = mutations.flatMap(({ name, action }) => (action === undefined ? [] : [name]))

it('knows of every mutation whether it is recorded', () => {
  expect(audited.length).toBeGreaterThan(100)
  expect(
    mutations
      .filter(({ action }) => action === undefined)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(unrecorded)
  expect(audited.filter((name) => carriedOut(name).length === 0)).toEqual([])
})

/** Has each table note in which transaction it was written. */
async function noteWrites(): Promise<void> {
  await owner.query(`
    create unlogged table writes (transaction_id xid8 not null, of text not null);
    grant insert on writes to public;
    create function note_write() returns trigger language plpgsql security definer as $$
    begin
      if exists (select from inserted) then insert into writes values (pg_current_xact_id(), tg_table_name); end if;
      return null;
    end $$;
    do $$
    declare one record; act record;
    begin
      for one in select relname from pg_class where relnamespace = 'public'::regnamespace
          and relkind in ('r', 'p') and not relispartition and relname <> 'writes' loop
        for act in select * from (values ('insert', 'new'), ('update', 'new'), ('delete', 'old')) as a (name, rows) loop
          execute format('create trigger %I after %s on %I referencing %s table as inserted
            for each statement execute function note_write()', 'note_' || act.name, act.name, one.relname, act.rows);
        end loop;
      end loop;
    end $$`)
}

/** Tables that are written because an entry is. */
const withEachEntry = ['audit_events', 'events', 'audit_chain_heads', 'audit_values']

/** Transactions that wrote an entry and no change, since the last call; forgets all. */
async function entriesApart(): Promise<number> {
  const { rows } = await owner.query<{ apart: number }>(
    `with taken as (delete from writes returning *)
     select count(*)::int as apart from (
       select transaction_id from taken group by transaction_id
       having bool_or(of = 'audit_events') and bool_and(of = any($1))) t`,
    [withEachEntry],
  )
  return rows[0]?.apart ?? 0
}

interface Watched {
  outcome: Outcome
  entries: number
  /** Of them, how many were committed without any change. */
  apart: number
  losses: number
  told: number
}

/** Carries a call out and looks at what it left in the audit log, the metrics and the log. */
async function watch(name: string, call: CarriedOut): Promise<Watched> {
  const { testApp } = places
  const world = await places.build(call.caller)
  const { input, token } = await call.prepare(world)
  const before = {
    entries: await entries(),
    losses: await losses(),
    lines: testApp.logLines.length,
  }
  await entriesApart()
  const outcome = await overRest(testApp, name, input, token)
  const told = testApp.logLines
    .slice(before.lines)
    .filter((line) => line.includes('failed to write audit entry')).length
  return {
    outcome,
    entries: (await entries()) - before.entries,
    apart: await entriesApart(),
    losses: (await losses()) - before.losses,
    told,
  }
}

async function entries(): Promise<number> {
  const { rows } = await sql<{
    count: number
  }>`select count(*)::int as count from audit_events`.execute(places.testApp.database.db)
  return rows[0]?.count ?? 0
}

async function losses(): Promise<number> {
  const { values } = await places.testApp.app.services.metrics.auditWriteFailures.get()
  return values[0]?.value ?? 0
}

const calls = audited.flatMap((name) =>
  carriedOut(name).map((call, index) => ({ name, call, index })),
)
const missing: string[] = []
const failed: string[] = []
const apart = new Set<string>()

it('leaves an entry of every mutation while the log can be written', async () => {
  for (const { name, call, index } of calls) {
    const { outcome, entries: left, losses: lost, ...seen } = await watch(name, call)
    if (seen.apart > 0) apart.add(name)
    if (outcome.outcome !== 'ok')
      missing.push(`${name} ${index}: ${outcome.outcome} ${JSON.stringify(outcome.body)}`)
    else if (left < 1 || lost !== 0)
      missing.push(`${name} ${index}: ${left} entries, ${lost} losses`)
  }
  await recordMeasurement({
    target: 'R9',
    what: 'without faults',
    measured: `${audited.length} audited mutations in ${calls.length} calls, ${missing.length} without their entry`,
    reached: missing.length === 0,
  })
  expect(missing).toEqual([])
})

it('commits each entry with its change', () => {
  expect([...apart].sort()).toEqual(Object.keys(recordedApart).sort())
})

it('lets every mutation succeed while it cannot, and counts and logs each loss', async () => {
  await owner.query('alter table audit_events enable trigger audit_is_away')
  const lost = { counted: 0, told: 0 }
  try {
    for (const { name, call, index } of calls) {
      const seen = await watch(name, call)
      lost.counted += seen.losses
      lost.told += seen.told
      if (seen.outcome.outcome !== 'ok')
        failed.push(
          `${name} ${index}: ${seen.outcome.outcome} ${JSON.stringify(seen.outcome.body)}`,
        )
      else if (seen.entries !== 0 || seen.losses < 1 || seen.told !== seen.losses) {
        failed.push(
          `${name} ${index}: ${seen.entries} entries, ${seen.losses} losses counted, ${seen.told} logged`,
        )
      }
    }
  } finally {
    await owner.query('alter table audit_events disable trigger audit_is_away')
  }
  await recordMeasurement({
    target: 'R9',
    what: 'while no entry can be written',
    measured: `${calls.length - failed.length} of ${calls.length} calls succeeded, ${lost.counted} losses counted, ${lost.told} logged`,
    reached: failed.length === 0,
  })
  expect(failed).toEqual([])
})
