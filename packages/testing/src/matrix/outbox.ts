import { randomUUID } from 'node:crypto'
import { insertMail } from '@atrium/db/outbox/outbox'
import { operatorsOnly, type Rows, type World } from './rows.ts'

async function mail({ testApp }: World): Promise<string> {
  const values = { 'member.name': 'Mira', 'member.email': 'mira@acme.test', 'link.signIn': '' }
  const queued = {
    tenantId: null,
    template: 'member.welcome',
    to: 'mira@acme.test',
    values,
    key: randomUUID(),
  } as const
  const id = await testApp.database.db
    .transaction()
    .execute((trx) => insertMail(trx, queued, { host: 'atrium.test', now: new Date() }))
  if (id === undefined) throw new Error('the mail was not queued')
  return id
}

export const outboxRows: Rows = {
  'outbox.list': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'outbox.retry': [
    { input: async (world) => ({ id: await mail(world) }), expected: operatorsOnly },
  ],
}
