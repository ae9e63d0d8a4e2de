import type { FlagGuard, FlagRollback } from '@atrium/core/flags/flag-guards'
import type { FlagChange, FlagSettings, FlagState, FlagView } from '@atrium/core/flags/flags'
import { formatDay, formatPercent, formatTime, inSentence } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { planName } from '@atrium/ui/subscription-status-meta'
import type { StatusMeta } from '@atrium/ui/tones'

const t = translations('operator.flags')

export const stateName = (state: FlagState): string => t(`states.${state}`)

/** The status of a flag; a kill shows before the state. */
export function flagMeta({
  state,
  percentage,
  killedAt,
  rollback,
}: Pick<FlagView, 'state' | 'percentage' | 'killedAt' | 'rollback'>): StatusMeta {
  if (killedAt !== null)
    return { label: t(rollback ? 'status.killedByGuard' : 'status.killed'), tone: 'bad' }
  if (state === 'rollout')
    return { label: t('status.rollout', { percent: formatPercent(percentage) }), tone: 'waiting' }
  return { label: stateName(state), tone: state === 'on' ? 'good' : 'neutral' }
}

/** Which tenants a flag in this state is on for. */
export function reachSentence(state: FlagState, percentage: number): string {
  return state === 'rollout'
    ? t('reach.rollout', { percent: formatPercent(percentage) })
    : t(`reach.${state}`)
}

/**
 * A warning that a change of the rollout takes the flag from tenants that have it; undefined when
 * no tenant loses it.
 */
export function lossSentence(
  before: Pick<FlagView, 'state' | 'percentage'>,
  state: FlagState,
  percentage: number,
): string | undefined {
  const share = (of: FlagState, percent: number) => (of === 'on' ? 100 : of === 'off' ? 0 : percent)
  const [was, will] = [share(before.state, before.percentage), share(state, percentage)]
  if (will >= was && !(state === 'off' && before.state !== 'off')) return undefined
  return state === 'off'
    ? t('loss.all')
    : t('loss.some', { before: formatPercent(was), after: formatPercent(will) })
}

/** "More than 5% within 30 minutes, from 50 events." */
export function guardSentence({
  threshold,
  windowMinutes,
  minimum,
}: Omit<FlagGuard, 'signal'>): string {
  return t('guards.rule', {
    threshold: formatPercent(threshold),
    minutes: windowMinutes,
    minimum,
  })
}

export function rateText({ rate }: { rate: number | null }): string {
  return rate === null ? t('guards.noEvents') : formatPercent(rate)
}

/** Why a guard turned the flag off. */
export function rollbackSentence({
  signal,
  threshold,
  windowMinutes,
  eventsOn,
  rateOn,
  rateOff,
}: FlagRollback): string {
  const counted = {
    signal: t(`guards.signals.${signal}`),
    rateOn: formatPercent(rateOn),
    events: eventsOn,
    threshold: formatPercent(threshold),
    minutes: windowMinutes,
  }
  return rateOff === null
    ? t('guards.rollbackAlone', counted)
    : t('guards.rollback', { ...counted, rateOff: formatPercent(rateOff) })
}

/** True when the day by which a flag should be removed has passed in the viewer's zone. */
export function isOverdue(day: string, now: Date): boolean {
  return new Date(`${day}T23:59:59.999`).getTime() < now.getTime()
}

/** The settings of a flag in the order in which the history lists them. */
const fields = [
  'description',
  'owner',
  'state',
  'percentage',
  'allowTenants',
  'denyTenants',
  'allowPartners',
  'allowPlans',
  'prerequisites',
  'guards',
  'enabledFrom',
  'enabledUntil',
  'staleAfter',
  'killedAt',
  'rollback',
] as const satisfies readonly (keyof FlagSettings)[]

/**
 * What a change did, one line per field: "Percentage: 10% → 25%". Lists show the items that were
 * added and removed.
 */
export function changeLines({ before, after }: Pick<FlagChange, 'before' | 'after'>): string[] {
  if (!before || !after) return []
  return fields.flatMap((name) => {
    const field = t(`fields.${name}`)
    const [was, is] = [itemsOf(before, name), itemsOf(after, name)]
    if (was && is) {
      const removed = was.filter((item) => !is.includes(item)).join(', ')
      const added = is.filter((item) => !was.includes(item)).join(', ')
      if (added && removed) return [t('history.replaced', { field, added, removed })]
      if (added) return [t('history.added', { field, added })]
      return removed ? [t('history.removed', { field, removed })] : []
    }
    if (name === 'rollback')
      return after.rollback === null
        ? []
        : [t('history.rollback', { field, why: rollbackSentence(after.rollback) })]
    const [then, now] = [valueText(before, name), valueText(after, name)]
    return then === now ? [] : [t('history.value', { field, before: then, after: now })]
  })
}

/** The items of a field that is a list, in words. */
function itemsOf(settings: FlagSettings, field: keyof FlagSettings): readonly string[] | undefined {
  switch (field) {
    case 'prerequisites':
      return settings.prerequisites.map(({ key, value }) =>
        t(value ? 'history.prerequisiteOn' : 'history.prerequisiteOff', { key }),
      )
    case 'guards':
      return settings.guards.map(({ signal, threshold, windowMinutes, minimum }) =>
        t('history.guard', {
          signal: inSentence(t(`guards.signals.${signal}`)),
          threshold: formatPercent(threshold),
          minutes: windowMinutes,
          minimum,
        }),
      )
    case 'allowPlans':
      return settings.allowPlans.map((plan) => planName(plan))
    case 'allowTenants':
    case 'denyTenants':
    case 'allowPartners':
      return settings[field]
    default:
      return undefined
  }
}

function valueText(settings: FlagSettings, field: keyof FlagSettings): string {
  switch (field) {
    case 'state':
      return stateName(settings.state)
    case 'percentage':
      return formatPercent(settings.percentage)
    case 'enabledFrom':
    case 'enabledUntil':
    case 'killedAt':
      return settings[field] === null ? t('history.none') : formatTime(settings[field])
    case 'staleAfter':
      return settings.staleAfter === null ? t('history.none') : formatDay(settings.staleAfter)
    case 'description':
    case 'owner':
      return settings[field] ?? t('history.none')
    default:
      return (itemsOf(settings, field) ?? []).join(', ')
  }
}
