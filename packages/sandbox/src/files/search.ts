import { badRequest } from './answers.ts'

/**
 * The term of `$search` in lower case; undefined without one. Only a quoted term may hold anything
 * but letters and digits.
 */
export function searchTerm(search: string | undefined): string | undefined {
  if (search === undefined || search === '') return undefined
  const quoted = /^"(?<term>[^"]*)"$/.exec(search)?.groups?.term
  if (quoted !== undefined) return quoted.toLowerCase()
  if (!/^[\p{L}\p{N}_@.]+$/u.test(search))
    throw badRequest(`invalid search: syntax error in ${search}`)
  return search.toLowerCase()
}
