import { invalid } from './faults.ts'

/** A value of a form with bracket keys: `items[0][price]=…` is `{ items: { 0: { price } } }`. */
export type FormValue = string | { [key: string]: FormValue }
export type Form = { [key: string]: FormValue }

/**
 * Reads `application/x-www-form-urlencoded` with bracket keys, from a body or a query. Throws 400
 * for a key that is both value and group.
 */
export function parseForm(text: string): Form {
  const form = emptyForm()
  for (const [key, value] of new URLSearchParams(text)) put(form, segments(key), value, key)
  return form
}

/** Without a prototype: keys come from outside. */
function emptyForm(): Form {
  return Object.create(null)
}

function segments(key: string): string[] {
  const first = key.split('[', 1)[0] ?? ''
  return [first, ...[...key.matchAll(/\[([^[\]]*)\]/g)].map(([, part]) => part ?? '')]
}

function put(form: Form, path: readonly string[], value: string, key: string): void {
  let at = form
  for (const part of path.slice(0, -1)) {
    const next = at[part]
    if (typeof next === 'string') throw invalid(`Invalid object: ${key}`, { param: key })
    const inner = next ?? emptyForm()
    at[part] = inner
    at = inner
  }
  const last = path.at(-1) ?? ''
  if (typeof at[last] === 'object') throw invalid(`Invalid string: ${key}`, { param: key })
  // `expand[]=a&expand[]=b` counts on.
  at[last === '' ? String(Object.keys(at).length) : last] = value
}

/** Every leaf with its path, indexes as `[]`: `items[].price`. */
export function leaves(form: Form, prefix = ''): { path: string; shown: string }[] {
  return Object.entries(form).flatMap(([key, value]) => {
    const index = /^\d+$/.test(key) && prefix !== ''
    const path = prefix === '' ? key : index ? `${prefix}[]` : `${prefix}.${key}`
    if (typeof value === 'string') return [{ path, shown: path }]
    return leaves(value, path)
  })
}

export function group(form: Form, name: string): Form | undefined {
  const value = form[name]
  return typeof value === 'object' ? value : undefined
}

export function list(form: Form, name: string): FormValue[] {
  const value = form[name]
  return typeof value === 'object'
    ? Object.keys(value)
        .sort((a, b) => Number(a) - Number(b))
        .flatMap((key) => value[key] ?? [])
    : []
}

export function text(form: Form, name: string): string | undefined {
  const value = form[name]
  return typeof value === 'string' ? value : undefined
}

export function required(form: Form, name: string, shown = name): string {
  const value = text(form, name)
  if (value === undefined || value === '') {
    throw invalid(`Missing required param: ${shown}.`, { code: 'parameter_missing', param: shown })
  }
  return value
}

export function whole(form: Form, name: string, shown = name): number | undefined {
  const value = text(form, name)
  if (value === undefined) return undefined
  if (!/^-?\d{1,15}$/.test(value))
    throw invalid(`Invalid integer: ${value}`, { code: 'parameter_invalid_integer', param: shown })
  return Number(value)
}

export function flag(form: Form, name: string): boolean | undefined {
  const value = text(form, name)
  if (value === undefined) return undefined
  if (value !== 'true' && value !== 'false')
    throw invalid(`Invalid boolean: ${value}`, { param: name })
  return value === 'true'
}

export function oneOf<T extends string>(
  form: Form,
  name: string,
  values: readonly T[],
): T | undefined {
  const value = text(form, name)
  if (value === undefined) return undefined
  const found = values.find((one) => one === value)
  if (found === undefined)
    throw invalid(`Invalid ${name}: must be one of ${values.join(', ')}`, { param: name })
  return found
}

/** Merged into what is there; an empty value takes its key away. */
export function mergedMetadata(
  form: Form,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const merged = { ...before }
  for (const [key, value] of Object.entries(group(form, 'metadata') ?? {})) {
    if (typeof value !== 'string')
      throw invalid('Metadata values must be strings', { param: `metadata[${key}]` })
    if (value === '') delete merged[key]
    else merged[key] = value
  }
  return merged
}
