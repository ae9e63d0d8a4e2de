import { parse } from 'tldts'
import { says } from '../platform/issue-text.ts'
import { line } from '../platform/text.ts'

/** What people write before their names with a dot and no blank, as in `Dr.med`. */
const titles = new Set(['dr', 'jr', 'mr', 'mrs', 'ms', 'prof', 'sr', 'st'])

/**
 * True where a mail program would make a link of a part of the text: an address with a scheme,
 * `www.` and what follows, a domain under a public suffix, an e-mail address.
 */
export function holdsLink(text: string): boolean {
  if (/:\/\/|\bwww\./i.test(text)) return true
  return text.split(/[\s,;()<>"']+/).some((word) => {
    const host = /^(?:[^@]*@)?((?:[\p{L}\p{N}-]{1,63}\.)+\p{L}{2,63})(?:[/:?#].*)?$/u.exec(
      word,
    )?.[1]
    if (host === undefined) return false
    const { isIcann, domainWithoutSuffix } = parse(host.toLowerCase(), {
      allowPrivateDomains: false,
    })
    return isIcann === true && domainWithoutSuffix !== null && !titles.has(domainWithoutSuffix)
  })
}

/** A person's name from outside, which mails show to others: one line that holds no link. */
export function visitorName(max: number) {
  return line(max).refine((value) => !holdsLink(value), says('nameWithLink'))
}
