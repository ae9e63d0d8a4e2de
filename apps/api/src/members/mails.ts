import type { Trx } from '@atrium/db/connect'
import type { MemberWork } from '@atrium/db/member-work'
import type { House, InTransaction } from '../house.ts'
import { portalLink } from '../outbox/links.ts'

/**
 * Welcomes a member in the transaction that makes them active, once everything is there: a mailbox that is not made yet would refuse it.
 * Goes to an address elsewhere where one is known. Passwords are in no mail.
 */
export async function sendWelcome(house: InTransaction, trx: Trx, { run, tenant, user, mailbox }: MemberWork): Promise<void> {
  const address = mailbox?.address ?? user.email
  await house.outbox.send(trx, {
    tenantId: tenant.id,
    template: 'member.welcome',
    to: user.alternativeEmail ?? address,
    name: user.name,
    values: { 'member.name': user.name, 'member.email': address, 'link.signIn': portalLink(house.config, `/t/${tenant.slug}`) },
    key: `member.welcome:${tenant.id}:${user.id}:${run}`,
  })
}

/** Tells a member that somebody reset their password. Never throws: the new password is shown once and must reach whoever asked for it. */
export async function tellOfReset(house: House, { run, tenant, user }: MemberWork, adminName: string): Promise<void> {
  const link = portalLink(house.config, `/t/${tenant.slug}`)
  try {
    await house.database.db.transaction().execute((trx) =>
      house.outbox.send(trx, {
        tenantId: tenant.id,
        template: 'member.password_reset',
        to: user.alternativeEmail ?? user.email,
        name: user.name,
        values: { 'member.name': user.name, 'member.email': user.email, 'link.signIn': link, 'admin.name': adminName },
        key: `member.password_reset:${tenant.id}:${user.id}:${run}`,
      }),
    )
  } catch (err) {
    house.log.error({ err, tenant: tenant.slug, userId: user.id }, 'a member could not be told of a password reset')
  }
}
