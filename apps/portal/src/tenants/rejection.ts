import { focusFirstError } from '@atrium/ui/form-focus'
import { fieldErrors, problemOf } from '@atrium/ui/problem'

interface Form {
  setErrors: (errors: Record<string, string>) => void
}

/**
 * Puts the server's sentences at the fields they are about and the focus on the first. `field`
 * takes the sentence of a rejection that names none, such as a name that is taken; returns whether
 * anything was put at a field.
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
