import { stepFailureText } from '@atrium/core/platform/failure-text'
import { noteFormerFileAccount } from '@atrium/db/members/former-file-accounts'
import { saveMemberFacts } from '@atrium/db/members/member-work'
import { pendingSubject } from '@atrium/db/users/pending-subject'
import { type FileStorage, isAccountOf } from '@atrium/integrations/files/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { StepRejected } from '../platform/step-rejected.ts'
import { reopenTenant } from '../provisioning/reopen.ts'
import { endsWithMembership, type StepCall, standingOf } from './step.ts'

/** The person's file account, with the right to edit in the tenant's space. */
export async function filesStep(call: StepCall): Promise<'ok' | 'skipped'> {
  const { files } = call.services.systems
  if (!files) return 'skipped'
  switch (standingOf(call.work)) {
    case 'removing':
      await deprovision(call, files)
      break
    case 'shut':
      await close(call, files)
      break
    default:
      await open(call, files)
  }
  return 'ok'
}

async function open({ services, work, signal }: StepCall, files: FileStorage): Promise<void> {
  const { tenant, user } = work
  const onRecord = work.fileAccountId ?? work.fileAccountElsewhere
  const known = onRecord !== null && (await bringUpToDate(files, onRecord, work, signal))
  const accountId = known ? onRecord : await make()
  if (accountId !== work.fileAccountId)
    await saveMemberFacts(services.database.db, work, { file_account_id: accountId })
  if (tenant.fileSpaceId === null) throw new StepRejected(stepFailureText('spaceMissing'))
  const role = tenant.access === 'read_only' ? 'viewer' : 'editor'
  await files
    .addToSpace({ spaceId: tenant.fileSpaceId, accountId, role }, { signal })
    .catch(async (error: unknown) => {
      if (error instanceof UpstreamError && error.kind === 'not_found')
        await reopenTenant(services, tenant.id, 'files')
      throw error
    })

  async function make(): Promise<string> {
    const { id, created } = await files.ensureAccount(
      { person: user, email: user.email, displayName: user.name },
      { signal },
    )
    // An existing account may have been disabled while the person was in no tenant.
    if (!created && work.managed) await files.setAccountEnabled({ id, enabled: true }, { signal })
    return id
  }
}

/** False when the account is gone. */
async function bringUpToDate(
  files: FileStorage,
  id: string,
  { managed, user }: StepCall['work'],
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await files.updateAccount(
      { id, personId: user.id, displayName: user.name, email: user.email },
      { signal },
    )
    if (managed) await files.setAccountEnabled({ id, enabled: true }, { signal })
    return true
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === 'not_found') return false
    throw error
  }
}

async function close({ work, signal }: StepCall, files: FileStorage): Promise<void> {
  const { managed, fileAccountId: accountId, tenant, user, domainReleased } = work
  if (accountId === null) return
  if (!managed) {
    // The space of a suspended tenant is disabled as a whole, and no grant in it can be changed.
    if (tenant.access === 'shut') return
    if (tenant.fileSpaceId !== null)
      await files.removeFromSpace({ spaceId: tenant.fileSpaceId, accountId }, { signal })
    return
  }
  try {
    // The next owner of the released domain gets an account with the old name.
    if (domainReleased)
      await files.updateAccount(
        { id: accountId, personId: user.id, displayName: user.name, email: user.email },
        { signal },
      )
    await files.setAccountEnabled({ id: accountId, enabled: false }, { signal })
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.kind !== 'not_found') throw error
  }
}

/** The space first: the grant of an account that is gone stays there without a name. */
async function deprovision(
  { services, work, signal }: StepCall,
  files: FileStorage,
): Promise<void> {
  const { tenant, user } = work
  const accountId = work.fileAccountId ?? work.fileAccountElsewhere ?? (await findOwn())
  const ends = endsWithMembership(work)
  if (ends && !user.subject.startsWith(pendingSubject)) {
    await noteFormerFileAccount(services.database.db, {
      userId: user.id,
      username: user.email,
      subject: user.subject,
    })
  }
  if (accountId === undefined) return
  if (tenant.fileSpaceId !== null) {
    await files
      .removeFromSpace({ spaceId: tenant.fileSpaceId, accountId }, { signal })
      .catch((error: unknown) => {
        // The members of a disabled space cannot be changed. The next reconcile clears what an
        // account leaves there.
        if (!ends || !(error instanceof UpstreamError) || error.kind !== 'refused') throw error
      })
  }
  if (ends) await files.removeAccount(accountId, { signal })

  async function findOwn(): Promise<string | undefined> {
    const account = await files.findAccount(user.email, { signal })
    return account && isAccountOf(account, user) ? account.id : undefined
  }
}
