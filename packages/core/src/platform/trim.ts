/**
 * The text without the characters at its ends that `trimmed` matches. `trimmed` matches one UTF-16
 * unit, such as `/[\s-]/`. The time is linear in the length; an expression such as `/-+$/` takes
 * quadratic time, because it starts again at every hyphen.
 */
export function trim(text: string, trimmed: RegExp): string {
  return trimStart(trimEnd(text, trimmed), trimmed)
}

/** As `trim`, at the start only. */
export function trimStart(text: string, trimmed: RegExp): string {
  let start = 0
  while (start < text.length && trimmed.test(text.charAt(start))) start++
  return text.slice(start)
}

/** As `trim`, at the end only. */
export function trimEnd(text: string, trimmed: RegExp): string {
  let end = text.length
  while (end > 0 && trimmed.test(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
