import { randomUUID } from 'node:crypto'
import { createApp } from '@atrium/api/app'
import { readConfig } from '@atrium/api/platform/config'
import { createLogger } from '@atrium/api/platform/log'
import { openDatabase } from '@atrium/db/platform/connect'
import { connectIntegrations } from '@atrium/integrations/connect'
import { sql } from 'kysely'

// P14: sends a backlog of queued mails, each rendered in the branding of its tenant, through a mail
// server that takes everything at once.
const url = process.env.DATABASE_URL ?? ''
let left = 0
let cleared: () => void = () => {}
const config = readConfig({
  DATABASE_URL: url,
  PORT: '0',
  IDP_ISSUER: 'http://127.0.0.1:1/',
  IDP_AUDIENCE: 'bench',
  LOG_LEVEL: 'warn',
})
const database = openDatabase({ url, onError: () => {} })
const app = createApp({
  config,
  database,
  integrations: {
    ...(await connectIntegrations({
      identity: null,
      mail: null,
      files: null,
      smtp: null,
      payments: null,
    })),
    mailFrom: 'Atrium <no-reply@atrium.test>',
    mailer: {
      check: async () => {},
      send: async ({ messageId = '' }) => {
        left -= 1
        if (left === 0) cleared()
        return { messageId }
      },
    },
  },
  log: createLogger('warn'),
})
await app.start()
const tenant = await database.db
  .selectFrom('tenants')
  .select('id')
  .where('slug', '=', 'acme')
  .executeTakeFirstOrThrow()

async function drain(mails: number): Promise<number> {
  const { db } = database
  const ids = await sql<{ id: string }>`
    insert into outbox (key, tenant_id, template, recipient, "values", message_id, next_at)
    select gen_random_uuid(), ${tenant.id}::uuid, 'member.welcome', 'mira@acme.test',
      '{"member.name":"Mira","member.email":"mira@acme.test","link.signIn":"https://portal.test/"}', gen_random_uuid(), now() + interval '1 hour'
    from generate_series(1, ${mails}) returning id`.execute(db)
  left = mails
  const done = new Promise<void>((resolve) => {
    cleared = resolve
  })
  const started = performance.now()
  await sql`update outbox set next_at = now() where state = 'queued'`.execute(db)
  await app.services.jobs.enqueueOutbox(ids.rows[0]?.id ?? randomUUID(), 0)
  await done
  return performance.now() - started
}

process.on('message', ({ jobs }: { jobs: number }) => {
  drain(jobs).then(
    (ms) => process.send?.({ ms }),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exit(1)
    },
  )
})
