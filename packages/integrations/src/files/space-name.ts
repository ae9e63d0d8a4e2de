import { trim } from '@atrium/core/platform/trim'

const longestBytes = 255

/**
 * A name that OpenCloud takes for a space: none of `/ \ . : ? * " > < |`, no control characters, at
 * most 255 bytes of UTF-8. What is rejected becomes a hyphen; a name of which nothing is left falls
 * back.
 */
export function spaceName(name: string, fallback: string): string {
  const allowed = name
    .toWellFormed()
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .replace(/[/\\.:?*"<>|\p{Cc}\u2028\u2029\ufffd]+/gu, '-')
  return shorten(trim(allowed, /[\s-]/)) || fallback
}

/** Cut between what people see as characters, so that none falls apart. */
function shorten(name: string): string {
  let bytes = 0
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(name)) {
    bytes += Buffer.byteLength(segment)
    if (bytes > longestBytes) break
    kept += segment
  }
  return kept.trimEnd()
}
