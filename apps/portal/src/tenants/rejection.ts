import { focusFirstError } from '@atrium/ui/form-focus'
import { fieldErrors, problemOf } from '@atrium/ui/problem'

interface Form {
  setErrors: (errors: Record<string, string>) => void
}

/**
 * Shows the server's messages at their fields and focuses the first of these. `field` takes the
 * message of a rejection that names no field, such as a name that is taken; returns whether any
 * field shows a message.
 */
export function showRejection(
  form: Form,
  error: unknown,
  field?: { name: string; codes: readonly string[] },
): boolean {
  const problem = problemOf(error)
  const named = fieldErrors(problem)
  const errors =
    Object.keys(named).length === 0 && field?.codes.includes(problem.code)
      ? { [field.name]: problem.message }
      : named
  form.setErrors(errors)
  focusFirstError(errors)
  return Object.keys(errors).length > 0
}
