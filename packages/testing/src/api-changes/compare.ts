import type { ApiRecord, RecordedOperation } from './record.ts'
import { addition, breaking, type ChangeKind, compareSchemas, type Difference } from './schemas.ts'

/** A change of the API, as a sentence that begins with its operation. */
export interface ApiChange {
  kind: ChangeKind
  sentence: string
}

/**
 * What changed between two states of the API, by docs/reference/compatibility.md. `today` decides
 * whether a removed operation has reached its sunset; then its removal is no breaking change.
 */
export function compareApis(before: ApiRecord, after: ApiRecord, today: string): ApiChange[] {
  const changes: ApiChange[] = []
  const add = (name: string, { kind, text }: Difference) =>
    changes.push({ kind, sentence: `\`${name}\`: ${text}` })
  for (const [name, was] of Object.entries(before.operations)) {
    const is = after.operations[name]
    if (is) for (const difference of compareOperations(was, is)) add(name, difference)
    else if (was.sunset === undefined || today < was.sunset) add(name, breaking('is gone'))
    else add(name, { kind: 'removed', text: `was deprecated until ${was.sunset}` })
  }
  for (const name of Object.keys(after.operations))
    if (!before.operations[name]) add(name, addition('is new'))
  return changes
}

function compareOperations(before: RecordedOperation, after: RecordedOperation): Difference[] {
  return [
    ...compareIdentity(before, after),
    ...compareAccess(before, after),
    ...compareParameters(before, after),
    ...compareBodies(before, after),
    ...compareResponses(before, after),
  ]
}

function compareIdentity(before: RecordedOperation, after: RecordedOperation): Difference[] {
  const found: Difference[] = []
  if (before.operationId !== after.operationId)
    found.push(breaking(`has the operationId \`${after.operationId}\``))
  const { sunset } = after
  if (sunset === undefined || sunset === before.sunset) return found
  if (before.sunset !== undefined && sunset < before.sunset)
    found.push(breaking(`may be gone from ${sunset} on, not from ${before.sunset} on`))
  else found.push({ kind: 'deprecated', text: `may be gone from ${sunset} on` })
  return found
}

function compareAccess(before: RecordedOperation, after: RecordedOperation): Difference[] {
  const found: Difference[] = []
  if (before.open && !after.open) found.push(breaking('needs a token'))
  if (!before.scopes)
    return after.scopes && !before.open ? [...found, addition('accepts service tokens')] : found
  if (!after.scopes) return after.open ? found : [...found, breaking('accepts no service token')]
  const more = after.scopes.filter((scope) => !before.scopes?.includes(scope))
  return more.length > 0 ? [...found, breaking(`needs the scope ${more.join(', ')}`)] : found
}

function compareParameters(before: RecordedOperation, after: RecordedOperation): Difference[] {
  const found: Difference[] = []
  for (const [name, was] of Object.entries(before.parameters)) {
    const is = after.parameters[name]
    const at = `\`${name}\``
    if (!is) {
      found.push(breaking(`${at} is no longer accepted`))
      continue
    }
    if (is.required && !was.required) found.push(breaking(`${at} is required`))
    found.push(...compareSchemas(was.schema, is.schema, 'request', at))
  }
  for (const [name, { required }] of Object.entries(after.parameters))
    if (!before.parameters[name])
      found.push(required ? breaking(`\`${name}\` is required`) : addition(`\`${name}\` is new`))
  return found
}

function compareBodies(before: RecordedOperation, after: RecordedOperation): Difference[] {
  if (!after.body) return before.body ? [breaking('takes no body')] : []
  const { required, schema } = after.body
  if (!before.body) return [required ? breaking('requires a body') : addition('takes a body')]
  return [
    ...(required && !before.body.required ? [breaking('requires a body')] : []),
    ...compareSchemas(before.body.schema, schema, 'request', '`body`'),
  ]
}

function compareResponses(before: RecordedOperation, after: RecordedOperation): Difference[] {
  const found: Difference[] = []
  for (const [name, was] of Object.entries(before.responses)) {
    const is = after.responses[name]
    const at = name.startsWith('event ') ? '`event`' : '`response`'
    if (is) found.push(...compareSchemas(was, is, 'response', at))
    else found.push(breaking(`no longer returns ${name}`))
  }
  for (const name of Object.keys(after.responses))
    if (!before.responses[name]) found.push(addition(`may return ${name}`))
  return found
}
