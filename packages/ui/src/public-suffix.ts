/**
 * Replaces `tldts` in the browser: its list of public suffixes would be a third of the first load.
 * A form therefore accepts `co.uk` as a domain that can be owned; the API, which has the list,
 * rejects it and the form shows that on the field.
 */
export function parse(host: string): { isIp: boolean; isIcann: boolean } {
  return { isIp: /^[\d.]+$|:/.test(host), isIcann: true }
}

/** The last label alone, so that only a single label counts as a suffix. */
export function getPublicSuffix(host: string): string {
  return host.slice(host.lastIndexOf('.') + 1)
}
