/**
 * Whether one of the tags of `If-None-Match` or `If-Match` is this one, by weak comparison (RFC
 * 9110, section 8.8.3.2). `*` names every tag; no header names none.
 */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  const tags = header.split(',').map((one) => opaque(one.trim()))
  return tags.includes('*') || tags.includes(opaque(tag))
}

const opaque = (tag: string) => tag.replace(/^W\//, '')
