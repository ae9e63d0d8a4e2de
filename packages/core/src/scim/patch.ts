import { filter as matcherOf } from 'scim2-parse-filter'
import { z } from 'zod'
import { errorText } from '../platform/error-text.ts'
import { AppError } from '../platform/errors.ts'
import { attributeName, parseScimFilter } from './filter.ts'
import { lowerCase, lowerCaseNames, readBody } from './read-body.ts'
import { readScimUser, rejectRemoval, type ScimUserAttributes, singleValue } from './user.ts'

export interface PatchOperation {
  op: 'add' | 'remove' | 'replace'
  /** Where it is applied; null: the value names its attributes. */
  path: PatchPath | null
  value: unknown
  /** Its place in the request, for issues. */
  at: string
}

/** `attribute[filter].part` (RFC 7644, section 3.5.2), names in lower case. */
export interface PatchPath {
  attribute: string
  /** Whether the filter selects an element of the attribute; always without a filter. */
  selects: (element: object) => boolean
  filtered: boolean
  part: string | undefined
}

const mostOperations = 1000

const request = z.preprocess(
  lowerCaseNames,
  z.object({
    operations: z
      .array(
        z.object({
          // Microsoft Entra ID writes them with a capital letter.
          op: z.preprocess(lowerCase, z.enum(['add', 'remove', 'replace'])),
          path: z.string().max(4000).nullish(),
          value: z.unknown().optional(),
        }),
      )
      .min(1)
      .max(mostOperations),
  }),
)

/**
 * The operations of a PATCH request. Throws AppError `invalid_input`; an operation `remove` without
 * a path is at fault as a whole.
 */
export function readPatch(body: unknown): PatchOperation[] {
  return readBody(request, body).operations.map(({ op, path, value }, index) => {
    const at = `operations.${index}`
    if (op === 'remove' && !path) throw faulty(at, 'scimRemovePath')
    return { op, path: path ? readPath(path, `${at}.path`) : null, value, at }
  })
}

function faulty(path: string, key: 'scimPath' | 'scimRemovePath' | 'scimPatchValue'): AppError {
  return new AppError('invalid_input', undefined, { issues: [{ path, message: errorText(key) }] })
}

// An attribute of another schema is kept whole with its dots, and nothing knows it.
const pathSyntax =
  /^(urn:[\w$.:-]+(?![\w$.:-])|[a-z$][\w$:-]*)(?:\[(.*)\])?(?:\.([a-z$][\w$.:-]*))?$/s

/** Throws AppError `invalid_input` for what is no path. */
export function readPath(text: string, at: string): PatchPath {
  const [, attribute, filter, part] = pathSyntax.exec(attributeName(text)) ?? []
  if (attribute === undefined) throw faulty(at, 'scimPath')
  return {
    attribute,
    selects: filter === undefined ? () => true : selectorOf(filter, at),
    filtered: filter !== undefined,
    part,
  }
}

/**
 * The filter is in lower case: no part of an attribute is compared with case. All are simple
 * values; an object in the place of one is left out, as a comparison would call its `toString`.
 */
function selectorOf(filter: string, at: string): PatchPath['selects'] {
  const matches = matcherOf(parseScimFilter(filter, at))
  return (element) => {
    const parts = Object.entries(element).filter(([, value]) => typeof value !== 'object')
    return matches(Object.fromEntries(parts.map(([name, value]) => [name, lowerCase(value)])))
  }
}

/** By names in lower case. */
type Resource = Record<string, unknown>

/**
 * The user after the operations, in their order. Attributes that users do not have are passed over.
 * Throws AppError `invalid_input` for a path or a value, and `forbidden_field` for the removal of
 * `userName`.
 */
export function patchScimUser(
  before: ScimUserAttributes,
  operations: readonly PatchOperation[],
): ScimUserAttributes {
  const { userName, externalId, displayName, firstName, lastName, phone, active } = before
  const user: Resource = {
    username: userName,
    externalid: externalId,
    displayname: displayName,
    name: { givenname: firstName, familyname: lastName },
    phonenumbers: [{ value: phone }],
    active,
  }
  for (const { op, path, value, at } of operations) {
    if (path) {
      applyTo(user, op, path, value)
      continue
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw faulty(`${at}.value`, 'scimPatchValue')
    for (const [name, one] of Object.entries(value))
      applyTo(user, op, readPath(name, `${at}.value`), one)
  }
  return readScimUser(user)
}

const simple = ['username', 'externalid', 'displayname', 'active']

function applyTo(user: Resource, op: PatchOperation['op'], path: PatchPath, value: unknown): void {
  const { attribute, part } = path
  const removes = op === 'remove' || value === null
  if (simple.includes(attribute)) {
    if (removes && attribute === 'username') rejectRemoval('userName')
    user[attribute] = removes ? null : singleValue(value)
  } else if (attribute === 'name') {
    user.name = nameAfter(user.name as Resource, removes, part, value)
  } else if (attribute === 'phonenumbers') {
    user.phonenumbers = numbersAfter(user.phonenumbers as object[], removes, path, value)
  }
}

function nameAfter(
  before: Resource,
  removes: boolean,
  part: string | undefined,
  value: unknown,
): unknown {
  if (part !== undefined) return { ...before, [part]: removes ? null : singleValue(value) }
  if (removes) return {}
  return typeof value === 'object' ? { ...before, ...lowerCaseNames(value) } : value
}

/** The one phone number, which is of type work. Filters for others select nothing here. */
function numbersAfter(
  before: readonly object[],
  removes: boolean,
  { selects, part }: PatchPath,
  value: unknown,
): unknown {
  const work = { ...before[0], type: 'work', primary: true }
  if (!selects(work)) return before
  if (part !== undefined && part !== 'value') return before
  if (removes) return []
  if (part === 'value') return [{ ...work, value: singleValue(value) }]
  return Array.isArray(value) ? value : [value]
}
