/**
 * What people read of a failure: a sentence, and the technical detail in brackets behind it.
 * Stored and sent as one text (`failure-text.ts`); pages show the detail on demand.
 */
export function upstreamMessage(sentence: string, detail: string): string {
  return `${sentence} [${detail}]`
}

/**
 * Splits such a text. `detail` is null for a text without one; a sentence behind the brackets stays
 * in `sentence`.
 */
export function splitUpstreamMessage(text: string): { sentence: string; detail: string | null } {
  const start = text.indexOf(' [')
  const end = text.indexOf(']', start)
  if (start < 0 || end < 0) return { sentence: text, detail: null }
  return {
    sentence: text.slice(0, start) + text.slice(end + 1),
    detail: text.slice(start + 2, end),
  }
}
