// C0 and C1 controls and the line separators: what can end a header field or a command.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the controls are what is being rejected
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/**
 * True when the text could end a header field or an SMTP command, or is not well-formed Unicode.
 */
export function hasControlCharacters(text: string): boolean {
  return controls.test(text) || !text.isWellFormed()
}

export interface Mailbox {
  name: string
  address: string
}

/**
 * Reads `user@host` or `Name <user@host>`. Undefined for everything else, lists of addresses
 * included.
 */
export function parseMailbox(text: string): Mailbox | undefined {
  if (hasControlCharacters(text)) return undefined
  const match = /^(?:(?<name>[^<>]*)<(?<inner>[^<>]+)>|(?<bare>[^<>]+))$/.exec(text.trim())
  const address = (match?.groups?.inner ?? match?.groups?.bare ?? '').trim()
  if (!/^[^\s@,;:"()<>[\]\\]+@[^\s@,;:"()<>[\]\\]+$/.test(address) || address.length > 254)
    return undefined
  const name = (match?.groups?.name ?? '').trim().replace(/^"(.*)"$/, '$1')
  return { name, address }
}
