import { MethodError } from './errors.ts'
import { isObject, type Json, type JsonObject, own } from './json.ts'

/**
 * Readers of method arguments. A value of the wrong type fails the call with `invalidArguments`.
 */
function wrongType(name: string, expected: string): MethodError {
  return new MethodError(
    'invalidArguments',
    `Invalid value for argument "${name}", expected ${expected}`,
  )
}

/** The ids of an argument: null and absent mean all of them. */
export function idsArgument(args: JsonObject, name: string): readonly string[] | undefined {
  const value = own(args, name) ?? null
  if (value === null) return undefined
  return textsOf(value) ?? raise(wrongType(name, 'a list of ids'))
}

export function textsArgument(args: JsonObject, name: string): readonly string[] | undefined {
  return idsArgument(args, name)
}

export function objectArgument(args: JsonObject, name: string): JsonObject {
  const value = own(args, name) ?? null
  if (value === null) return {}
  return isObject(value) ? value : raise(wrongType(name, 'an object'))
}

export function integerArgument(args: JsonObject, name: string): number | undefined {
  const value = own(args, name) ?? null
  if (value === null) return undefined
  return typeof value === 'number' && Number.isInteger(value)
    ? value
    : raise(wrongType(name, 'an integer'))
}

export function booleanArgument(args: JsonObject, name: string): boolean {
  const value = own(args, name) ?? null
  if (value === null) return false
  return typeof value === 'boolean' ? value : raise(wrongType(name, 'a boolean'))
}

function textsOf(value: Json): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const texts = value.filter((item): item is string => typeof item === 'string')
  return texts.length === value.length ? texts : undefined
}

function raise(error: MethodError): never {
  throw error
}
