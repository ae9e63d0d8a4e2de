import { createHash, randomBytes } from 'node:crypto'
import { secondsFromNow } from '@atrium/db/platform/clock'
import { userIdOf } from './records.ts'
import type { TestApp } from './test-app.ts'

const random = () => randomBytes(6).toString('hex')

/** Somebody of no tenant with an address on a domain that the tenant proved. */
export async function personElsewhere(
  { database }: TestApp,
  { tenantId }: { tenantId: string },
): Promise<{ domain: string; email: string }> {
  const domain = `${random()}.example.org`
  const email = `bo@${domain}`
  await database.db
    .insertInto('domains')
    .values({ tenant_id: tenantId, name: domain, verified_at: new Date() })
    .execute()
  await database.db
    .insertInto('users')
    .values({ idp_subject_id: random(), email, name: 'Bo' })
    .execute()
  return { domain, email }
}

/** The same with a claim of the tenant. */
export async function claimedAddress(
  testApp: TestApp,
  { tenantId }: { tenantId: string },
): Promise<{ domain: string; email: string }> {
  const person = await personElsewhere(testApp, { tenantId })
  const id = await userIdOf(testApp.database.db, person.email)
  await claimFor(testApp, { tenantId, userId: id, email: person.email })
  return person
}

/**
 * A claim to the address of a person. Returns the tokens that would have been mailed: to move, and
 * to confirm `newEmail`.
 */
export async function claimFor(
  { database }: TestApp,
  claim: { tenantId: string; userId: string; email: string; newEmail?: string },
): Promise<{ move: string; confirm: string }> {
  const [move, confirm] = [0, 1].map(() => randomBytes(32).toString('base64url')) as [
    string,
    string,
  ]
  const hash = (token: string) => createHash('sha256').update(token).digest()
  await database.db
    .insertInto('address_claims')
    .values({
      tenant_id: claim.tenantId,
      user_id: claim.userId,
      email: claim.email,
      ends_at: secondsFromNow(86_400),
      next_at: secondsFromNow(86_400),
      link_hash: hash(move),
      ...(claim.newEmail !== undefined && {
        new_email: claim.newEmail,
        new_hash: hash(confirm),
        new_expires_at: secondsFromNow(3_600),
      }),
    })
    .execute()
  return { move, confirm }
}
