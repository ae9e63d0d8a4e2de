import '@atrium/ui/issue-messages'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import type { z } from 'zod'

/**
 * Validation of a Mantine form by the schema that the API uses, over what the form would send.
 * Errors carry the dotted path of the field; those of one item of a list stand on the list
 * (`domains.1` is `domains`), which is one field of the form.
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
 * What a form does with rejected input, of its own check and of the server's: errors on their
 * fields, the focus on the first.
 */
export function rejections(form: Form) {
  const onInvalid = (errors: Readonly<Record<string, unknown>>) => {
    const [first] = Object.keys(errors)
    if (first !== undefined) form.getInputNode(first)?.focus()
  }
  const onRejected = (error: unknown) => {
    const errors = onFields(fieldErrors(problemOf(error)))
    form.setErrors(errors)
    onInvalid(errors)
  }
  return { onInvalid, onRejected }
}

/** Errors of the items of a list stand on the list. */
export function onFields(errors: Readonly<Record<string, string>>): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [path, message] of Object.entries(errors))
    fields[path.replace(/\.\d+(?=\.|$)/g, '')] ??= message
  return fields
}
