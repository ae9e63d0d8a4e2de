import { type CheckText, checkText } from './check-text.ts'

/**
 * The tags of a record such as `v=DKIM1; k=rsa; p=…` (RFC 6376 section 3.2, which DMARC shares).
 * Names are lower-case, white space around names and values is dropped, one `;` at the end is
 * allowed. `fault` is a sentence about what is not of that form.
 */
export function parseTagList(
  text: string,
): { tags: ReadonlyMap<string, string>; fault?: never } | { fault: CheckText; tags?: never } {
  const tags = new Map<string, string>()
  const parts = text.split(';')
  if (parts.at(-1)?.trim() === '') parts.pop()
  for (const part of parts) {
    const at = part.indexOf('=')
    const name = (at < 0 ? part : part.slice(0, at)).trim().toLowerCase()
    if (at < 0) return { fault: checkText('tags.noValue', { part: part.trim() }) }
    if (!/^[a-z][a-z0-9_]*$/.test(name))
      return { fault: checkText('tags.noTag', { part: part.trim() }) }
    if (tags.has(name)) return { fault: checkText('tags.twice', { tag: name }) }
    tags.set(name, part.slice(at + 1).trim())
  }
  return { tags }
}
