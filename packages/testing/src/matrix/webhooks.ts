import { randomBytes } from 'node:crypto'
import { insertInboxEvent } from '@atrium/db/billing/webhook-inbox'
import { operatorsOnly, type Rows, type World } from './rows.ts'

async function event({ testApp }: World): Promise<{ id: string }> {
  const id = `evt_${randomBytes(8).toString('hex')}`
  const fields = {
    type: 'product.updated',
    objectId: null,
    apiVersion: null,
    created: new Date(),
    livemode: false,
    payload: '{}',
  }
  await insertInboxEvent(testApp.database.db, { id, ...fields, state: 'received' })
  await testApp.database.db
    .updateTable('webhook_inbox')
    .set({ state: 'parked' })
    .where('id', '=', id)
    .execute()
  return { id }
}

export const webhooksRows: Rows = {
  'webhooks.list': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'webhooks.get': [{ input: event, expected: operatorsOnly }],
  'webhooks.replay': [{ input: event, expected: operatorsOnly }],
  'webhooks.replayParked': [{ input: () => ({}), expected: operatorsOnly }],
}
