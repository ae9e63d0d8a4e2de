import { copyDatabase } from '@atrium/testing/postgres/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isUnavailable } from '../../src/platform/failures.ts'
import { openPool } from '../../src/platform/pool.ts'

let accounts: Awaited<ReturnType<typeof copyDatabase>>
beforeAll(async () => {
  accounts = await copyDatabase()
})
afterAll(() => accounts[Symbol.asyncDispose]())

describe('a pool of connections', () => {
  it('outlives the loss of one that is in the middle of a transaction', async () => {
    const lost: string[] = []
    const pool = openPool(
      { connectionString: accounts.ownerUrl, max: 2 },
      (error) => void lost.push(error.message),
    )
    const client = await pool.connect()
    await client.query('begin')
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await expect.poll(() => lost.length).toBeGreaterThan(0)
    expect(lost[0]).toMatch(/terminating connection/)
    await expect(client.query('commit')).rejects.toThrow()
    client.release(true)
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await pool.end()
  })

  it('outlives the loss of one that is idle, and tells it once', async () => {
    const lost: string[] = []
    const pool = openPool(
      { connectionString: accounts.ownerUrl, max: 2 },
      (error) => void lost.push(error.message),
    )
    const [one, other] = [await pool.connect(), await pool.connect()]
    const { rows } = await one.query<{ pid: number }>('select pg_backend_pid() as pid')
    one.release()
    await other.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    other.release()
    await expect.poll(() => pool.totalCount).toBe(1)
    expect(lost.filter((message) => message.includes('terminating'))).toHaveLength(1)
    await pool.end()
  })
})

it('a statement that was given up in time is one that may be tried later', async () => {
  const pool = openPool(
    { connectionString: accounts.ownerUrl, max: 1, statement_timeout: 50 },
    () => undefined,
  )
  const given = await pool.query('select pg_sleep(5)').catch((error: unknown) => error)
  expect(given).toMatchObject({ code: '57014' })
  expect(isUnavailable(given)).toBe(true)
  await pool.end()
})
