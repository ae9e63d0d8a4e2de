import { randomBytes } from 'node:crypto'
import type { MailServer } from '@atrium/integrations/mail/port'
import type { TestApp } from './test-app.ts'

export function mailOf(testApp: TestApp): MailServer {
  const { mail } = testApp.app.services.systems
  if (!mail) throw new Error('the test app has no mail server')
  return mail
}

/**
 * The tenant's domain in the mail server, made there where it is not. Returns its name and its id
 * there.
 */
export async function mailDomainOf(
  testApp: TestApp,
  slug: string,
  name = `${slug}.tenants.local`,
): Promise<{ name: string; id: string }> {
  const { id } = await mailOf(testApp).ensureDomain({ name, description: `Atrium tenant ${slug}` })
  await testApp.database.db
    .updateTable('domains')
    .set({ mail_domain_id: id })
    .where('name', '=', name)
    .execute()
  return { name, id }
}

/** Gives a member a mailbox on the tenant's own domain, in the mail server and on record. */
export async function giveMailbox(
  testApp: TestApp,
  { slug, userId, localPart }: { slug: string; userId: string; localPart: string },
): Promise<{ address: string; accountId: string; domainId: string }> {
  const domain = await mailDomainOf(testApp, slug)
  const password = `${randomBytes(18).toString('base64url')}aA1!`
  const { id } = await mailOf(testApp).createAccount({
    localPart,
    domainId: domain.id,
    displayName: localPart,
    password,
  })
  const address = `${localPart}@${domain.name}`
  await testApp.database.db
    .updateTable('memberships')
    .set({ mailbox_address: address, mail_account_id: id, mail_state: 'ok' })
    .where(
      'tenant_id',
      '=',
      testApp.database.db.selectFrom('tenants').select('id').where('slug', '=', slug),
    )
    .where('user_id', '=', userId)
    .execute()
  return { address, accountId: id, domainId: domain.id }
}

/** Adds a domain to a tenant and to the mail server, proven or not. */
export async function addDomain(
  testApp: TestApp,
  { slug, name, verified }: { slug: string; name: string; verified: boolean },
): Promise<void> {
  await testApp.database.db
    .insertInto('domains')
    .values((row) => ({
      tenant_id: row
        .selectFrom('tenants')
        .select('id')
        .where('slug', '=', slug)
        .$asScalar()
        .$notNull(),
      name,
      verified_at: verified ? new Date() : null,
    }))
    .execute()
  await mailDomainOf(testApp, slug, name)
}

export async function setTenantStatus(
  testApp: TestApp,
  slug: string,
  status: 'active' | 'suspended' | 'deleted',
): Promise<void> {
  await testApp.database.db
    .updateTable('tenants')
    .set({ status, deleted_at: status === 'deleted' ? new Date() : null })
    .where('slug', '=', slug)
    .execute()
}

/** The newest audit entries of an action. */
export function auditOf(testApp: TestApp, action: string) {
  return testApp.database.db
    .selectFrom('audit_events')
    .select([
      'action',
      'outcome',
      'actor_email',
      'resource_type',
      'resource_id',
      'resource_name',
      'tenant_slug',
      'metadata',
    ])
    .where('action', '=', action)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}
