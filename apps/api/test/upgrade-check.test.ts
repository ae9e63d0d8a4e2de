import { copyDatabase } from '@atrium/testing/postgres/database'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { checkUpgrade, distance } from '../src/admin/upgrade-check.ts'

let accounts: Awaited<ReturnType<typeof copyDatabase>>
let owner: pg.Client
beforeAll(async () => {
  accounts = await copyDatabase()
  owner = new pg.Client(accounts.ownerUrl)
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await accounts[Symbol.asyncDispose]()
})

const check = (options: Partial<Parameters<typeof checkUpgrade>[0]> = {}) =>
  checkUpgrade({ ownerUrl: accounts.ownerUrl, apiUrl: accounts.appUrl, ...options })

it('names the migrations to come, and rejects those of a newer version', async () => {
  const { rows } = await owner.query<{ name: string; timestamp: string }>(
    'delete from kysely_migration where name = (select max(name) from kysely_migration) returning *',
  )
  const newest = rows[0]?.name ?? ''
  expect(await check()).toContainEqual({ level: 'ok', need: `migrations to come: ${newest}` })
  await owner.query('insert into kysely_migration (name, timestamp) values ($1, $2), ($3, $2)', [
    newest,
    rows[0]?.timestamp,
    '9999-later',
  ])
  expect(await check()).toContainEqual({
    level: 'error',
    need: 'migrations',
    text: expect.stringContaining('9999-later'),
  })
  await owner.query(`delete from kysely_migration where name = '9999-later'`)
  expect(await check()).toContainEqual({ level: 'ok', need: 'migrations: none to come' })
})

it('names transactions that are open for long, of either account', async () => {
  for (const url of [accounts.ownerUrl, accounts.appUrl]) {
    const other = new pg.Client({ connectionString: url, application_name: 'long report' })
    await other.connect()
    await other.query('begin')
    await other.query('select 1')
    const facts = await check({ longSeconds: 0 })
    expect(facts, url).toContainEqual({
      level: 'error',
      need: 'long transactions',
      text: expect.stringMatching(/^long report has one open for \d+ s/),
    })
    await other.query('rollback')
    await other.end()
  }
  expect(await check()).toContainEqual({ level: 'ok', need: 'long transactions' })
})

it('warns of sessions that it cannot see into', async () => {
  const admin = new URL(inject('adminUrl'))
  admin.pathname = new URL(accounts.ownerUrl).pathname
  const other = new pg.Client(admin.toString())
  await other.connect()
  try {
    expect(await check({ apiUrl: undefined })).toContainEqual({
      level: 'warning',
      need: 'long transactions',
      text: expect.stringMatching(/^of \d+ sessions cannot be seen/),
    })
  } finally {
    await other.end()
  }
})

it('warns of indexes that were not completed', async () => {
  await owner.query('create table broken (a int)')
  await owner.query('insert into broken values (1), (1)')
  await expect(
    owner.query('create unique index concurrently broken_a on broken (a)'),
  ).rejects.toThrow()
  expect(await check()).toContainEqual({
    level: 'warning',
    need: 'indexes broken_a',
    text: expect.stringContaining('were not completed'),
  })
  await owner.query('drop table broken')
  expect((await check()).filter(({ need }) => need.startsWith('indexes'))).toEqual([])
})

it('asks for a folder on the disk of the database, and looks at it', async () => {
  const disk = async (folder?: string) =>
    (await check({ disk: folder })).find(({ need }) => need.startsWith('disk of the database'))
  expect(await disk()).toMatchObject({ level: 'warning' })
  expect(await disk('/')).toMatchObject({ level: 'ok' })
  expect(await disk('/there/is/none')).toMatchObject({ level: 'error' })
  // A file system without blocks has nothing free.
  expect(await disk('/proc')).toMatchObject({ level: 'error' })
})

it('compares the version that runs with this one', async () => {
  const findings = await check({ running: 'http://127.0.0.1:1' })
  expect(findings.at(-1)).toMatchObject({ level: 'warning' })
  expect(distance('version', '1.4.0', '1.5.0').level).toBe('ok')
  expect(distance('version', '1.9.0', '2.0.0').level).toBe('ok')
  expect(distance('version', '1.4.0', '3.0.0').level).toBe('error')
  expect(distance('version', '1.5.0', '1.4.2').level).toBe('error')
})
