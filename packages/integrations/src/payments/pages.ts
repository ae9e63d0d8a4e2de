import type Stripe from 'stripe'
import { Misshapen } from './shapes.ts'

/** More than one customer can have: a list that is longer has a paging loop. */
const mostPages = 100

export function listOf<T>(response: Stripe.ApiList<T>): Stripe.ApiList<T> {
  if (response.object !== 'list' || !Array.isArray(response.data)) throw new Misshapen('the list')
  return response
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
