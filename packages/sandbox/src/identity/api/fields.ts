import { isObject, type Json, type JsonObject } from '../json.ts'
import { invalid } from './errors.ts'

/** Thrown by a field's reader: what the answer says under the field's name. */
class FieldError extends Error {
  readonly detail: Json

  constructor(detail: Json) {
    super(JSON.stringify(detail))
    this.detail = detail
  }
}

export interface Field<T> {
  readonly required: boolean
  readonly nullable: boolean
  read(value: unknown): T
}

export type Fields = Record<string, Field<unknown>>
type Value<F> = F extends Field<infer T> ? T : never
export type Values<F extends Fields> = { [K in keyof F]?: Value<F[K]> }

/**
 * The known fields of a body, checked as Django REST framework checks them; unknown and read-only
 * ones are ignored. `partial` (PATCH) asks for no required field. Throws 400 with all faults at
 * once.
 */
export function readFields<F extends Fields>(
  fields: F,
  body: unknown,
  options: { partial?: boolean } = {},
): Values<F> {
  const { values, errors } = collect(fields, body, options)
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return values
}

function collect<F extends Fields>(fields: F, body: unknown, options: { partial?: boolean }) {
  if (!isObject(body)) {
    throw invalid({
      non_field_errors: [`Invalid data. Expected a dictionary, but got ${typeName(body)}.`],
    })
  }
  const values: Values<F> = {}
  const errors: JsonObject = {}
  for (const [name, field] of Object.entries(fields)) {
    const provided = body[name]
    try {
      if (provided === undefined) {
        if (field.required && !options.partial) throw new FieldError(['This field is required.'])
        continue
      }
      if (provided === null && !field.nullable)
        throw new FieldError(['This field may not be null.'])
      Object.assign(values, { [name]: provided === null ? null : field.read(provided) })
    } catch (error) {
      if (!(error instanceof FieldError)) throw error
      errors[name] = error.detail
    }
  }
  return { values, errors }
}

function fail(...messages: string[]): never {
  throw new FieldError(messages)
}

function typeName(value: unknown): string {
  if (value === null) return 'NoneType'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'string') return 'str'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  return typeof value === 'boolean' ? 'bool' : 'dict'
}

/** The same field, no longer optional. */
export function required<T>(field: Field<T>): Field<T> {
  return { ...field, required: true }
}

/** The same field, which takes null too. */
export function nullable<T>(field: Field<T>): Field<T | null> {
  return { ...field, nullable: true }
}

function field<T>(read: (value: unknown) => T): Field<T> {
  return { required: false, nullable: false, read }
}

/** Text, trimmed on both ends. */
export function text(
  options: {
    blank?: boolean
    max?: number
    trim?: boolean
    pattern?: RegExp
    message?: string
  } = {},
): Field<string> {
  return field((value) => {
    if (typeof value !== 'string' && typeof value !== 'number') fail('Not a valid string.')
    const shown = options.trim === false ? String(value) : String(value).trim()
    if (shown === '' && !options.blank) fail('This field may not be blank.')
    if (options.max !== undefined && shown.length > options.max)
      fail(`Ensure this field has no more than ${options.max} characters.`)
    if (shown !== '' && options.pattern && !options.pattern.test(shown))
      fail(options.message ?? 'Enter a valid value.')
    return shown
  })
}

export function email(): Field<string> {
  return text({
    blank: true,
    max: 254,
    pattern: /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/,
    message: 'Enter a valid email address.',
  })
}

const truths: unknown[] = [true, 'true', 'True', 't', 'yes', '1', 1, 'on']
const untruths: unknown[] = [false, 'false', 'False', 'f', 'no', '0', 0, 'off']

export function flag(): Field<boolean> {
  return field((value) => {
    if (truths.includes(value)) return true
    if (untruths.includes(value)) return false
    return fail('Must be a valid boolean.')
  })
}

export function integer(options: { min?: number } = {}): Field<number> {
  return field((value) => {
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
    if (typeof number !== 'number' || !Number.isInteger(number))
      return fail('A valid integer is required.')
    if (options.min !== undefined && number < options.min)
      fail(`Ensure this value is greater than or equal to ${options.min}.`)
    return number
  })
}

export function choice(...choices: readonly string[]): Field<string> {
  return field((value) =>
    typeof value === 'string' && choices.includes(value)
      ? value
      : fail(`"${String(value)}" is not a valid choice.`),
  )
}

/** Any JSON object; kept as it is. */
export function object(): Field<JsonObject> {
  return field((value) =>
    isObject(value) ? (structuredClone(value) as JsonObject) : fail('Value must be a dictionary.'),
  )
}

const uuid = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i

/** The UUID of a record that exists. */
export function reference(exists: (pk: string) => boolean): Field<string> {
  return field((value) => {
    if (typeof value !== 'string' || !uuid.test(value))
      fail(`“${String(value)}” is not a valid UUID.`)
    if (!exists(String(value))) fail(`Invalid pk "${String(value)}" - object does not exist.`)
    return String(value)
  })
}

/** The integer key of a record that exists. */
export function numberReference(exists: (pk: number) => boolean): Field<number> {
  return field((value) => {
    const pk = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
    if (typeof pk !== 'number')
      return fail(`Incorrect type. Expected pk value, received ${typeName(value)}.`)
    return exists(pk) ? pk : fail(`Invalid pk "${pk}" - object does not exist.`)
  })
}

/**
 * A list. Faults of its entries are named by their index, those of references by the list itself,
 * as the framework does.
 */
export function list<T>(entry: Field<T>, options: { flat?: boolean } = {}): Field<T[]> {
  return field((value) => {
    if (!Array.isArray(value))
      return fail(`Expected a list of items but got type "${typeName(value)}".`)
    const errors: JsonObject = {}
    const read = value.map((one, index) => {
      try {
        return entry.read(one)
      } catch (error) {
        if (!(error instanceof FieldError) || options.flat) throw error
        errors[String(index)] = error.detail
        return undefined
      }
    })
    if (Object.keys(errors).length > 0) throw new FieldError(errors)
    return read.filter((one) => one !== undefined)
  })
}

/** An object with known fields. */
export function nested<F extends Fields>(
  fields: F,
  check?: (values: Values<F>) => FieldErrorsOf | undefined,
): Field<Values<F>> {
  return field((value) => {
    if (!isObject(value))
      throw new FieldError({
        non_field_errors: [`Invalid data. Expected a dictionary, but got ${typeName(value)}.`],
      })
    const { values, errors } = collect(fields, value, {})
    if (Object.keys(errors).length > 0) throw new FieldError(errors)
    const more = check?.(values)
    if (more) throw new FieldError(more)
    return values
  })
}

type FieldErrorsOf = JsonObject
