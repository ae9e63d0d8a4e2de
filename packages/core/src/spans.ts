import type { Span } from './slots.ts'

/** The spans cut to the range, ascending, those that overlap or touch as one; empty ones are left out. */
export function joinSpans(spans: readonly Span[], range: Span): Span[] {
  const cut = spans
    .map(({ start, end }) => ({ start: Math.max(start, range.start), end: Math.min(end, range.end) }))
    .filter(({ start, end }) => end > start)
    .sort((one, other) => one.start - other.start)
  const joined: { start: number; end: number }[] = []
  for (const span of cut) {
    const last = joined.at(-1)
    if (last && span.start <= last.end) last.end = Math.max(last.end, span.end)
    else joined.push(span)
  }
  return joined
}
