import { copyDatabase } from '@atrium/testing/postgres/database'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/platform/connect.ts'

let accounts: Awaited<ReturnType<typeof copyDatabase>>
let database: Database

beforeAll(async () => {
  accounts = await copyDatabase()
  database = openDatabase({ url: accounts.appUrl, readers: 1, onError: () => {} })
})
afterAll(async () => {
  await database.close()
  await accounts[Symbol.asyncDispose]()
})

const everyType = {
  name: 'every_type',
  text: `select $1::text as text, $2::int as int, $3::bool as bool, $4::bytea as bytes, 5000000000::int8 as big, null::text as nothing,
    '{"a":[1]}'::json as json, timestamptz '2026-11-21T10:00:00.123456Z' as at, array['x', 'y'] as list`,
}

it('reads each type as an ordinary query of pg does', async () => {
  const client = new pg.Client({ connectionString: accounts.appUrl })
  await client.connect()
  const values = ['ä "quoted"', 7, true, Buffer.from([0, 255])]
  const { rows } = await client.query({ ...everyType, values })
  await client.end()
  expect(rows).toHaveLength(1)
  // The first run asks for the columns, the later ones know them.
  for (let run = 0; run < 3; run++)
    expect(await database.read(everyType, values)).toEqual([{ ...rows[0], big: 5_000_000_000 }])
})

it.each(['UTC', 'Asia/Kathmandu', 'America/St_Johns'])(
  'reads instants as pg does in the zone %s',
  async (zone) => {
    const told = [
      ...[
        '2026-11-21T10:00:00Z',
        '2026-11-21T10:00:00.1Z',
        '2026-11-21T10:00:00.123456Z',
        '2026-11-21T10:00:00.9999Z',
      ],
      ...[
        '1969-12-31T23:59:59.999999Z',
        '0001-01-01T00:00:00Z',
        '0044-03-15 12:00Z BC',
        '12026-01-01T00:00:00Z',
      ],
      ...['1890-06-01T00:00:00Z', '2024-02-29T23:59:59Z', 'infinity', '-infinity'],
    ]
    const statement = {
      name: 'instants',
      text: `select ${told.map((one, i) => `timestamptz '${one}' as "${i}"`).join(', ')}, null::timestamptz as nothing`,
    }
    const url = `${accounts.appUrl}?options=${encodeURIComponent(`-c TimeZone=${zone}`)}`
    const client = new pg.Client({ connectionString: url })
    const there = openDatabase({ url, readers: 1, onError: () => {} })
    try {
      await client.connect()
      const { rows } = await client.query(statement.text)
      expect(await there.read(statement, [])).toEqual(rows)
      expect(Object.values(rows[0]).filter((value) => value instanceof Date)).toHaveLength(
        told.length - 2,
      )
    } finally {
      await client.end()
      await there.close()
    }
  },
)

it('tells absent values and absent rows', async () => {
  expect(
    await database.read({ name: 'nulls', text: 'select $1::text as a, $2::int as b' }, [
      null,
      null,
    ]),
  ).toEqual([{ a: null, b: null }])
  expect(
    await database.read({ name: 'no_rows', text: 'select 1 as one where $1::bool' }, [false]),
  ).toEqual([])
})

it('gives many runs at once each its own rows', async () => {
  const statement = { name: 'series', text: 'select n from generate_series(1, $1::int) as n' }
  const responses = await Promise.all(
    Array.from({ length: 200 }, (_, n) => database.read<{ n: number }>(statement, [n])),
  )
  for (const [n, rows] of responses.entries())
    expect(rows.map((row) => row.n)).toEqual(Array.from({ length: n }, (_, i) => i + 1))
})

it('keeps a failure to the run that failed', async () => {
  const divide = { name: 'divide', text: 'select 10 / $1::int as n' }
  // At first each run asks for the columns by itself; later they go together, and the server leaves
  // out what follows a failure.
  for (let time = 0; time < 3; time++) {
    const runs = [5, 0, 2, 0, 1].map((n) => database.read<{ n: number }>(divide, [n]))
    const rejected = { status: 'rejected', reason: { code: '22012' } }
    expect(await Promise.allSettled(runs)).toMatchObject([
      { status: 'fulfilled', value: [{ n: 2 }] },
      rejected,
      { status: 'fulfilled', value: [{ n: 5 }] },
      rejected,
      { status: 'fulfilled', value: [{ n: 10 }] },
    ])
  }
})

it('rejects a statement that the server rejects, every time', async () => {
  const wrong = { name: 'wrong', text: 'select nothing from nowhere where $1' }
  for (let run = 0; run < 2; run++)
    await expect(database.read(wrong, [true])).rejects.toMatchObject({ code: '42P01' })
  expect(await database.read({ name: 'right', text: 'select 1 as one' }, [])).toEqual([{ one: 1 }])
})

it('fails all runs under way when the connection is cut, and reads again on a new one', async () => {
  const nap = { name: 'nap', text: 'select pg_sleep($1::float8), pg_backend_pid() as pid' }
  const [before] = await database.read<{ pid: number }>(nap, [0])
  const runs = Promise.allSettled([0.5, 0, 0].map((seconds) => database.read(nap, [seconds])))
  const admin = new pg.Client({
    connectionString: accounts.ownerUrl.replace('atrium_owner:atrium', 'postgres'),
  })
  await admin.connect()
  await admin.query('select pg_terminate_backend($1)', [before?.pid])
  await admin.end()
  expect((await runs).map((run) => run.status)).toEqual(['rejected', 'rejected', 'rejected'])
  const [after] = await database.read<{ pid: number }>(nap, [0])
  expect(after?.pid).not.toBe(before?.pid)
})

it('fails what waits when the server cannot be reached, and what waits when it is closed', async () => {
  const nowhere = openDatabase({
    url: 'postgres://atrium@127.0.0.1:1/atrium',
    readers: 2,
    onError: () => {},
  })
  const one = { name: 'one', text: 'select 1 as one' }
  const rejected = await Promise.allSettled(
    Array.from({ length: 300 }, () => nowhere.read(one, [])),
  )
  expect(
    rejected.every(
      (read) => read.status === 'rejected' && /ECONNREFUSED/.test(String(read.reason.code)),
    ),
  ).toBe(true)
  await nowhere.close()
  await expect(nowhere.read(one, [])).rejects.toThrow('closed')

  const closing = openDatabase({ url: accounts.appUrl, readers: 1, onError: () => {} })
  const reads = Promise.allSettled(Array.from({ length: 200 }, () => closing.read(one, [])))
  await closing.close()
  expect((await reads).map((read) => read.status)).not.toContain('pending')
})
