import { randomUUID } from 'node:crypto'
import { noLink } from './invitations.ts'
import { everybody, others, type Rows, type World } from './rows.ts'

const nothing = () => ({})
const unknown = others('not_found')

/** A session of the person of the caller, which they may end. */
async function ownSession({ testApp, self }: World): Promise<{ id: string }> {
  const { db } = testApp.database
  const person = self
    ? await db
        .selectFrom('users')
        .select('idp_subject_id')
        .where('id', '=', self)
        .executeTakeFirstOrThrow()
    : undefined
  const { id } = await db
    .insertInto('web_sessions')
    .values({
      app: 'portal',
      token_hash: Buffer.from(randomUUID()),
      subject: person?.idp_subject_id ?? 'somebody else',
      tokens: Buffer.from('sealed'),
      access_expires_at: new Date(Date.now() + 60_000),
      expires_at: new Date(Date.now() + 60_000),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id }
}

export const accountRows: Rows = {
  'account.sessions': [{ input: nothing, expected: everybody }],
  'account.secondFactors': [{ input: nothing, expected: everybody }],
  'account.notifications': [
    { input: nothing, expected: { ...everybody, withoutRecord: 'not_found' } },
  ],
  'account.updateNotification': [
    {
      input: () => ({ group: 'reminders', on: false }),
      expected: { ...everybody, withoutRecord: 'not_found' },
    },
  ],
  'account.unsubscribe': [{ input: nothing, expected: noLink }],
  'account.endSession': [
    // Another person's session looks like none.
    { input: (world) => ownSession({ ...world, self: world.other }), expected: unknown },
    { input: ownSession, expected: { ...everybody, withoutRecord: 'not_found' } },
  ],
  'account.endSignIn': [{ input: () => ({ id: randomUUID() }), expected: unknown }],
  'account.endOtherSessions': [{ input: nothing, expected: everybody }],
}
