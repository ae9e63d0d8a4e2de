import type { FlagChange, FlagSettings, FlagState, FlagStep, FlagView } from '@atrium/core/flags'
import { formatDay, formatTime } from '@atrium/ui/format'
import type { Look } from '@atrium/ui/tones'
import { planNames } from '../tenants/words.ts'

export const stateNames: Readonly<Record<FlagState, string>> = { off: 'Off', rollout: 'Rollout', on: 'On' }

/** The state of a flag as people read it. */
export function flagLook({ state, percentage, killedAt }: Pick<FlagView, 'state' | 'percentage' | 'killedAt'>): Look {
  if (killedAt !== null) return { label: 'Killed', tone: 'bad' }
  if (state === 'rollout') return { label: `Rollout, ${percentage} %`, tone: 'waiting' }
  return state === 'on' ? { label: 'On', tone: 'good' } : { label: 'Off', tone: 'neutral' }
}

/** Whom the state reaches, lists left aside. */
export function reachSentence(state: FlagState, percentage: number): string {
  if (state === 'off') return 'Off for everybody, whatever the lists say.'
  if (state === 'on') return 'On for everybody who is not in the deny list.'
  return `On for ${percentage} % of the tenants, the same ones every time, and for those in an allow list.`
}

/** What a change of the rollout does to tenants that have the flag today; undefined when none loses it. */
export function lossSentence(before: Pick<FlagView, 'state' | 'percentage'>, state: FlagState, percentage: number): string | undefined {
  const share = (of: FlagState, percent: number) => (of === 'on' ? 100 : of === 'off' ? 0 : percent)
  const [was, will] = [share(before.state, before.percentage), share(state, percentage)]
  if (will >= was && !(state === 'off' && before.state !== 'off')) return undefined
  return state === 'off' ? 'Every tenant that has it now loses it.' : `From ${was} % to ${will} %: some tenants that have it now lose it.`
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
  enabledFrom: 'Begins',
  enabledUntil: 'Ends',
  staleAfter: 'Expected to go by',
  killedAt: 'Killed at',
}
const fields = Object.keys(fieldNames) as (keyof FlagSettings)[]

/** What a change did, one line per field: "Percentage: 10 % → 25 %"; of lists what came in and what went out. */
export function changeLines({ before, after }: Pick<FlagChange, 'before' | 'after'>): string[] {
  if (!before || !after) return []
  return fields.flatMap((field) => {
    const [was, is] = [itemsOf(before, field), itemsOf(after, field)]
    if (was && is) {
      const [out, added] = [was.filter((item) => !is.includes(item)), is.filter((item) => !was.includes(item))]
      const parts = [added.length > 0 && `with ${added.join(', ')}`, out.length > 0 && `without ${out.join(', ')}`].filter(Boolean)
      return parts.length === 0 ? [] : [`${fieldNames[field]}: now ${parts.join(', ')}`]
    }
    const [then, now] = [valueWords(before, field), valueWords(after, field)]
    return then === now ? [] : [`${fieldNames[field]}: ${then} → ${now}`]
  })
}

/** The items of a field that is a list, in words. */
function itemsOf(settings: FlagSettings, field: keyof FlagSettings): readonly string[] | undefined {
  switch (field) {
    case 'prerequisites':
      return settings.prerequisites.map((one) => `${one.key} ${one.value ? 'on' : 'off'}`)
    case 'allowPlans':
      return settings.allowPlans.map((plan) => planNames[plan])
    case 'allowTenants':
    case 'denyTenants':
    case 'allowPartners':
      return settings[field]
    default:
      return undefined
  }
}

function valueWords(settings: FlagSettings, field: keyof FlagSettings): string {
  switch (field) {
    case 'state':
      return stateNames[settings.state]
    case 'percentage':
      return `${settings.percentage} %`
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
