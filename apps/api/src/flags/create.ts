import {
  type CreateFlag,
  type FlagSettings,
  type FlagView,
  isKill,
  killSwitchNote,
} from '@atrium/core/flags/flags'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { insertFlag, lockFlags } from '@atrium/db/flags/flags'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import { checkFlag } from './check.ts'
import { getFlag } from './get.ts'
import { auditFlagChange, type FlagStep } from './record.ts'

/**
 * Creates a flag, off by default. AppError `already_exists` for a key in use or used before, and
 * what `checkFlag` rejects.
 */
export async function createFlag(
  ctx: Context,
  caller: Caller,
  input: CreateFlag,
): Promise<FlagView> {
  const { services } = ctx
  if (isKill(input)) {
    throw new AppError('invalid_input', undefined, {
      issues: [
        {
          path: 'note',
          message: errorText('newFlagKilled', { killSwitchNote }),
        },
      ],
    })
  }
  const settings = newSettings(caller, input)
  const authorship = { note: input.note ?? 'Created.', updatedBy: caller.email ?? null }
  await services.database.db.transaction().execute(async (trx) => {
    await lockFlags(trx)
    await checkFlag(trx, input.key, settings)
    if (
      !(await insertFlag(trx, {
        key: input.key,
        salt: input.salt ?? null,
        settings,
        ...authorship,
      }))
    ) {
      throw new AppError('already_exists', errorText('flagKeyUsed'))
    }
    const created: FlagStep = {
      key: input.key,
      version: 1,
      kind: 'created',
      note: authorship.note,
      before: null,
      after: settings,
    }
    await auditFlagChange(ctx, trx, caller, created)
  })
  // Only now: before the commit this process would read the old flag again.
  services.flags.forget()
  return getFlag(services, input.key)
}

function newSettings(caller: Caller, input: CreateFlag): FlagSettings {
  return {
    description: input.description ?? null,
    owner: input.owner === undefined ? (caller.email ?? null) : input.owner,
    state: input.state ?? 'off',
    percentage: input.percentage ?? 0,
    allowTenants: input.allowTenants ?? [],
    denyTenants: input.denyTenants ?? [],
    allowPartners: input.allowPartners ?? [],
    allowPlans: input.allowPlans ?? [],
    prerequisites: input.prerequisites ?? [],
    guards: input.guards ?? [],
    enabledFrom: input.enabledFrom ?? null,
    enabledUntil: input.enabledUntil ?? null,
    staleAfter: input.staleAfter ?? null,
    killedAt: null,
    rollback: null,
  }
}
