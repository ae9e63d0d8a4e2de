import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUp } from '../src/clean-up.ts'

let testApp: TestApp
beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false })
})
afterAll(() => testApp?.[Symbol.asyncDispose]())

async function asOwner(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: testApp.ownerUrl })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

async function addExpired(): Promise<void> {
  const { db } = testApp.database
  await sql`insert into idempotency_keys (scope, key, request_hash, expires_at) values ('test', 'old', '\\x00', now() - interval '1 hour'),
    ('test', 'new', '\\x00', now() + interval '1 hour') on conflict (scope, key) do update set expires_at = excluded.expires_at`.execute(
    db,
  )
  await sql`insert into webhook_inbox (id, type, created, livemode, payload, state, received_at, finished_at)
    values ('evt_old', 'invoice.paid', now() - interval '91 days', false, '{"object":"event"}', 'applied', now() - interval '91 days', now()),
      ('evt_new', 'invoice.paid', now(), false, '{"object":"event"}', 'applied', now(), now())
    on conflict (id) do update set payload = excluded.payload`.execute(db)
}

async function left() {
  const { db } = testApp.database
  const keys = await db
    .selectFrom('idempotency_keys')
    .select('key')
    .where('scope', '=', 'test')
    .execute()
  const emptied = await sql<{
    id: string
  }>`select id from webhook_inbox where payload ? 'sha256'`.execute(db)
  return { keys: keys.map(({ key }) => key), emptied: emptied.rows.map(({ id }) => id) }
}

describe('the hourly clean-up', () => {
  it('takes away what has expired and nothing else', async () => {
    await addExpired()
    await cleanUp(testApp.app.services)
    expect(await left()).toEqual({ keys: ['new'], emptied: ['evt_old'] })
  })

  it('does the rest of its duties when one fails, names that one in the log, and fails so that it is tried again', async () => {
    await addExpired()
    await asOwner(
      'revoke execute on function audit_ensure_partitions(date) from atrium_app, public',
    )
    try {
      await expect(cleanUp(testApp.app.services)).rejects.toThrow('1 clean-up tasks failed')
    } finally {
      await asOwner('grant execute on function audit_ensure_partitions(date) to atrium_app')
    }
    expect(await left()).toEqual({ keys: ['new'], emptied: ['evt_old'] })
    const told = testApp.logLines
      .map((line) => JSON.parse(line))
      .filter(({ duty }) => duty !== undefined)
    expect(told).toMatchObject([{ duty: 'audit partitions', level: 'error' }])
  })
})
