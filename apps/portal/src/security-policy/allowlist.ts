import { canonicalAllowlist } from '@atrium/core/security-policy/ip-allowlist'
import { translations } from '@atrium/ui/messages'

const t = translations('portal.security-policy')

export interface ReadEntries {
  /** The list with what could be read added: canonical, in numerical order, none within another. */
  entries: string[]
  /** Entries dropped because the list has a wider one. */
  notes: string[]
  rejected: { text: string; reason: string }[]
}

/**
 * Adds typed or pasted addresses and networks to a list. They are separated by blanks, commas,
 * semicolons and lines; `#` begins a comment.
 */
export function addEntries(list: readonly string[], typed: string): ReadEntries {
  const pieces = typed
    .split(/\r?\n/)
    .map((line) => line.replace(/#.*/, ''))
    .flatMap((line) => line.split(/[\s,;]+/))
    .filter((piece) => piece !== '')
  const rejected: ReadEntries['rejected'] = []
  const readable: string[] = []
  for (const text of pieces) {
    const read = canonicalAllowlist([text])
    if ('issues' in read)
      rejected.push({
        text,
        reason: read.issues[0]?.message ?? t('addresses.unreadable'),
      })
    else readable.push(text)
  }
  const all = canonicalAllowlist([...list, ...readable])
  if ('issues' in all) return { entries: [...list], notes: [], rejected }
  return { entries: all.entries, notes: all.warnings.map(({ message }) => message), rejected }
}
