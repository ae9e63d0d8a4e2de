import { syncMember } from '@atrium/api/members/jobs'
import { provisionTenant } from '@atrium/api/provisioning/jobs'
import { unfinishedMembersOf } from '@atrium/db/tenants/tenant-access'
import { identityUser, type MembersTestApp } from './members-test-app.ts'
import { tenantIdOf } from './records.ts'

interface Drive {
  id: string
  driveAlias: string
  trashed: boolean
  grants: { targetId: string; roleId: string }[]
}
interface FileAccount {
  id: string
  username: string
  accountEnabled?: boolean
}
interface MailAccount {
  emailAddress: string
  permissions: { disabledPermissions?: Record<string, boolean> }
}

export const viewer = 'a8d5fe5e-96e3-418d-825b-534dbdf22b99'
export const editor = '58c63c02-1d89-4572-916a-870abc5a1b7d'

/** Does what the jobs do, until nothing of the tenant is due; what failed is retried at once. */
export async function settleTenant({ app, database }: MembersTestApp, slug: string): Promise<void> {
  const { db } = database
  const id = await tenantIdOf(db, slug)
  const now = { next_at: null }
  await db.updateTable('provisioning_steps').set(now).where('tenant_id', '=', id).execute()
  await provisionTenant(app.services, id)
  await db.updateTable('memberships').set(now).where('tenant_id', '=', id).execute()
  for (const userId of await unfinishedMembersOf(db, id, 1000))
    await syncMember(app.services, id, userId)
}

/** What the upstream systems let a person do, and the space of the tenant. */
export async function outsideOf(testApp: MembersTestApp, slug: string, email: string) {
  const { files, mail } = testApp.sandbox.state()
  const { drives, users } = files.records as { drives: Drive[]; users: FileAccount[] }
  const { Account } = mail.records as { Account: MailAccount[] }
  const drive = drives.find(({ driveAlias }) => driveAlias === `project/${slug}`)
  const file = users.find(({ username }) => username === email)
  const identity = await identityUser(testApp, email)
  const account = Account.find(({ emailAddress }) => emailAddress === email)
  return {
    active: identity?.is_active,
    groups: identity?.groups.length,
    mailOff: Object.keys(account?.permissions.disabledPermissions ?? {}).sort(),
    fileAccount: file?.accountEnabled ?? file !== undefined,
    spaceDisabled: drive?.trashed,
    grant: drive?.grants.find(({ targetId }) => targetId === file?.id)?.roleId,
  }
}
