import type { MemberWork } from '@atrium/db/members/member-work'
import type { Trx } from '@atrium/db/platform/connect'
import { reminderKey } from '@atrium/db/upstream-cache/mfa'
import { portalLink } from '../platform/links.ts'
import type { InTransaction, Services } from '../rpc/services.ts'

/**
 * Welcomes a member in the transaction that makes them active, once everything is there: a mailbox
 * that is not made yet would reject it. Goes to an address elsewhere where one is known. Passwords
 * are in no mail.
 */
export async function sendWelcome(
  services: InTransaction,
  trx: Trx,
  { run, tenant, user, mailbox }: MemberWork,
): Promise<void> {
  const address = mailbox?.address ?? user.email
  await services.outbox.send(trx, {
    tenantId: tenant.id,
    template: 'member.welcome',
    to: user.alternativeEmail ?? address,
    userId: user.id,
    name: user.name,
    values: {
      'member.name': user.name,
      'member.email': address,
      'link.signIn': portalLink(services.config, `/t/${tenant.slug}`),
    },
    key: `member.welcome:${tenant.id}:${user.id}:${run}`,
  })
}

/**
 * Notifies a member of a password reset, at another address than the one that gets the link. Never
 * throws: the new password is shown once and must reach the caller.
 */
export function tellOfReset(
  services: Services,
  work: MemberWork,
  adminName: string,
  linkTo?: string,
): Promise<void> {
  const signIn = portalLink(services.config, `/t/${work.tenant.slug}`)
  const values = { 'link.signIn': signIn, 'admin.name': adminName }
  return queueNotice(services, work, 'member.password_reset', values, linkTo)
}

/**
 * Notifies a member of an app password that was created for their mailbox. Never throws: the secret
 * is shown once and must reach the caller.
 */
export function tellOfAppPassword(
  services: Services,
  work: MemberWork,
  name: string,
): Promise<void> {
  return queueNotice(services, work, 'member.app_password_created', { 'password.name': name })
}

/** Notifies a member that an admin ended their sessions. Never throws: they have ended already. */
export function tellOfEndedSessions(
  services: Services,
  work: MemberWork,
  adminName: string,
): Promise<void> {
  return queueNotice(services, work, 'member.sessions_ended', { 'admin.name': adminName })
}

/** Queues a mail about what has happened to a member's account. A failure is logged alone. */
async function queueNotice(
  services: Services,
  { run, tenant, user }: MemberWork,
  template: 'member.app_password_created' | 'member.sessions_ended' | 'member.password_reset',
  values: Readonly<Record<string, string>>,
  except?: string,
): Promise<void> {
  const { alternativeEmail, email } = user
  try {
    await services.database.db.transaction().execute((trx) =>
      services.outbox.send(trx, {
        tenantId: tenant.id,
        template,
        to: alternativeEmail === null || alternativeEmail === except ? email : alternativeEmail,
        userId: user.id,
        name: user.name,
        values: {
          'member.name': user.name,
          'member.email': email,
          'link.security': portalLink(services.config, '/profile/security'),
          ...values,
        },
        key: `${template}:${tenant.id}:${user.id}:${run}`,
      }),
    )
  } catch (err) {
    services.log.error(
      { err, tenant: tenant.slug, userId: user.id, template },
      'failed to queue a mail about an account',
    )
  }
}

/** Notifies a member that an admin removed their second factors. */
export function tellOfSecondFactorReset(
  services: InTransaction,
  trx: Trx,
  { run, tenant, user }: MemberWork,
  adminName: string,
): Promise<void> {
  return services.outbox.send(trx, {
    tenantId: tenant.id,
    template: 'member.second_factors_reset',
    to: user.alternativeEmail ?? user.email,
    userId: user.id,
    name: user.name,
    values: {
      'member.name': user.name,
      'member.email': user.email,
      'admin.name': adminName,
      'link.security': portalLink(services.config, '/profile/security'),
    },
    key: `member.second_factors_reset:${tenant.id}:${user.id}:${run}`,
  })
}

/** Reminds a member to set up a second factor; once a day, from whatever tenant. */
export function mailSecondFactorReminder(
  services: InTransaction,
  trx: Trx,
  reminder: {
    person: { id: string; email: string; name: string; alternativeEmail: string | null }
    tenantId: string
    admin: string
    day: string
  },
): Promise<void> {
  const { person, tenantId, admin, day } = reminder
  return services.outbox.send(trx, {
    tenantId,
    template: 'member.second_factor_reminder',
    to: person.email,
    userId: person.id,
    name: person.name,
    values: {
      'member.name': person.name,
      'member.email': person.email,
      'admin.name': admin,
      'link.security': portalLink(services.config, '/profile/security'),
    },
    key: reminderKey(person.id, day),
  })
}
