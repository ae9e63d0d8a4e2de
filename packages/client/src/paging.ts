import type { AtriumClient } from './client.ts'
import type { paths } from './generated/openapi.ts'
import { dataOf, type Result } from './problem.ts'

interface Page {
  items: unknown[]
  nextCursor: string | null
  /** Whether more items are there already; some lists have it. */
  more?: boolean
}
type PageResponse<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body extends Page } } } }
}
  ? Body
  : never

/** Paths whose GET returns pages. */
export type PagedPath = {
  [Path in keyof paths]: PageResponse<Path> extends never ? never : Path
}[keyof paths]

/** One item of a list. */
export type ItemOf<Path extends PagedPath> = PageResponse<Path>['items'][number]

type Parameters<Path extends PagedPath> = paths[Path] extends { get: { parameters: infer Found } }
  ? Found
  : never
type InPath<Path extends PagedPath> =
  Parameters<Path> extends { path: infer Found } ? { path: Found } : { path?: never }
type InQuery<Path extends PagedPath> =
  Parameters<Path> extends { query?: infer Found }
    ? Omit<NonNullable<Found>, 'cursor' | 'before' | 'after'>
    : object

/** The lists whose parameter of the next page is not called `cursor`. */
export const cursorParameters: Readonly<Partial<Record<PagedPath, string>>> = {
  '/audit': 'before',
  '/events': 'after',
  '/tenants/{slug}/access-grants/{id}/entries': 'before',
  '/tenants/{slug}/audit': 'before',
}

/**
 * Returns every item of a list in its order, and requests the next page when it is needed. Throws
 * ApiError when a page cannot be read.
 */
export async function* listItems<Path extends PagedPath>(
  client: AtriumClient,
  path: Path,
  params: InPath<Path> & { query?: InQuery<Path>; signal?: AbortSignal },
): AsyncGenerator<ItemOf<Path>, void, undefined> {
  // The path is one of many: the client's types cannot follow it.
  const get = client.GET as unknown as (path: string, init: object) => Promise<Result<Page>>
  const name = cursorParameters[path] ?? 'cursor'
  const { query, path: inPath, signal } = params
  let cursor: string | null = null
  do {
    const page: Page = await dataOf(
      get(path, {
        params: {
          path: inPath,
          query: { ...query, ...(cursor === null ? {} : { [name]: cursor }) },
        },
        ...(signal && { signal }),
      }),
    )
    yield* page.items as ItemOf<Path>[]
    // A list that grows at its end has a next cursor there too.
    cursor = page.items.length === 0 && page.more === false ? null : page.nextCursor
  } while (cursor !== null)
}
