import type { FlagGuard, FlagRollback, GuardSignal } from '@atrium/core/flags/flag-guards'
import type {
  FlagChange,
  FlagSettings,
  FlagState,
  FlagStep,
  FlagView,
} from '@atrium/core/flags/flags'
import { formatCount, formatDay, formatTime } from '@atrium/ui/format'
import { planName } from '@atrium/ui/subscription-status-meta'
import type { StatusMeta } from '@atrium/ui/tones'

export const stateNames: Readonly<Record<FlagState, string>> = {
  off: 'Off',
  rollout: 'Rollout',
  on: 'On',
}

/** Number and sign on one line. */
export function percent(value: number): string {
  return `${value}\u00a0%`
}

/** The state of a flag as people read it. */
export function flagMeta({
  state,
  percentage,
  killedAt,
  rollback,
}: Pick<FlagView, 'state' | 'percentage' | 'killedAt' | 'rollback'>): StatusMeta {
  if (killedAt !== null) return { label: rollback ? 'Killed by a guard' : 'Killed', tone: 'bad' }
  if (state === 'rollout') return { label: `Rollout, ${percent(percentage)}`, tone: 'waiting' }
  return state === 'on' ? { label: 'On', tone: 'good' } : { label: 'Off', tone: 'neutral' }
}

/** Whom the state reaches, lists left aside. */
export function reachSentence(state: FlagState, percentage: number): string {
  if (state === 'off') return 'Off for everybody, whatever the lists say.'
  if (state === 'on') return 'On for everybody who is not in the deny list.'
  return `On for ${percent(percentage)} of the tenants, the same ones every time, and for those in an allow list.`
}

/**
 * What a change of the rollout does to tenants that have the flag today; undefined when none loses
 * it.
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
    ? 'Every tenant that has it now loses it.'
    : `From ${percent(was)} to ${percent(will)}: some tenants that have it now lose it.`
}

/** What a guard counts, as the head of a rule. */
export const signalNames: Readonly<Record<GuardSignal, string>> = {
  provisioning_errors: 'Failed provisioning steps',
  payment_failures: 'Failed payments',
  webhook_failures: 'Failed payment events',
  server_errors: 'Server errors',
}

/** "More than 5 % within 30 minutes, from 50 events." */
export function guardSentence({
  threshold,
  windowMinutes,
  minimum,
}: Omit<FlagGuard, 'signal'>): string {
  return `More than ${percent(threshold)} within ${minutes(windowMinutes)}, from ${formatCount(minimum)} ${minimum === 1 ? 'event' : 'events'}.`
}

export function rateText({ rate }: { rate: number | null }): string {
  return rate === null ? 'no events' : percent(rate)
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
  const without =
    rateOff === null ? 'and none were counted without it' : `${percent(rateOff)} without it`
  return `${signalNames[signal]}: ${percent(rateOn)} of ${formatCount(eventsOn)} events with the flag, ${without}. The limit was ${percent(threshold)} within ${minutes(windowMinutes)}.`
}

const minutes = (count: number) => `${count} ${count === 1 ? 'minute' : 'minutes'}`

/** True when the day on which a flag was expected to be gone is over for the viewer. */
export function isOverdue(day: string, now: Date): boolean {
  return new Date(`${day}T23:59:59.999`).getTime() < now.getTime()
}

export const stepNames: Readonly<Record<FlagStep, string>> = {
  state: 'State',
  window: 'Time',
  prerequisites: 'Prerequisites',
  denied: 'Deny list',
  allowed: 'Allow lists',
  everywhere: 'On for everybody',
  tenant: 'Tenant named',
  split: 'Share of the rollout',
}

export const changeNames: Readonly<Record<FlagChange['kind'], string>> = {
  created: 'Created',
  updated: 'Changed',
  killed: 'Killed',
  removed: 'Removed',
}

const fieldNames: Readonly<Record<keyof FlagSettings, string>> = {
  description: 'Description',
  owner: 'Owner',
  state: 'State',
  percentage: 'Percentage',
  allowTenants: 'Allowed tenants',
  denyTenants: 'Denied tenants',
  allowPartners: 'Allowed partners',
  allowPlans: 'Allowed plans',
  prerequisites: 'Prerequisites',
  guards: 'Guards',
  enabledFrom: 'Begins',
  enabledUntil: 'Ends',
  staleAfter: 'Expected to go by',
  killedAt: 'Killed at',
  rollback: 'Broken guard',
}
const fields = Object.keys(fieldNames) as (keyof FlagSettings)[]

/**
 * What a change did, one line per field: "Percentage: 10 % → 25 %"; of lists what came in and what
 * went out.
 */
export function changeLines({ before, after }: Pick<FlagChange, 'before' | 'after'>): string[] {
  if (!before || !after) return []
  return fields.flatMap((field) => {
    const [was, is] = [itemsOf(before, field), itemsOf(after, field)]
    if (was && is) {
      const [out, added] = [
        was.filter((item) => !is.includes(item)),
        is.filter((item) => !was.includes(item)),
      ]
      const parts = [
        added.length > 0 && `with ${added.join(', ')}`,
        out.length > 0 && `without ${out.join(', ')}`,
      ].filter(Boolean)
      return parts.length === 0 ? [] : [`${fieldNames[field]}: now ${parts.join(', ')}`]
    }
    if (field === 'rollback')
      return after.rollback === null
        ? []
        : [`${fieldNames.rollback}: ${rollbackSentence(after.rollback)}`]
    const [then, now] = [valueText(before, field), valueText(after, field)]
    return then === now ? [] : [`${fieldNames[field]}: ${then} → ${now}`]
  })
}

/** The items of a field that is a list, in words. */
function itemsOf(settings: FlagSettings, field: keyof FlagSettings): readonly string[] | undefined {
  switch (field) {
    case 'prerequisites':
      return settings.prerequisites.map((one) => `${one.key} ${one.value ? 'on' : 'off'}`)
    case 'guards':
      return settings.guards.map(
        (guard) =>
          `${signalNames[guard.signal].toLowerCase()} over ${percent(guard.threshold)} in ${guard.windowMinutes} min from ${formatCount(guard.minimum)}`,
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
      return stateNames[settings.state]
    case 'percentage':
      return percent(settings.percentage)
    case 'enabledFrom':
    case 'enabledUntil':
    case 'killedAt':
      return settings[field] === null ? 'none' : formatTime(settings[field])
    case 'staleAfter':
      return settings.staleAfter === null ? 'none' : formatDay(settings.staleAfter)
    case 'description':
    case 'owner':
      return settings[field] ?? 'none'
    default:
      return (itemsOf(settings, field) ?? []).join(', ')
  }
}
