import { randomBytes } from 'node:crypto'
import { createApp } from '@atrium/api/app'
import { readConfig } from '@atrium/api/platform/config'
import { endpointSecretContext } from '@atrium/api/platform/endpoint-secret-context'
import { createLogger } from '@atrium/api/platform/log'
import { deliverEvents } from '@atrium/api/webhook-endpoints/deliver'
import { insertAuditEvent } from '@atrium/db/audit/audit'
import { endOfEvents } from '@atrium/db/events/events'
import { openDatabase } from '@atrium/db/platform/connect'
import {
  insertWebhookEndpoint,
  newEndpointId,
} from '@atrium/db/webhook-endpoints/webhook-endpoints'
import { connectIntegrations } from '@atrium/integrations/connect'

// P14: delivers a backlog of events, each with the record of the tenant, to twenty endpoints of a
// tenant, signed and logged, at a receiver that accepts everything at once.
const endpoints = 20
const databaseUrl = process.env.DATABASE_URL ?? ''
const receiver = process.env.RECEIVER_URL ?? ''
const config = readConfig({
  DATABASE_URL: databaseUrl,
  PORT: '0',
  IDP_ISSUER: 'http://127.0.0.1:1/',
  IDP_AUDIENCE: 'bench',
  LOG_LEVEL: 'warn',
  ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
  WEBHOOK_ADDRESSES: '127.0.0.1',
})
const database = openDatabase({ url: databaseUrl, onError: () => {} })
const { db } = database
const app = createApp({
  config,
  database,
  integrations: await connectIntegrations({
    identity: null,
    mail: null,
    files: null,
    smtp: null,
    payments: null,
  }),
  log: createLogger('warn'),
})
const tenant = await db
  .selectFrom('tenants')
  .select('id')
  .where('slug', '=', 'acme')
  .executeTakeFirstOrThrow()
await db.transaction().execute(async (trx) => {
  for (let n = 0; n < endpoints; n++) {
    const id = await newEndpointId(trx)
    const secret = config.keyring?.encrypt(
      `whsec_${Buffer.alloc(24, 1).toString('base64')}`,
      endpointSecretContext(id),
    )
    if (!secret) throw new Error('the bench has no keys')
    await insertWebhookEndpoint(
      trx,
      { kind: 'tenant', tenantId: tenant.id },
      {
        id,
        url: receiver,
        description: '',
        types: [],
        secret,
        createdBy: null,
        createdAt: new Date(),
        cursor: await endOfEvents(trx),
      },
    )
  }
})

async function deliver(deliveries: number): Promise<number> {
  for (let n = 0; n < deliveries / endpoints; n++)
    await insertAuditEvent(db, {
      at: new Date(),
      actorType: 'user',
      actorId: null,
      actorEmail: 'mira@acme.test',
      actorIp: null,
      action: 'tenant.updated',
      outcome: 'success',
      resourceType: 'tenant',
      resourceId: tenant.id,
      resourceName: 'Acme',
      tenantSlug: 'acme',
      partnerSlug: null,
      source: 'api',
      metadata: { changes: { name: ['Acme', 'Acme GmbH'] } },
    })
  const started = performance.now()
  await deliverEvents(app.services, 0)
  return performance.now() - started
}

process.on('message', ({ jobs }: { jobs: number }) => {
  deliver(jobs).then(
    (ms) => process.send?.({ ms }),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exit(1)
    },
  )
})
