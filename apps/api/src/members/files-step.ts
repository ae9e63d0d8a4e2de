import { saveMemberFacts } from '@atrium/db/member-work'
import type { FileStorage } from '@atrium/integrations/files/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { reopenTenant } from '../provisioning/reopen.ts'
import { StepRefused } from '../provisioning/steps.ts'
import { endsWithMembership, type StepCall, standingOf } from './step.ts'

/** The person's file account, with the right to edit in the tenant's space. */
export async function filesStep(call: StepCall): Promise<'ok' | 'skipped'> {
  const { files } = call.house.systems
  if (!files) return 'skipped'
  switch (standingOf(call.work)) {
    case 'removing':
      await takeAway(call, files)
      break
    case 'shut':
      await close(call, files)
      break
    default:
      await open(call, files)
  }
  return 'ok'
}

async function open({ house, work, signal }: StepCall, files: FileStorage): Promise<void> {
  const { tenant, user } = work
  const known = work.fileAccountId !== null && (await bringUpToDate(files, work.fileAccountId, work, signal))
  const accountId = known && work.fileAccountId ? work.fileAccountId : await make()
  if (tenant.fileSpaceId === null) throw new StepRefused("The tenant's file space is not there yet.")
  await files.addToSpace({ spaceId: tenant.fileSpaceId, accountId }, { signal }).catch(async (error: unknown) => {
    if (error instanceof UpstreamError && error.kind === 'not_found') await reopenTenant(house, tenant.id, 'files')
    throw error
  })

  async function make(): Promise<string> {
    const { id } = await files.ensureAccount({ email: user.email, displayName: user.name }, { signal })
    await saveMemberFacts(house.database.db, work, { file_account_id: id })
    return id
  }
}

/** False when the account is gone. */
async function bringUpToDate(files: FileStorage, id: string, { managed, user }: StepCall['work'], signal: AbortSignal): Promise<boolean> {
  try {
    await files.updateAccount({ id, displayName: user.name, email: user.email }, { signal })
    if (managed) await files.setAccountEnabled({ id, enabled: true }, { signal })
    return true
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === 'not_found') return false
    throw error
  }
}

async function close({ work, signal }: StepCall, files: FileStorage): Promise<void> {
  const { managed, fileAccountId: accountId, tenant } = work
  if (accountId === null) return
  if (!managed) {
    if (tenant.fileSpaceId !== null) await files.removeFromSpace({ spaceId: tenant.fileSpaceId, accountId }, { signal })
    return
  }
  await files.setAccountEnabled({ id: accountId, enabled: false }, { signal }).catch((error: unknown) => {
    if (!(error instanceof UpstreamError) || error.kind !== 'not_found') throw error
  })
}

async function takeAway({ work, signal }: StepCall, files: FileStorage): Promise<void> {
  const { tenant, user } = work
  const accountId = work.fileAccountId ?? (await files.findAccount(user.email, { signal }))?.id
  if (accountId === undefined) return
  if (endsWithMembership(work)) await files.removeAccount(accountId, { signal })
  else if (tenant.fileSpaceId !== null) await files.removeFromSpace({ spaceId: tenant.fileSpaceId, accountId }, { signal })
}
