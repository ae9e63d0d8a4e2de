import { badRequest } from './answers.ts'

/** A JSON object that a client sent. */
export type Body = Readonly<Record<string, unknown>>

export function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Reads a body and rejects fields that the type does not have. `refusal` words the answer to an
 * unknown field; without it the answer names the field. An empty body ends in `EOF`, as in Go.
 */
export async function readBody(
  request: Request,
  known: readonly string[],
  rejection?: string,
): Promise<Body> {
  const text = await request.text()
  if (text.trim() === '') throw badRequest(rejection ?? 'invalid request body: EOF')
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw badRequest(rejection ?? 'invalid request body: invalid character')
  }
  if (!isBody(body))
    throw badRequest(
      rejection ?? 'invalid request body: json: cannot unmarshal value into Go value',
    )
  for (const name of Object.keys(body)) {
    if (!known.includes(name))
      throw badRequest(rejection ?? `invalid request body: json: unknown field "${name}"`)
  }
  return body
}

/** The text of a field; undefined when it is absent or null. Rejects any other type. */
export function textField(body: Body, name: string): string | undefined {
  const value = Object.hasOwn(body, name) ? body[name] : undefined
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string')
    throw badRequest(
      `invalid request body: json: cannot unmarshal field "${name}" into type string`,
    )
  return value
}

export function booleanField(body: Body, name: string): boolean | undefined {
  const value = Object.hasOwn(body, name) ? body[name] : undefined
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'boolean')
    throw badRequest(`invalid request body: json: cannot unmarshal field "${name}" into type bool`)
  return value
}

export function listField(body: Body, name: string): readonly unknown[] | undefined {
  const value = Object.hasOwn(body, name) ? body[name] : undefined
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value))
    throw badRequest(`invalid request body: json: cannot unmarshal field "${name}" into a list`)
  return value
}
