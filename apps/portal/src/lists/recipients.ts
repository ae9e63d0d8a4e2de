import '@atrium/ui/issue-messages'
import { recipientAddress } from '@atrium/core/mail/mail-addresses'
import { trimEnd, trimStart } from '@atrium/core/platform/trim'
import { translations } from '@atrium/ui/messages'

const t = translations('portal.lists')

export interface ReadRecipients {
  /** Lower-case, in their original order, each once. */
  addresses: string[]
  /** Pieces that are no address, with the reason. */
  unreadable: { text: string; reason: string }[]
}

/**
 * The addresses in a text that was pasted: one per line, or with commas, semicolons or blanks
 * between them, also in the form `Ada Lovelace <ada@acme.test>` that mail programs copy.
 */
export function readRecipients(pasted: string): ReadRecipients {
  const addresses = new Set<string>()
  const unreadable = new Map<string, string>()
  // A quoted name before an address may hold a comma of its own.
  const withoutNames = pasted.replace(/"[^"\n]*"(?=\s*<)/g, '')
  for (const piece of withoutNames.split(/[\n\r,;]+/).flatMap(candidates)) {
    const parsed = recipientAddress.safeParse(piece)
    if (parsed.success) addresses.add(parsed.data)
    else unreadable.set(piece, parsed.error.issues[0]?.message ?? t('notAnAddress'))
  }
  return {
    addresses: [...addresses],
    unreadable: [...unreadable].map(([text, reason]) => ({ text, reason })),
  }
}

/** Of `Ada Lovelace <ada@acme.test>` the address; else every word. */
function candidates(piece: string): string[] {
  const inBrackets = [...piece.matchAll(/<([^<>]+)>/g)].map(([, address = '']) =>
    address.trim().replace(/^mailto:/i, ''),
  )
  if (inBrackets.length > 0) return inBrackets
  return piece
    .split(/\s+/)
    .map((word) => trimEnd(trimStart(word.replace(/^mailto:/i, ''), /["'(]/), /["').]/))
    .filter((word) => word !== '')
}

/**
 * The recipients of a submitted form: those added, and those still in the field. Returns a sentence
 * instead when something there is no address, so that nothing is silently dropped.
 */
export function allRecipients(
  value: readonly string[],
  typed: string,
): { recipients: string[] } | { fault: string } {
  const { addresses, unreadable } = readRecipients(typed)
  const [first] = unreadable
  if (first) return { fault: t('fault', first) }
  return { recipients: [...new Set([...value, ...addresses])] }
}

/**
 * Recipients outside the workplace's own domains: the page warns that mail leaves the workplace.
 */
export function outside(addresses: readonly string[], domains: readonly string[]): string[] {
  const own = new Set(domains)
  return addresses.filter((address) => !own.has(address.slice(address.lastIndexOf('@') + 1)))
}

/** What a saved list and an edited one differ in; undefined when in nothing. */
export function changesOf(
  before: readonly string[],
  after: readonly string[],
): { add?: string[]; remove?: string[] } | undefined {
  const add = after.filter((address) => !before.includes(address))
  const remove = before.filter((address) => !after.includes(address))
  if (add.length === 0 && remove.length === 0) return undefined
  return { ...(add.length > 0 ? { add } : {}), ...(remove.length > 0 ? { remove } : {}) }
}

/**
 * The sentences of a rejection by the address that each is about: issues name a position in what
 * was sent (`add.3`).
 */
export function faultsByAddress(
  issues: readonly { path: string; message: string }[],
  sent: {
    add?: readonly string[] | undefined
    remove?: readonly string[] | undefined
    recipients?: readonly string[] | undefined
  },
): Map<string, string> {
  const faults = new Map<string, string>()
  for (const { path, message } of issues) {
    const [, field, index] = /^(add|remove|recipients)\.(\d+)$/.exec(path) ?? []
    const address =
      field === undefined
        ? undefined
        : sent[field as 'add' | 'remove' | 'recipients']?.[Number(index)]
    if (address !== undefined && !faults.has(address)) faults.set(address, message)
  }
  return faults
}
