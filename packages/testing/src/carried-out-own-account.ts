import { randomBytes } from 'node:crypto'
import { unsubscribeLink } from '@atrium/api/platform/unsubscribe-link'
import { claimFor, personElsewhere } from './address-claims.ts'
import type { CarriedOut, Place } from './carried-out.ts'
import { withSeats } from './matrix/members.ts'
import { identityApi } from './outside.ts'
import { userIdOf } from './records.ts'

const newAddress = () => `new-${randomBytes(6).toString('hex')}@example.org`

function byMember(input: (place: Place) => Promise<Record<string, unknown>>): CarriedOut {
  return {
    caller: 'member',
    prepare: async (place) => ({ input: await input(place), token: place.token }),
  }
}

async function emailOf({ testApp, self = '' }: Place): Promise<string> {
  const { email } = await testApp.database.db
    .selectFrom('users')
    .select('email')
    .where('id', '=', self)
    .executeTakeFirstOrThrow()
  return email
}

/** Signs the caller in at the identity provider. Returns the id of the sign-in. */
async function signIn(place: Place): Promise<string> {
  const { testApp, self = '' } = place
  const email = await emailOf(place)
  const account = { username: email, email, name: 'Person', path: 'users', is_active: true }
  const { pk } = await identityApi(testApp, 'POST', '/core/users/', account)
  await testApp.database.db
    .updateTable('users')
    .set({ idp_user_id: String(pk) })
    .where('id', '=', self)
    .execute()
  await testApp.token(email)
  const signIns = `/core/authenticated_sessions/?user__username=${encodeURIComponent(email)}`
  const { results } = await identityApi(testApp, 'GET', signIns)
  return results[0].uuid
}

/** Another tenant claims the caller's own address. */
async function claimOwnAddress(place: Place, newEmail?: string): Promise<{ confirm: string }> {
  const { testApp, tenantId, self: userId = '' } = place
  const claim = { tenantId, userId, email: await emailOf(place) }
  return claimFor(testApp, { ...claim, ...(newEmail && { newEmail }) })
}

/** Calls by which people change their own account. */
export const ownAccountCalls: Readonly<Record<string, CarriedOut>> = {
  'account.endSignIn': byMember(async (place) => ({ id: await signIn(place) })),
  'account.unsubscribe': {
    caller: 'member',
    async prepare({ testApp, self: userId = '' }) {
      const settings = { ...testApp.config, portalUrl: 'https://portal.example.test' }
      const link = unsubscribeLink(settings, { userId, group: 'reminders' })
      return { input: {}, token: link?.split('/').at(-1) }
    },
  },
  'addressClaims.change': byMember(async (place) => {
    await claimOwnAddress(place)
    return { email: newAddress() }
  }),
  'addressClaims.confirm': byMember(async (place) => ({
    token: (await claimOwnAddress(place, newAddress())).confirm,
  })),
  'addressClaims.move': {
    caller: 'operator',
    async prepare(place) {
      await withSeats(place)
      const { testApp, tenantId } = place
      const { email } = await personElsewhere(testApp, place)
      const userId = await userIdOf(testApp.database.db, email)
      const { move } = await claimFor(testApp, { tenantId, userId, email })
      return { input: {}, token: move }
    },
  },
}
