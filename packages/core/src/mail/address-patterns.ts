/**
 * Patterns of addresses for the API description. The code that checks them takes a little more,
 * such as letters of other scripts in host names and capitals in schemes.
 */
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const lastLabel = '[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const domain = `(?:${label}\\.)+${lastLabel}`

/** An e-mail address without the quoted and international forms. */
export const addressPattern = `^(?=.{1,64}@)${atom}(?:\\.${atom})*@${domain}$`

/** The part before the `@` of a member's address, of at most 64 characters. */
export const localPartPattern = `^${atom}(?:\\.${atom})*$`

const ownAtom = '[A-Za-z0-9_-]+'
/** An address of an alias or a list, whole or the part before the `@`. */
export const ownAddressPattern = `^(?=.{1,64}(?:@|$))${ownAtom}(?:\\.${ownAtom})*(?:@${domain})?$`

const octet = '(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])'
const host = `(?:(?:${label}\\.)*${lastLabel}|${octet}(?:\\.${octet}){3})`
const port = '(?::[1-9][0-9]{0,3})?'
const secure = `https://${host}${port}`
const loopback = `http://(?:localhost|127\\.0\\.0\\.1)${port}`
const web = `(?:${secure}|${loopback})`
// ASCII without what has to be percent-encoded, without the wildcard and the fragment.
const sign = '(?:[!$&-)+-;=?A-Z_a-z~]|%[0-9A-Fa-f]{2})'

/** An origin whose pages may show a frame. */
export const originPattern = `^${web}/?$`
/**
 * An address of an application that the identity provider may send codes to (RFC 6749 section
 * 3.1.2, RFC 8252 section 7).
 */
export const redirectPattern = `^(?:${web}(?:[/?]${sign}*)?|[A-Za-z][A-Za-z0-9+-]*(?:\\.[A-Za-z0-9+-]+)+:/${sign}*)$`
/** An address that people open an application at. */
export const launchPattern = `^${web}(?:[/?]${sign}*)?$`
