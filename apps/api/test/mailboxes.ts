import { randomBytes } from 'node:crypto'
import type { MailServer } from '@atrium/integrations/mail/port'
import type { TestHouse } from './house.ts'

export function mailOf(house: TestHouse): MailServer {
  const { mail } = house.app.house.systems
  if (!mail) throw new Error('the house has no mail server')
  return mail
}

/** The tenant's domain in the mail server, made there where it is not. Answers its name and its id there. */
export async function mailDomainOf(house: TestHouse, slug: string, name = `${slug}.tenants.local`): Promise<{ name: string; id: string }> {
  const { id } = await mailOf(house).ensureDomain({ name, description: `Atrium tenant ${slug}` })
  await house.database.db.updateTable('domains').set({ mail_domain_id: id }).where('name', '=', name).execute()
  return { name, id }
}

/** Gives a member a mailbox on the tenant's own domain, in the mail server and on record. */
export async function giveMailbox(
  house: TestHouse,
  { slug, userId, localPart }: { slug: string; userId: string; localPart: string },
): Promise<{ address: string; accountId: string; domainId: string }> {
  const domain = await mailDomainOf(house, slug)
  const password = `${randomBytes(18).toString('base64url')}aA1!`
  const { id } = await mailOf(house).createAccount({ localPart, domainId: domain.id, displayName: localPart, password })
  const address = `${localPart}@${domain.name}`
  await house.database.db
    .updateTable('memberships')
    .set({ mailbox_address: address, mail_account_id: id, mail_state: 'ok' })
    .where('tenant_id', '=', house.database.db.selectFrom('tenants').select('id').where('slug', '=', slug))
    .where('user_id', '=', userId)
    .execute()
  return { address, accountId: id, domainId: domain.id }
}

export async function userIdOf(house: TestHouse, email: string): Promise<string> {
  return (await house.database.db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()).id
}

/** Adds a domain to a tenant and to the mail server, proven or not. */
export async function addDomain(
  house: TestHouse,
  { slug, name, verified }: { slug: string; name: string; verified: boolean },
): Promise<void> {
  await house.database.db
    .insertInto('domains')
    .values((row) => ({
      tenant_id: row.selectFrom('tenants').select('id').where('slug', '=', slug).$asScalar().$notNull(),
      name,
      verified_at: verified ? new Date() : null,
    }))
    .execute()
  await mailDomainOf(house, slug, name)
}

export async function setTenantStatus(house: TestHouse, slug: string, status: 'active' | 'suspended' | 'deleted'): Promise<void> {
  await house.database.db
    .updateTable('tenants')
    .set({ status, deleted_at: status === 'deleted' ? new Date() : null })
    .where('slug', '=', slug)
    .execute()
}

/** The newest audit entries of an action. */
export function auditOf(house: TestHouse, action: string) {
  return house.database.db
    .selectFrom('audit_events')
    .select(['action', 'outcome', 'actor_email', 'resource_type', 'resource_id', 'resource_name', 'tenant_slug', 'metadata'])
    .where('action', '=', action)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}
