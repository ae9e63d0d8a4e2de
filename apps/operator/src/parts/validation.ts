import '@atrium/ui/issue-messages'
import { focusFirstError } from '@atrium/ui/form-focus'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import type { z } from 'zod'

/**
 * Validates the input that a Mantine form would send with the schema of the API. Errors have the
 * dotted path of the field; errors of an item are shown on its list (`domains.1` is `domains`),
 * which is one field of the form.
 */
export function validateAs<Values>(
  schema: z.ZodType,
  toInput: (values: Values) => unknown,
): (values: Values) => Record<string, string> {
  return (values) => {
    const parsed = schema.safeParse(toInput(values))
    const errors: Record<string, string> = {}
    for (const issue of parsed.error?.issues ?? []) {
      const path = issue.path.filter((part) => typeof part !== 'number').join('.')
      errors[path] ??= issue.message
    }
    return errors
  }
}

interface Form {
  setErrors: (errors: Record<string, string>) => void
  getInputNode: (path: string) => HTMLElement | null
}

/**
 * Handlers for input that the form's own check or the server rejected: they show the errors on
 * their fields and focus the first. `fieldOf` names fields of the form that are called otherwise in
 * the API.
 */
export function rejections(form: Form, fieldOf: Readonly<Record<string, string>> = {}) {
  const onInvalid = (errors: Readonly<Record<string, unknown>>) => {
    const [first] = Object.keys(errors)
    if (first !== undefined) form.getInputNode(first)?.focus()
  }
  const onRejected = (error: unknown) => {
    const found = Object.entries(onFields(fieldErrors(problemOf(error))))
    const errors = Object.fromEntries(
      found.map(([path, message]) => [fieldOf[path] ?? path, message]),
    )
    form.setErrors(errors)
    onInvalid(errors)
  }
  return { onInvalid, onRejected }
}

/**
 * Shows a rejection by the server on the fields of a form and focuses the first. `fieldOf` gives
 * the name of a field of the API in the form.
 */
export function showRejection(
  form: Pick<Form, 'setErrors'>,
  error: unknown,
  fieldOf: (path: string) => string,
): void {
  const errors = Object.fromEntries(
    Object.entries(fieldErrors(problemOf(error))).map(([path, message]) => [
      fieldOf(path),
      message,
    ]),
  )
  form.setErrors(errors)
  focusFirstError(errors)
}

/** Moves errors of the items of a list to the list. */
export function onFields(errors: Readonly<Record<string, string>>): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [path, message] of Object.entries(errors))
    fields[path.replace(/\.\d+(?=\.|$)/g, '')] ??= message
  return fields
}
