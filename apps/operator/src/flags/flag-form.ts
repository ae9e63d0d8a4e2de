import type { CreateFlag, FlagState, FlagView, UpdateFlag } from '@atrium/core/flags'
import type { Plan } from '@atrium/core/tenants'
import { fromLocalInput, toLocalInput } from '@atrium/ui/format'
import type { z } from 'zod'

/** A flag as it is typed: every field present, empty text for what is left out, times as `datetime-local` inputs show them. */
export interface FlagForm {
  key: string
  description: string
  owner: string
  state: FlagState
  percentage: number | string
  allowTenants: string[]
  denyTenants: string[]
  allowPartners: string[]
  allowPlans: Plan[]
  /** Keys of the flags that must be on, and of those that must be off. */
  needsOn: string[]
  needsOff: string[]
  enabledFrom: string
  enabledUntil: string
  staleAfter: string
  note: string
}

export const emptyFlag: FlagForm = {
  key: '',
  description: '',
  owner: '',
  state: 'off',
  percentage: 0,
  allowTenants: [],
  denyTenants: [],
  allowPartners: [],
  allowPlans: [],
  needsOn: [],
  needsOff: [],
  enabledFrom: '',
  enabledUntil: '',
  staleAfter: '',
  note: '',
}

export function toFlagForm(flag: FlagView): FlagForm {
  const needs = (value: boolean) => flag.prerequisites.filter((one) => one.value === value).map((one) => one.key)
  return {
    key: flag.key,
    description: flag.description ?? '',
    owner: flag.owner ?? '',
    state: flag.state,
    percentage: flag.percentage,
    allowTenants: flag.allowTenants,
    denyTenants: flag.denyTenants,
    allowPartners: flag.allowPartners,
    allowPlans: flag.allowPlans,
    needsOn: needs(true),
    needsOff: needs(false),
    enabledFrom: toLocalInput(flag.enabledFrom ?? undefined),
    enabledUntil: toLocalInput(flag.enabledUntil ?? undefined),
    staleAfter: flag.staleAfter ?? '',
    note: '',
  }
}

/**
 * What is sent for a change: the fields that differ from the flag as it was read, and its version. A time that was not touched is not
 * sent, because the input shows it without its seconds.
 */
export function toUpdateFlag(flag: FlagView, form: FlagForm): z.input<typeof UpdateFlag> {
  const before = settingsOf(toFlagForm(flag))
  const changed = Object.entries(settingsOf(form)).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(before, field)),
  )
  return { ...Object.fromEntries(changed), key: flag.key, version: flag.version, note: form.note }
}

/** True when the form differs from the flag in more than the note. */
export function changesFlag(flag: FlagView, form: FlagForm): boolean {
  return Object.keys(toUpdateFlag(flag, form)).length > 3
}

export function toCreateFlag(form: FlagForm): z.input<typeof CreateFlag> {
  const { owner, ...settings } = settingsOf(form)
  // Without an owner the server takes whoever creates the flag.
  return {
    key: form.key.trim(),
    ...settings,
    ...(owner === null ? {} : { owner }),
    ...(form.note.trim() === '' ? {} : { note: form.note }),
  }
}

function settingsOf(form: FlagForm) {
  const orNull = (text: string) => (text.trim() === '' ? null : text)
  const moment = (local: string) => (local === '' ? null : (fromLocalInput(local) ?? local))
  return {
    description: orNull(form.description),
    owner: orNull(form.owner),
    state: form.state,
    percentage: typeof form.percentage === 'number' ? form.percentage : Number.NaN,
    allowTenants: form.allowTenants,
    denyTenants: form.denyTenants,
    allowPartners: form.allowPartners,
    allowPlans: form.allowPlans,
    prerequisites: [...form.needsOn.map((key) => ({ key, value: true })), ...form.needsOff.map((key) => ({ key, value: false }))],
    enabledFrom: moment(form.enabledFrom),
    enabledUntil: moment(form.enabledUntil),
    staleAfter: orNull(form.staleAfter),
  }
}

/** The field of the form that shows what the API says about a path: items stand on their list, prerequisites in one of two inputs. */
export function fieldOf(path: string, form: FlagForm): string {
  const [field = '', index] = path.split('.')
  if (field !== 'prerequisites') return field
  return form.needsOn.length > 0 && Number(index ?? 0) < form.needsOn.length ? 'needsOn' : form.needsOff.length > 0 ? 'needsOff' : 'needsOn'
}

/** Validation of the form by the schema of the API, over what the form would send. */
export function validateFlag(schema: z.ZodType, toInput: (form: FlagForm) => unknown): (form: FlagForm) => Record<string, string> {
  return (form) => {
    const errors: Record<string, string> = {}
    for (const issue of schema.safeParse(toInput(form)).error?.issues ?? []) errors[fieldOf(issue.path.join('.'), form)] ??= issue.message
    return errors
  }
}
