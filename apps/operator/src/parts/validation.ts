import type { z } from 'zod'

/**
 * Validation of a Mantine form by the schema that the API uses, over what the form would send. Errors carry the dotted path of the
 * field; those of one item of a list stand on the list (`domains.1` is `domains`), which is one field of the form.
 */
export function validateAs<Values>(schema: z.ZodType, toInput: (values: Values) => unknown): (values: Values) => Record<string, string> {
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
