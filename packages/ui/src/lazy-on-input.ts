import { type ComponentType, type LazyExoticComponent, lazy } from 'react'

/** What remains to be loaded; undefined after the first interaction with the page. */
let waiting: (() => Promise<unknown>)[] | undefined = []

const signs = ['pointermove', 'pointerdown', 'keydown'] as const

function loadAll(): void {
  for (const sign of signs) removeEventListener(sign, loadAll)
  // A load that fails is retried, and reported, when the part is shown.
  for (const load of waiting ?? []) load().catch(() => undefined)
  waiting = undefined
}

if (typeof window !== 'undefined')
  for (const sign of signs) addEventListener(sign, loadAll, { passive: true })

/**
 * A part that only an act shows, such as a dialog. It is loaded with the first move, touch or key
 * on the page: after the page is there, and before the click that needs the part. A page that is
 * opened later loads its parts at once.
 */
// biome-ignore lint/suspicious/noExplicitAny: React.lazy takes components of any properties.
export function lazyOnInput<Part extends ComponentType<any>>(
  load: () => Promise<{ default: Part }>,
): LazyExoticComponent<Part> {
  if (waiting) waiting.push(load)
  else load().catch(() => undefined)
  return lazy(load)
}
