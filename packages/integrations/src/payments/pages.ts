import type Stripe from 'stripe'
import { Misshapen, text } from './shapes.ts'

/** More than one customer can have: a list that is longer has a paging loop. */
const mostPages = 100

export function listOf<T>(response: Stripe.ApiList<T>): Stripe.ApiList<T> {
  if (response.object !== 'list' || !Array.isArray(response.data)) throw new Misshapen('the list')
  return response
}

/** One page of a list, and the id to go on from; null on the last page. */
export function pageOf<T extends { id: string }, V>(
  response: Stripe.ApiList<T>,
  read: (entry: T) => V,
): { entries: V[]; next: string | null } {
  const { data, has_more: more } = listOf(response)
  const last = data.at(-1)
  return { entries: data.map(read), next: more && last ? text(last.id, 'id') : null }
}

/** The pages of a list in order. `read` returns the page after an id, the first one for null. */
export async function* eachPage<Page extends { next: string | null }>(
  read: (after: string | null) => Promise<Page>,
): AsyncGenerator<Page, void> {
  for (let after: string | null = null; ; ) {
    const page: Page = await read(after)
    yield page
    if (page.next === null) return
    after = page.next
  }
}

/** Every entry of a list, page after page; `after` is the id to go on from. */
export async function everyPage<T extends { id: string }, V>(
  page: (after: string | undefined) => Promise<Stripe.ApiList<T>>,
  read: (entry: T) => V,
): Promise<V[]> {
  const entries: T[] = []
  for (let count = 0; count < mostPages; count += 1) {
    const { data, has_more: more } = await page(entries.at(-1)?.id)
    entries.push(...data)
    if (!more || data.length === 0) break
  }
  return entries.map(read)
}
