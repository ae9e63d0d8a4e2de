/**
 * The address of a link that writes to a mail address (RFC 6068): what has a meaning in links is
 * escaped, `@` stays readable.
 */
export function mailtoLink(address: string): string {
  const at = address.lastIndexOf('@')
  return `mailto:${encodeURIComponent(address.slice(0, at))}@${encodeURIComponent(address.slice(at + 1))}`
}
