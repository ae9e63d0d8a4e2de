import { randomBytes } from 'node:crypto'
import { overRest } from './calls.ts'
import type { CarriedOut, Place } from './carried-out.ts'
import { linkToken } from './invitations.ts'
import { withSeats } from './matrix/members.ts'

/** Invites an address to the tenant; the token is that of a mailed link. */
async function invited(place: Place, email: string): Promise<string> {
  await withSeats(place)
  const input = { slug: place.slug, invitees: [{ email }] }
  const { body } = await overRest(place.testApp, 'invitations.inviteMembers', input, place.token)
  const [item] = body.items
  if (!item?.invitation) throw new Error(`nobody was invited: ${JSON.stringify(body)}`)
  return item.invitation.id
}

const byLink: CarriedOut = {
  caller: 'operator',
  async prepare(place) {
    const email = `invited-${randomBytes(6).toString('hex')}@example.org`
    await invited(place, email)
    return { input: {}, token: await linkToken(place.testApp, email) }
  },
}

/** An operator, whose address counts as proved, is invited as a member. */
const byOperator: CarriedOut = {
  caller: 'operator',
  async prepare(place) {
    const { email } = await place.testApp.database.db
      .selectFrom('users')
      .select('email')
      .where('id', '=', place.self ?? '')
      .executeTakeFirstOrThrow()
    return { input: { invitationId: await invited(place, email) }, token: place.token }
  },
}

export const invitationCalls: Readonly<Record<string, CarriedOut>> = {
  'invitations.accept': byLink,
  'invitations.open': byLink,
  'invitations.decline': byLink,
  'invitations.acceptMine': byOperator,
  'invitations.declineMine': byOperator,
}
