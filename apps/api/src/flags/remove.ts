import { type RemoveFlag, recentUseDays } from '@atrium/core/flags/flags'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  removeFlag as deprovision,
  type FlagRow,
  findFlag,
  lockFlags,
} from '@atrium/db/flags/flags'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import { unknownFlag } from './get.ts'
import { auditFlagChange, type FlagStep } from './record.ts'
import { toFlagSettings } from './view.ts'

/**
 * Takes a flag away for good; its history and its key stay. AppError `flag_in_use` while another
 * flag names it as a prerequisite, and while code has asked for it by name within seven days.
 */
export async function removeFlag(ctx: Context, caller: Caller, input: RemoveFlag): Promise<void> {
  const { services } = ctx
  // What this process has noted and not written yet counts too.
  await services.flags.saveUses()
  const note = input.note ?? 'Removed.'
  await services.database.db.transaction().execute(async (trx) => {
    await lockFlags(trx)
    const row = await findFlag(trx, input.key)
    if (!row) throw unknownFlag()
    rejectWhileUsed(row, services.clock.now())
    const version = await deprovision(trx, input.key, { note, updatedBy: caller.email ?? null })
    const removed: FlagStep = {
      key: input.key,
      version,
      kind: 'removed',
      note,
      before: toFlagSettings(row),
      after: null,
    }
    await auditFlagChange(ctx, trx, caller, removed)
  })
  // Only now: before the commit this process would read the old flag again.
  services.flags.forget()
}

function rejectWhileUsed({ requiredBy, lastAskedAt: lastUsedAt }: FlagRow, now: Date): void {
  if (requiredBy.length > 0)
    throw new AppError(
      'flag_in_use',
      errorText('flagRequiredBy', { requiredBy: requiredBy.join(', ') }),
    )
  if (lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= recentUseDays * 86_400_000)
    return
  throw new AppError(
    'flag_in_use',
    errorText('flagAskedFor', {
      lastAskedAt: lastUsedAt.toISOString(),
      askedWithinDays: recentUseDays,
    }),
  )
}
