import { drainOutbox } from '@atrium/api/outbox/drain'
import { newAccessLink } from '@atrium/api/users/access-link'
import { caughtMails } from './mails.ts'
import type { TestApp, TestResponse } from './test-app.ts'

/**
 * The token of the newest access link that was mailed to the address. The workplace needs a mailer.
 */
export async function mailedToken(testApp: TestApp, email: string): Promise<string | undefined> {
  await drainOutbox(testApp.app.services)
  return caughtMails(testApp)
    .filter(({ envelope }) => envelope.to.includes(email))
    .flatMap(({ text }) => /\/invitation\/([\w-]{43})/.exec(text ?? '')?.[1] ?? [])
    .at(-1)
}

/** Follows a link as its page does. */
export const follow = (testApp: TestApp, token: string): Promise<TestResponse> =>
  testApp.request('POST', '/invitations/accept', { token, body: {} })

/**
 * Accepts the open invitation of an address, in a test app that sends no mail; returns what the
 * page of the link gets.
 */
export async function accept(testApp: TestApp, email: string): Promise<TestResponse> {
  const { db } = testApp.database
  const { id } = await db
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .where('removed_at', 'is', null)
    .orderBy('invited', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  const link = await newAccessLink({ config: testApp.config, db }, { userId: id, email })
  return follow(testApp, link.slice(link.lastIndexOf('/') + 1))
}

/** Makes the address of a person proved, as following a mailed link would. */
export async function proveAddress(testApp: TestApp, userId: string): Promise<void> {
  await testApp.database.db
    .updateTable('users')
    .set(({ ref }) => ({ proved_email: ref('email'), proved_at: new Date() }))
    .where('id', '=', userId)
    .execute()
}
