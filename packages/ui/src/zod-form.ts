import './issue-messages.ts'
import type { z } from 'zod'
import { translations } from './messages.ts'

const t = translations('ui.issues')

/**
 * Validation of a Mantine form by the schema that the API uses too. Empty text counts as absent, so
 * that an optional field left blank is not rejected; errors carry dotted paths
 * (`billingInfo.country`), as the form names its fields.
 */
export function zodForm(schema: z.ZodType): (values: object) => Record<string, string> {
  return (values) => {
    const parsed = schema.safeParse(withoutBlanks(values), { reportInput: true })
    if (parsed.success) return {}
    const errors: Record<string, string> = {}
    for (const issue of parsed.error.issues) {
      const path = issue.path.map(String).join('.')
      errors[path] ??=
        issue.code === 'invalid_type' && issue.input === undefined ? t('empty') : issue.message
    }
    return errors
  }
}

/**
 * A copy without empty texts, and without objects that hold nothing else: what a form sends to the
 * API.
 */
export function withoutBlanks<Values extends object>(values: Values): Partial<Values> {
  const kept = Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    if (value === undefined || (typeof value === 'string' && value.trim() === '')) return []
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[key, value]]
    const inner = withoutBlanks(value)
    return Object.keys(inner).length > 0 ? [[key, inner]] : []
  })
  return Object.fromEntries(kept) as Partial<Values>
}
