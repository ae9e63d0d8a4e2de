import '@atrium/ui/issue-messages'
import { type GuardSignal, guardSignals } from '@atrium/core/flags/flag-guards'
import type { CreateFlag, FlagState, FlagView, UpdateFlag } from '@atrium/core/flags/flags'
import type { Plan } from '@atrium/core/tenants/tenants'
import { fromLocalInput, toLocalInput } from '@atrium/ui/format'
import { randomId } from '@mantine/hooks'
import type { z } from 'zod'

/** A guard rule in the form. `id` identifies its inputs while rules are added and removed. */
export interface GuardForm {
  id: string
  signal: GuardSignal
  windowMinutes: number | string
  threshold: number | string
  minimum: number | string
}

/**
 * A flag in the form: every field is present, absent values are empty text, and times have the
 * format of `datetime-local` inputs.
 */
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
  guards: GuardForm[]
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
  guards: [],
  enabledFrom: '',
  enabledUntil: '',
  staleAfter: '',
  note: '',
}

export function toFlagForm(flag: FlagView): FlagForm {
  const needs = (value: boolean) =>
    flag.prerequisites.filter((one) => one.value === value).map((one) => one.key)
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
    guards: flag.guards.map((guard) => ({ id: randomId(), ...guard })),
    enabledFrom: toLocalInput(flag.enabledFrom ?? undefined),
    enabledUntil: toLocalInput(flag.enabledUntil ?? undefined),
    staleAfter: flag.staleAfter ?? '',
    note: '',
  }
}

/**
 * The input of an update: the fields that differ from the flag as it was read, and its version. An
 * unchanged time is left out, because the input shows it without its seconds.
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
  // Without an owner, the server uses the caller.
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
    percentage: numberIn(form.percentage),
    allowTenants: form.allowTenants,
    denyTenants: form.denyTenants,
    allowPartners: form.allowPartners,
    allowPlans: form.allowPlans,
    prerequisites: [
      ...form.needsOn.map((key) => ({ key, value: true })),
      ...form.needsOff.map((key) => ({ key, value: false })),
    ],
    guards: form.guards.map(({ id: _, signal, ...numbers }) => ({
      signal,
      windowMinutes: numberIn(numbers.windowMinutes),
      threshold: numberIn(numbers.threshold),
      minimum: numberIn(numbers.minimum),
    })),
    enabledFrom: moment(form.enabledFrom),
    enabledUntil: moment(form.enabledUntil),
    staleAfter: orNull(form.staleAfter),
  }
}

/** The value of a number input; NaN while it is empty. */
function numberIn(typed: number | string): number {
  return typeof typed === 'number' ? typed : Number.NaN
}

/** The initial values of a further rule, on a signal that no other rule watches. */
export function newGuard(others: readonly GuardForm[]): GuardForm {
  const watched = new Set(others.map((guard) => guard.signal))
  const signal = guardSignals.toReversed().find((one) => !watched.has(one)) ?? 'server_errors'
  return { id: randomId(), signal, windowMinutes: 30, threshold: 5, minimum: 50 }
}

/**
 * The form field that shows an error of the API at `path`: errors of items are shown on their list,
 * those of prerequisites on one of two inputs.
 */
export function fieldOf(path: string, form: FlagForm): string {
  const [field = '', index, part] = path.split('.')
  // An issue with a whole rule is shown below the rules.
  if (field === 'guards') return part === undefined ? field : path
  if (field !== 'prerequisites') return field
  return form.needsOn.length > 0 && Number(index ?? 0) < form.needsOn.length
    ? 'needsOn'
    : form.needsOff.length > 0
      ? 'needsOff'
      : 'needsOn'
}

/** Validates the input that the form would send with the schema of the API. */
export function validateFlag(
  schema: z.ZodType,
  toInput: (form: FlagForm) => unknown,
): (form: FlagForm) => Record<string, string> {
  return (form) => {
    const errors: Record<string, string> = {}
    for (const issue of schema.safeParse(toInput(form)).error?.issues ?? [])
      errors[fieldOf(issue.path.join('.'), form)] ??= issue.message
    return errors
  }
}
