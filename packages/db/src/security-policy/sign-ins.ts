import { signInDays } from '@atrium/core/security-policy/preview'
import type { TenantRole } from '@atrium/core/tenants/tenants'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import type { SignInsTable } from '../schema/users.ts'

export interface NewSignIn {
  app: SignInsTable['app']
  subject: string
  address: string | null
  country: string | null
  secondFactor: boolean
}

/** Records a sign-in at a portal. */
export async function recordSignIn(db: Db, signIn: NewSignIn): Promise<void> {
  await db
    .insertInto('sign_ins')
    .values({
      app: signIn.app,
      subject: signIn.subject,
      address: signIn.address,
      country: signIn.country,
      second_factor: signIn.secondFactor,
    })
    .execute()
}

/** Removes sign-ins of more than 30 days ago; for the cleanup job. */
export async function deleteOldSignIns(db: Db): Promise<number> {
  const result = await db
    .deleteFrom('sign_ins')
    .where('at', '<', sql<Date>`now() - make_interval(days => ${signInDays})`)
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}

export type MemberSignIns = Awaited<ReturnType<typeof listMemberSignIns>>[number]

/**
 * The members of a tenant with their sign-ins at the customer portal in the last 30 days, by name.
 * Sign-ins under the same circumstances are one row; a member without any has one row whose `count`
 * is 0.
 */
export function listMemberSignIns(
  db: Db | Trx,
  tenantId: string,
  { roles }: { roles?: readonly TenantRole[] } = {},
) {
  const members = db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .leftJoin('sign_ins as s', (join) =>
      join
        .onRef('s.subject', '=', 'u.idp_subject_id')
        .on('s.app', '=', 'portal')
        .on('s.at', '>', sql<Date>`now() - make_interval(days => ${signInDays})`),
    )
    .where('m.tenant_id', '=', tenantId)
    .where('m.status', 'in', ['active', 'provisioning'])
    .where('u.deactivated_at', 'is', null)
  return (roles ? members.where('m.role', 'in', roles) : members)
    .select(({ fn }) => [
      'u.id as userId',
      'u.name',
      'u.email',
      'm.role',
      's.second_factor as secondFactor',
      sql<string | null>`host(s.address)`.as('address'),
      's.country',
      fn.count<string>('s.id').as('count'),
      fn.max('s.at').as('lastAt'),
    ])
    .groupBy(['u.id', 'u.name', 'u.email', 'm.role', 's.second_factor', 's.address', 's.country'])
    .orderBy('u.name')
    .orderBy('u.id')
    .execute()
}
