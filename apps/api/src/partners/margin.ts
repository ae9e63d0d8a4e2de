import type { UpdatePartner } from '@atrium/core/partners/partners'
import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { listMargins, type Margin, saveMargin } from '@atrium/db/partners/partners'
import type { Trx } from '@atrium/db/platform/connect'
import { dayOf } from './view.ts'

/**
 * Sets a margin from a given day: the first of next month unless the input names another first of a
 * month, which may not be past. A partner's first margin applies from today by default. A margin in
 * effect is never overwritten: earnings under it are kept. Returns the new margin with the previous
 * one; undefined when nothing changes.
 */
export async function setMargin(
  trx: Trx,
  partnerId: string,
  input: Pick<UpdatePartner, 'marginPct' | 'marginEffectiveFrom' | 'reason'>,
  by: { now: Date; email: string | undefined },
): Promise<{ set: Margin; before: number | null } | undefined> {
  if (input.marginPct === undefined) return undefined
  const today = dayOf(by.now)
  const margins = await listMargins(trx, partnerId)
  const first = margins.length === 0
  const effectiveFrom = input.marginEffectiveFrom ?? (first ? today : firstOfNextMonth(by.now))
  const fault = dayFault(effectiveFrom, today, first)
  if (fault)
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'marginEffectiveFrom', message: fault }],
    })
  const before = margins.find((one) => one.effectiveFrom <= effectiveFrom)
  if (before?.marginPct === input.marginPct) return undefined
  if (before?.effectiveFrom === effectiveFrom && effectiveFrom <= today) {
    const message = errorText('marginMonth', { effectiveFrom })
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'marginEffectiveFrom', message }],
    })
  }
  const set = { marginPct: input.marginPct, effectiveFrom }
  await saveMargin(trx, partnerId, {
    ...set,
    setBy: by.email ?? null,
    reason: input.reason ?? null,
  })
  return { set, before: before?.marginPct ?? null }
}

function dayFault(day: string, today: string, first: boolean): ErrorText | undefined {
  if (day < today) return errorText('marginPast')
  if (day.endsWith('-01') || (first && day === today)) return undefined
  return first ? errorText('firstMarginDay') : errorText('marginDay')
}

function firstOfNextMonth(now: Date): string {
  return dayOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)))
}
