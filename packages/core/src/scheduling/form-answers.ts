import type { z } from 'zod'
import type { Issue } from '../platform/errors.ts'
import { issueText } from '../platform/issue-text.ts'
import { line, paragraphs } from '../platform/text.ts'
import { phoneNumber } from '../users/users.ts'
import { answerCharacters, type FormField } from './event-types.ts'

/**
 * Validates a visitor's answers against the form's fields: issues under `answers.<key>`, or the
 * answers to store, without empty ones. A checkbox is `true` or `false`; a required one has to be
 * `true`.
 */
export function checkAnswers(
  fields: readonly FormField[],
  provided: Readonly<Record<string, string>>,
): { issues: Issue[]; answers: Record<string, string> } {
  const issues: Issue[] = []
  const answers: Record<string, string> = {}
  for (const key of Object.keys(provided)) {
    if (!fields.some((field) => field.key === key))
      issues.push({ path: `answers.${key}`, message: issueText('unknownQuestion') })
  }
  for (const field of fields) {
    const text = Object.hasOwn(provided, field.key) ? (provided[field.key] ?? '') : ''
    if (text.trim() === '') {
      if (field.required) issues.push({ path: `answers.${field.key}`, message: issueText('empty') })
      continue
    }
    const checked = checkField(field, text)
    if ('message' in checked)
      issues.push({ path: `answers.${field.key}`, message: checked.message })
    else answers[field.key] = checked.value
  }
  return { issues, answers }
}

function checkField(field: FormField, text: string): { value: string } | { message: string } {
  switch (field.kind) {
    case 'text':
      return parsed(line(answerCharacters.text), text)
    case 'long_text':
      return parsed(paragraphs(answerCharacters.long_text), text)
    case 'phone':
      return parsed(phoneNumber, text)
    case 'choice':
      return field.options?.includes(text) ? { value: text } : { message: issueText('notAnOption') }
    case 'checkbox':
      if (text !== 'true' && text !== 'false') return { message: issueText('boolean') }
      return field.required && text === 'false'
        ? { message: issueText('mustAgree') }
        : { value: text }
  }
}

function parsed(schema: z.ZodType<string>, text: string): { value: string } | { message: string } {
  const result = schema.safeParse(text)
  return result.success
    ? { value: result.data }
    : { message: result.error.issues[0]?.message ?? issueText('notAccepted') }
}

/** The number under which the visitor is called: the first one that the form asks for. */
export function enteredPhone(
  fields: readonly FormField[],
  answers: Readonly<Record<string, string>>,
): string | null {
  const field =
    fields.find(({ kind, required }) => kind === 'phone' && required) ??
    fields.find(({ kind }) => kind === 'phone')
  return (field && answers[field.key]) ?? null
}
