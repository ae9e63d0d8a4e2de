import { filter as matcherOf } from 'scim2-parse-filter'
import { z } from 'zod'
import { errorText } from '../platform/error-text.ts'
import { AppError } from '../platform/errors.ts'
import { attributeName, parseScimFilter } from './filter.ts'
import { lowerCaseNames, readBody } from './read-body.ts'
import {
  readScimUser,
  rejectRemoval,
  type ScimUserAttributes,
  singleValue,
  spelled,
} from './user.ts'

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
          op: z.preprocess(
            (value) => (typeof value === 'string' ? value.toLowerCase() : value),
            z.enum(['add', 'remove', 'replace']),
          ),
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

/** Throws AppError `invalid_input` for what is no path. */
export function readPath(text: string, at: string): PatchPath {
  const [, before = text, filter, after] = /^([^[\]]+)\[(.*)\](.*)$/s.exec(text) ?? []
  const [attribute = '', ...parts] = splitName(attributeName(before))
  const part = filter === undefined ? parts.join('.') : attributeName(after ?? '').slice(1)
  const misplaced = filter !== undefined && (parts.length > 0 || !/^(\.|$)/.test(after ?? ''))
  if (misplaced || !isName(attribute) || (part !== '' && !isName(part)))
    throw faulty(at, 'scimPath')
  return {
    attribute,
    selects: filter === undefined ? () => true : matcherOf(parseScimFilter(filter, `${at}`)),
    filtered: filter !== undefined,
    part: part === '' ? undefined : part,
  }
}

/** Names of other schemas contain dots; their attributes are kept whole, and nothing knows them. */
const splitName = (name: string) => (name.startsWith('urn:') ? [name] : name.split('.'))
const isName = (name: string) => /^[a-z$][\w$.:-]*$/.test(name)

type Resource = Record<string, unknown>

/**
 * The user after the operations, in their order. Attributes that users do not have are passed over.
 * Throws AppError `invalid_input` for a path, a value, or the removal of `userName`.
 */
export function patchScimUser(
  before: ScimUserAttributes,
  operations: readonly PatchOperation[],
): ScimUserAttributes {
  const { userName, externalId, displayName, firstName, lastName, phone, active } = before
  const user: Resource = {
    userName,
    externalId,
    displayName,
    name: { givenName: firstName, familyName: lastName },
    phoneNumbers: phone === null ? [] : [{ value: phone, type: 'work' }],
    active,
  }
  for (const { op, path, value, at } of operations) {
    if (path) {
      applyTo(user, op, path, value, at)
      continue
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw faulty(`${at}.value`, 'scimPatchValue')
    for (const [name, one] of Object.entries(value))
      applyTo(user, op, readPath(name, `${at}.value`), one, at)
  }
  return readScimUser(user)
}

const simple: Readonly<Record<string, string>> = {
  username: 'userName',
  externalid: 'externalId',
  displayname: 'displayName',
  active: 'active',
}
const partsOfName: Readonly<Record<string, string>> = {
  givenname: 'givenName',
  familyname: 'familyName',
}

function applyTo(
  user: Resource,
  op: PatchOperation['op'],
  path: PatchPath,
  value: unknown,
  at: string,
): void {
  const { attribute, part } = path
  const removes = op === 'remove' || value === null
  if (Object.hasOwn(simple, attribute)) {
    const name = simple[attribute] ?? attribute
    if (removes && name === 'userName') rejectRemoval(`${at}.value`, name)
    user[name] = removes ? null : singleValue(value)
  } else if (attribute === 'name') {
    user.name = nameAfter(user.name as Resource, removes, part, value)
  } else if (attribute === 'phonenumbers') {
    user.phoneNumbers = numbersAfter(user.phoneNumbers as object[], removes, path, value)
  }
}

function nameAfter(
  before: Resource,
  removes: boolean,
  part: string | undefined,
  value: unknown,
): unknown {
  if (part === undefined) {
    if (removes) return {}
    const changes = spelled(value)
    return typeof changes === 'object' ? { ...before, ...changes } : value
  }
  const name = Object.hasOwn(partsOfName, part) ? partsOfName[part] : undefined
  return name === undefined ? before : { ...before, [name]: removes ? null : singleValue(value) }
}

/** The one phone number, which is of type work. Filters for others select nothing here. */
function numbersAfter(
  before: readonly object[],
  removes: boolean,
  { filtered, selects, part }: PatchPath,
  value: unknown,
): unknown {
  const work = { value: '', ...before[0], type: 'work', primary: true }
  if (filtered && !selects(work)) return before
  if (removes) return part === undefined || part === 'value' ? [] : before
  if (part !== undefined)
    return part === 'value' ? [{ ...work, value: singleValue(value) }] : before
  return Array.isArray(value) ? value : [value]
}
