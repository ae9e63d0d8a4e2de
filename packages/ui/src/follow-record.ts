import type { UseFormReturnType } from '@mantine/form'
import { useEffect, useRef } from 'react'
import { translations } from './messages.ts'

const t = translations('ui.frame')

type Fields = Record<string, unknown>

/** A form after its record was changed elsewhere. */
export interface Merged<Values> {
  values: Values
  /** A sentence per field that was changed both here and elsewhere, each to something else. */
  conflicts: Record<string, string>
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
const isGroup = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

/**
 * Brings the change of a record into a form that was begun from an earlier state of it. `before` is
 * that state, `now` the record, both as values of the form. A field that was not touched takes the
 * new value; a touched one keeps what was typed, and is a conflict when the record has another
 * value there than before and than the form. Of a list of texts each item counts by itself: it
 * keeps what either side added, without what either side removed, and is never a conflict. Groups
 * of fields are merged field by field; their conflicts have dotted names.
 */
export function mergeChanges<Values extends object>(
  before: Values,
  now: Values,
  values: Values,
): Merged<Values> {
  const merged: Fields = { ...(values as Fields) }
  const conflicts: Record<string, string> = {}
  for (const [field, typed] of Object.entries(values) as [string, unknown][]) {
    const [was, is] = [Reflect.get(before, field), Reflect.get(now, field)] as [unknown, unknown]
    if (isSame(was, is) || isSame(typed, is)) continue
    if (isSame(typed, was)) merged[field] = is
    else if (isList(typed) && isList(was) && isList(is)) merged[field] = mergeLists(was, is, typed)
    else if (isGroup(typed) && isGroup(was) && isGroup(is)) {
      const inner = mergeChanges(was, is, typed)
      merged[field] = inner.values
      for (const [name, sentence] of Object.entries(inner.conflicts))
        conflicts[`${field}.${name}`] = sentence
    } else conflicts[field] = conflictText(is)
  }
  return { values: merged as Values, conflicts }
}

function mergeLists(
  before: readonly string[],
  now: readonly string[],
  typed: readonly string[],
): string[] {
  const kept = now.filter((item) => typed.includes(item) || !before.includes(item))
  return [...kept, ...typed.filter((item) => !before.includes(item) && !now.includes(item))]
}

function conflictText(value: unknown): string {
  if (value === '' || value === null || value === undefined) return t('form.conflictEmpty')
  return typeof value === 'object'
    ? t('form.conflictOther')
    : t('form.conflict', { value: String(value) })
}

/**
 * Updates a form from its record: other people's changes appear in it, except where something was
 * typed. A form that is compared with its newest record sends only its own changes and undoes no
 * other. `stored` is the record as values of the form.
 */
export function useFollowRecord<Values extends object>(
  form: UseFormReturnType<Values>,
  stored: Values,
): void {
  const before = useRef(stored)
  const state = JSON.stringify(stored)
  useEffect(() => {
    if (isSame(before.current, stored)) return
    const { values, conflicts } = mergeChanges(before.current, stored, form.getValues())
    before.current = stored
    form.setInitialValues(stored)
    form.setValues(values)
    if (Object.keys(conflicts).length > 0) form.setErrors(conflicts)
  }, [state])
}
