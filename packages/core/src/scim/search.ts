import { z } from 'zod'
import { lowerCaseNames, readBody } from './read-body.ts'
import { count, type ListScimResources, type SearchScimResources, startIndex } from './schemas.ts'

const names = z.array(z.string().max(200)).max(100).nullish()
const request = z.preprocess(
  lowerCaseNames,
  z.object({
    attributes: names,
    excludedattributes: names,
    filter: z.string().max(100_000).nullish(),
    startindex: startIndex,
    count: z.preprocess((value) => value ?? undefined, count),
  }),
)

/**
 * What a search asks for, as a list does by its parameters (RFC 7644, section 3.4.3). Throws
 * AppError `invalid_input`.
 */
export function readSearch({ slug, resource }: SearchScimResources): ListScimResources {
  const body = readBody(request, resource)
  return {
    slug,
    startIndex: body.startindex,
    count: body.count,
    ...(body.filter && { filter: body.filter }),
    ...(body.attributes?.length && { attributes: body.attributes.join() }),
    ...(body.excludedattributes?.length && { excludedAttributes: body.excludedattributes.join() }),
  }
}
