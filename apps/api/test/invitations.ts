import { newAccessLink } from '../src/invitations/link.ts'
import { drainOutbox } from '../src/outbox/drain.ts'
import type { Answer, TestHouse } from './house.ts'
import { caughtMails } from './mails.ts'

/** The token of the newest access link that was mailed to the address. The house needs a mailer. */
export async function mailedToken(house: TestHouse, email: string): Promise<string | undefined> {
  await drainOutbox(house.app.house)
  return caughtMails(house)
    .filter(({ envelope }) => envelope.to.includes(email))
    .flatMap(({ text }) => /\/invitation\/([\w-]{43})/.exec(text ?? '')?.[1] ?? [])
    .at(-1)
}

/** Follows a link as its page does. */
export const follow = (house: TestHouse, token: string): Promise<Answer> =>
  house.request('POST', '/invitations/accept', { token, body: {} })

/** Accepts the open invitation of an address, in a house that sends no mail; answers what the page of the link gets. */
export async function accept(house: TestHouse, email: string): Promise<Answer> {
  const { db } = house.database
  const { id } = await db
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .where('removed_at', 'is', null)
    .orderBy('invited', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  const link = await newAccessLink({ config: house.config, db }, { userId: id, email })
  return follow(house, link.slice(link.lastIndexOf('/') + 1))
}
