import { merged, type Span } from './slots.ts'

/**
 * The spans cut to the range, ascending, those that overlap or touch as one; empty ones are left
 * out.
 */
export function joinSpans(spans: readonly Span[], range: Span): Span[] {
  return merged(
    spans.map(({ start, end }) => ({
      start: Math.max(start, range.start),
      end: Math.min(end, range.end),
    })),
  )
}
