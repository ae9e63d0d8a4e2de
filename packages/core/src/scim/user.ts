import { z } from 'zod'
import { errorText } from '../platform/error-text.ts'
import { AppError } from '../platform/errors.ts'
import { line } from '../platform/text.ts'
import { phoneNumber } from '../users/users.ts'
import { lowerCase, readBody } from './read-body.ts'

/** What a client writes about a user. Null: it has no value. */
export interface ScimUserAttributes {
  userName: string
  externalId: string | null
  displayName: string | null
  firstName: string | null
  lastName: string | null
  phone: string | null
  /** Undefined: the client says nothing, and the member stays as it is. */
  active: boolean | undefined
}

const spellings = new Map(
  [
    'userName',
    'externalId',
    'displayName',
    'name',
    'formatted',
    'givenName',
    'familyName',
    'active',
    'phoneNumbers',
    'value',
    'type',
    'primary',
    'members',
  ].map((name) => [name.toLowerCase(), name]),
)

/** The attributes as RFC 7643 spells them; clients may write them in any case. */
function spelled(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [spellings.get(name.toLowerCase()) ?? name, one]),
  )
}

/** Attributes that are not named are ignored, as clients send what they have. */
export const scimAttributes = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess(spelled, z.object(shape))

/** A blank text is no value: directories send it for an empty attribute. */
export const orEmpty = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(
    (value) => (typeof value === 'string' && value.trim() === '' ? null : value),
    schema.nullish(),
  )

/** Microsoft Entra ID writes booleans as `"True"` and `"False"`. */
const boolean = z.preprocess((value) => {
  const word = lowerCase(value)
  return word === 'true' || (word === 'false' ? false : value)
}, z.boolean())

const phone = scimAttributes({
  value: orEmpty(
    z.preprocess(
      (value) => (typeof value === 'string' ? value.replace(/^tel:/i, '') : value),
      phoneNumber,
    ),
  ),
  type: z.unknown().optional(),
  primary: z.unknown().optional(),
})

const resource = scimAttributes({
  userName: line(254),
  externalId: orEmpty(line(200)),
  displayName: orEmpty(line(200)),
  name: scimAttributes({
    formatted: orEmpty(line(200)),
    givenName: orEmpty(line(100)),
    familyName: orEmpty(line(100)),
  }).nullish(),
  active: boolean.nullish(),
  phoneNumbers: z.array(phone).max(100).nullish(),
})

/**
 * The attributes of a user that a client sent. One phone number is kept: the one of work, else the
 * primary one, else the first. Throws AppError `invalid_input`.
 */
export function readScimUser(provided: unknown): ScimUserAttributes {
  const { userName, externalId, displayName, name, active, phoneNumbers } = readBody(
    resource,
    provided,
  )
  const numbers = (phoneNumbers ?? []).filter(({ value }) => value)
  const number =
    numbers.find(({ type }) => lowerCase(type) === 'work') ??
    numbers.find(({ primary }) => primary === true) ??
    numbers[0]
  return {
    userName,
    externalId: externalId ?? null,
    displayName: displayName ?? name?.formatted ?? null,
    firstName: name?.givenName ?? null,
    lastName: name?.familyName ?? null,
    phone: number?.value ?? null,
    active: active ?? undefined,
  }
}

/** The name of a person for whom a client sent none. */
export function displayNameOf(user: ScimUserAttributes): string {
  const { displayName, firstName, lastName, userName } = user
  const parts = [firstName, lastName].filter((part) => part !== null).join(' ')
  return displayName ?? (parts || (userName.split('@')[0] ?? userName))
}

/** Microsoft Entra ID may wrap the value of a single attribute as `[{ value }]`. */
export function singleValue(value: unknown): unknown {
  if (!Array.isArray(value) || value.length !== 1) return value
  const [only] = value
  return typeof only === 'object' && only !== null && 'value' in only ? only.value : value
}

/** Throws AppError `forbidden_field`: SCIM's `mutability` (RFC 7644, section 3.5.2.2). */
export function rejectRemoval(attribute: string): never {
  throw new AppError('forbidden_field', errorText('scimRequired', { attribute }))
}
