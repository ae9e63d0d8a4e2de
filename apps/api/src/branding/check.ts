import { templateDefinition } from '@atrium/core/branding/email-templates'
import type { MailTemplateKey } from '@atrium/core/branding/template-keys'
import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import type { IssueText } from '@atrium/core/platform/errors'
import { type Template, Tokenizer, type TopLevelToken, TypeGuards, type Variable } from 'liquidjs'
import type { MessageText } from '../platform/templates.ts'
import { allowedTags, deepest, innerTags, liquidFor } from './liquid.ts'
import { customPartMs, renderParsed } from './render.ts'
import { sampleValues } from './samples.ts'

/** An error with its position; line and column start at 1. */
interface Fault {
  line: number
  column: number
  message: ErrorText | string
}

/**
 * Why a text cannot be a message's template, an issue per part under `path`: no Liquid, a tag,
 * filter or variable that is not ours, or more work than a message may take. Empty when it can.
 */
export function templateFaults(
  key: MailTemplateKey,
  template: MessageText,
  path: string,
): IssueText[] {
  const parts = [
    { part: 'subject', kind: 'text', source: template.subject },
    { part: 'html', kind: 'html', source: template.html },
    { part: 'text', kind: 'text', source: template.text },
  ] as const
  return parts.flatMap(({ part, kind, source }) => {
    const fault = source === null ? undefined : faultOf(key, kind, source)
    return fault
      ? [
          {
            path: `${path}.${part}`,
            message: errorText('templateAt', {
              line: fault.line,
              column: fault.column,
              message: fault.message,
            }),
          },
        ]
      : []
  })
}

function faultOf(key: MailTemplateKey, kind: 'html' | 'text', source: string): Fault | undefined {
  try {
    return (
      tokenFault(new Tokenizer(source).readTopLevelTokens()) ??
      meaningFault(key, kind, liquidFor(kind).parse(source))
    )
  } catch (error) {
    return thrownFault(error)
  }
}

/**
 * Tags and outputs of one part. What they mean is found out with work that grows with the square of
 * their number.
 */
const mostMarks = 1_000
const opening = new Set<string>(['if', 'unless', 'case', 'for'])
const known = new Set<string>([...allowedTags, ...innerTags])

/** What is seen before anything is parsed: tags, ranges, depth, number. */
function tokenFault(tokens: readonly TopLevelToken[]): Fault | undefined {
  let [depth, marks] = [0, 0]
  for (const token of tokens) {
    if (TypeGuards.isHTMLToken(token)) continue
    if (++marks > mostMarks)
      return {
        ...placeOf(token),
        message: errorText('templateTooManyMarks', { most: String(mostMarks) }),
      }
    const at = (message: ErrorText) => ({ ...placeOf(token), message })
    const name = TypeGuards.isTagToken(token) ? token.name : undefined
    if (name !== undefined && !known.has(name)) return at(errorText('templateUnknownTag', { name }))
    if (name !== undefined && opening.has(name) && ++depth > deepest)
      return at(errorText('templateTooDeep', { deepest }))
    if (name?.startsWith('end') && opening.has(name.slice(3))) depth--
    // A loop over a list ends with the list; one over numbers ends when its author pleases.
    if (/\.\./.test(token.getText().replace(/"[^"]*"|'[^']*'/g, '""')))
      return at(errorText('templateRange'))
  }
  return undefined
}

function meaningFault(
  key: MailTemplateKey,
  kind: 'html' | 'text',
  templates: Template[],
): Fault | undefined {
  const names = templateDefinition(key).variables.map(({ name }) => name)
  const { globals } = liquidFor(kind).analyzeSync(templates, { partials: false })
  const unknown = Object.values(globals)
    .flat()
    .filter((variable) => !isKnown(variable, names))
    .sort(
      (one, other) =>
        one.location.row - other.location.row || one.location.col - other.location.col,
    )[0]
  if (unknown) {
    const { row, col } = unknown.location
    return {
      line: row,
      column: col,
      message: errorText('templateUnknownVariable', {
        name: shownName(unknown),
        known: names.join(', '),
      }),
    }
  }
  renderParsed(kind, templates, sampleValues(key), customPartMs)
  return undefined
}

const ofLists = new Set(['size', 'first', 'last'])

function isKnown({ segments }: Variable, names: readonly string[]): boolean {
  const path = segments.map((segment) => (typeof segment === 'string' ? segment : undefined))
  const last = path.at(-1)
  return (
    names.includes(path.join('.')) ||
    (last !== undefined && ofLists.has(last) && names.includes(path.slice(0, -1).join('.')))
  )
}

function shownName(variable: Variable): string {
  return variable.toString().slice(0, 80)
}

function placeOf(token: { getPosition(): number[] }): { line: number; column: number } {
  const [line = 1, column = 1] = token.getPosition()
  return { line, column }
}

/** The place and the words of what the parser or the trial threw. */
function thrownFault(error: unknown): Fault {
  const token = property(error, 'token')
  const place =
    typeof token === 'object' && token !== null && 'getPosition' in token
      ? placeOf(token as { getPosition(): number[] })
      : { line: 1, column: 1 }
  if (!(error instanceof Error)) return { ...place, message: errorText('templateUnreadable') }
  const words = error.message.replace(/, line:\d+, col:\d+/g, '').slice(0, 200)
  const message = /limit exceeded/.test(words)
    ? errorText('templateCostly')
    : `${words.replace(/\.$/, '')}.`
  return { ...place, message }
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
