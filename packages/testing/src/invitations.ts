import { drainOutbox } from '@atrium/api/outbox/drain'
import { newAccessLink, newLinkToken } from '@atrium/api/users/access-link'
import { saveInvitationLink } from '@atrium/db/invitations/invitations'
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

/** Invites one person to a tenant; the body is what became of the address. */
export async function invite(
  testApp: TestApp,
  slug: string,
  { email, name, role }: { email: string; name?: string; role?: string },
  token: string,
): Promise<TestResponse> {
  const response = await testApp.request('POST', `/tenants/${slug}/invitations`, {
    token,
    body: {
      invitees: [{ email, ...(name === undefined ? {} : { name }) }],
      ...(role === undefined ? {} : { role }),
    },
  })
  return { ...response, body: response.body.items?.[0] ?? response.body }
}

/**
 * Accepts the open invitation of an address, or else gets a new password for it, in a test app that
 * sends no mail; returns what the page of the link gets.
 */
export async function accept(testApp: TestApp, email: string): Promise<TestResponse> {
  return follow(testApp, await linkToken(testApp, email))
}

/** The token of a new link for the newest open invitation of an address, or for its account. */
export async function linkToken(testApp: TestApp, email: string): Promise<string> {
  const { db } = testApp.database
  const invitation = await db
    .selectFrom('invitations')
    .select('id')
    .where('email', '=', email)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  const { link, hash } = newLinkToken(testApp.config)
  if (invitation && (await saveInvitationLink(db, invitation.id, hash))) return tokenOf(link)
  const { id: userId } = await db
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .where('removed_at', 'is', null)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  return tokenOf(await newAccessLink({ config: testApp.config, db }, { userId, email }))
}

const tokenOf = (link: string) => link.slice(link.lastIndexOf('/') + 1)

/** Makes the address of a person proved, as following a mailed link would. */
export async function proveAddress(testApp: TestApp, userId: string): Promise<void> {
  await testApp.database.db
    .updateTable('users')
    .set(({ ref }) => ({ proved_email: ref('email'), proved_at: new Date() }))
    .where('id', '=', userId)
    .execute()
}
