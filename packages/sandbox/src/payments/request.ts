import { invalid } from './faults.ts'
import { type Form, group, list, text, whole } from './form.ts'
import type { PaymentsWorld } from './world.ts'

export interface ApiRequest {
  /** Ids of the path, in order. */
  readonly ids: readonly string[]
  readonly form: Form
  readonly expand: readonly string[]
}

/** Returns the object that the call is about. Throws `StripeFault`. */
export type Handler = (world: PaymentsWorld, request: ApiRequest) => object

export type Handlers = Readonly<Record<string, Handler>>

export function firstId({ ids }: ApiRequest): string {
  return ids[0] ?? ''
}

export function expandOf(form: Form): string[] {
  return list(form, 'expand').filter((path) => typeof path === 'string')
}

/** The filter that `created` of a list's query asks for: bounds in seconds since 1970. */
export function createdWithin({ form }: ApiRequest): (row: { created: number }) => boolean {
  const bounds = group(form, 'created') ?? {}
  const bound = (name: string) => whole(bounds, name, `created[${name}]`)
  const [gt, gte, lt, lte] = [bound('gt'), bound('gte'), bound('lt'), bound('lte')]
  return ({ created }) =>
    (gt === undefined || created > gt) &&
    (gte === undefined || created >= gte) &&
    (lt === undefined || created < lt) &&
    (lte === undefined || created <= lte)
}

/**
 * A page of a list, newest first, by `limit` (10, at most 100) and `starting_after` or
 * `ending_before`.
 */
export function pageOf<T extends { id: string; created: number }, V>(
  rows: readonly T[],
  { form }: ApiRequest,
  url: string,
  view: (row: T) => V,
): { object: 'list'; data: V[]; has_more: boolean; url: string } {
  const limit = whole(form, 'limit') ?? 10
  if (limit < 1 || limit > 100)
    throw invalid('This value must be from 1 to 100.', { param: 'limit' })
  const newest = [...rows].reverse().sort((a, b) => b.created - a.created)
  const after = text(form, 'starting_after')
  const before = text(form, 'ending_before')
  const place = (id: string, param: string) => {
    const index = newest.findIndex((row) => row.id === id)
    if (index < 0) throw invalid(`No such object: '${id}'`, { code: 'resource_missing', param })
    return index
  }
  const from = after === undefined ? 0 : place(after, 'starting_after') + 1
  const to = before === undefined ? newest.length : place(before, 'ending_before')
  const page = newest.slice(from, Math.min(to, from + limit))
  return { object: 'list', data: page.map(view), has_more: from + limit < to, url }
}

/**
 * The part of each expansion below a list: `data.items.data.price.tiers` is
 * `items.data.price.tiers`.
 */
export function insideData(expand: readonly string[]): string[] {
  return expand.filter((path) => path.startsWith('data.')).map((path) => path.slice('data.'.length))
}
