import { attributeName } from './filter.ts'

const always = ['schemas', 'id']

interface Choice {
  attributes?: string | undefined
  excludedAttributes?: string | undefined
}

/**
 * The resource with the attributes that the caller asked for, or without those it excluded (RFC
 * 7644, section 3.9); `id` and `schemas` are always there.
 */
export function chooseAttributes<Resource extends object>(
  resource: Resource,
  { attributes, excludedAttributes }: Choice,
): Resource {
  if (attributes !== undefined) return reduced(resource, namesIn(attributes), true)
  if (excludedAttributes !== undefined) return reduced(resource, namesIn(excludedAttributes), false)
  return resource
}

const namesIn = (text: string) => text.split(',').map((name) => attributeName(name.trim()))

function reduced<Resource extends object>(
  resource: Resource,
  names: readonly string[],
  keep: boolean,
): Resource {
  const kept = Object.entries(resource).flatMap(([name, value]) => {
    if (always.includes(name)) return [[name, value]]
    const lower = name.toLowerCase()
    if (names.includes(lower)) return keep ? [[name, value]] : []
    const parts = names.flatMap((one) =>
      one.startsWith(`${lower}.`) ? [one.slice(lower.length + 1)] : [],
    )
    if (parts.length === 0) return keep ? [] : [[name, value]]
    return [[name, partsOf(value, parts, keep)]]
  })
  return Object.fromEntries(kept) as Resource
}

function partsOf(value: unknown, names: readonly string[], keep: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => partsOf(one, names, keep))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => names.includes(name.toLowerCase()) === keep),
  )
}
