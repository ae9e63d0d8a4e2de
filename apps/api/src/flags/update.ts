import {
  type FlagSettings,
  type FlagView,
  isBareKill,
  isKill,
  killSwitchNote,
  type UpdateFlag,
} from '@atrium/core/flags/flags'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { findFlag, lockFlags, updateFlag as writeFlag } from '@atrium/db/flags/flags'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import { checkFlag } from './check.ts'
import { getFlag, unknownFlag } from './get.ts'
import { auditFlagChange, type FlagStep } from './record.ts'
import { toFlagSettings } from './view.ts'

/**
 * Changes a flag. State `off` with the note `kill-switch` is a kill: no version and no other field
 * can block it, and it is recorded as `flag.killed`. AppError `version_conflict` when the flag is
 * not at the given version any more.
 */
export async function updateFlag(
  ctx: Context,
  caller: Caller,
  input: UpdateFlag,
): Promise<FlagView> {
  const { services } = ctx
  await services.database.db.transaction().execute(async (trx) => {
    await lockFlags(trx)
    const row = await findFlag(trx, input.key)
    if (!row) throw unknownFlag()
    if (!isBareKill(input) && input.version !== row.version) {
      throw new AppError('version_conflict', errorText('flagVersion', { version: row.version }))
    }
    const before = toFlagSettings(row)
    const after = changed(before, input, services.clock.now())
    rejectRevivalByKillSwitch(before, after, input)
    if (!isBareKill(input)) await checkFlag(trx, input.key, after, before)
    const version = await writeFlag(trx, input.key, after, {
      note: input.note,
      updatedBy: caller.email ?? null,
    })
    const written: FlagStep = {
      key: input.key,
      version,
      kind: isKill(input) ? 'killed' : 'updated',
      note: input.note,
      before,
      after,
    }
    await auditFlagChange(ctx, trx, caller, written)
  })
  // Only now: before the commit this process would read the old flag again.
  services.flags.forget()
  return getFlag(services, input.key)
}

function changed(
  before: FlagSettings,
  { key: _, note, version: __, ...provided }: UpdateFlag,
  now: Date,
): FlagSettings {
  const requested = Object.fromEntries(
    Object.entries(provided).filter(([, value]) => value !== undefined),
  )
  const after: FlagSettings = { ...before, ...requested }
  if (isKill({ state: provided.state, note }))
    return { ...after, killedAt: now.toISOString(), rollback: null }
  return after.state === 'off' ? after : { ...after, killedAt: null, rollback: null }
}

/** Who brings a killed flag back says why. */
function rejectRevivalByKillSwitch(
  before: FlagSettings,
  after: FlagSettings,
  { note }: UpdateFlag,
): void {
  if (before.killedAt === null || after.killedAt !== null || note !== killSwitchNote) return
  throw new AppError('invalid_input', undefined, {
    issues: [{ path: 'note', message: errorText('killReasonMissing') }],
  })
}
