import { endpointSecretContext } from '@atrium/api/platform/endpoint-secret-context'
import { endOfEvents } from '@atrium/db/events/events'
import type { TokenOwner } from '@atrium/db/service-tokens/service-tokens'
import {
  insertWebhookEndpoint as insert,
  newEndpointId,
} from '@atrium/db/webhook-endpoints/webhook-endpoints'
import type { TestApp } from './test-app.ts'

/** The secret of the endpoints that tests store. */
export const webhookSecret = `whsec_${Buffer.from('secret of an endpoint in tests').toString('base64')}`

/** Stores an endpoint for all events from now on. */
export function insertWebhookEndpoint(
  testApp: TestApp,
  owner: TokenOwner,
  fields: { url?: string; types?: string[] } = {},
): Promise<string> {
  const { config, clock } = testApp.app.services
  return testApp.database.db.transaction().execute(async (trx) => {
    const id = await newEndpointId(trx)
    const sealed = config.keyring?.encrypt(webhookSecret, endpointSecretContext(id))
    if (!sealed) throw new Error('the app of the test has no keys')
    await insert(trx, owner, {
      id,
      // Deliveries to it are rejected before a connection is opened.
      url: 'https://127.0.0.1/webhooks',
      description: '',
      types: [],
      createdBy: null,
      ...fields,
      secret: sealed,
      createdAt: clock.now(),
      cursor: await endOfEvents(trx),
    })
    return id
  })
}
