import { z } from 'zod'
import { issueText, says } from '../platform/issue-text.ts'
import { emailAddress } from '../platform/text.ts'
import { addressPattern, ownAddressPattern } from './address-patterns.ts'
import { canonicalDomain } from './domains.ts'

const plain = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/

const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text)

/**
 * What is wrong with a local part that a tenant wants to have; undefined when nothing is. The text
 * is lower-case.
 */
export function localPartFault(local: string): string | undefined {
  if (local === '') return issueText('empty')
  // RFC 5321 section 4.5.3.1.1.
  if (local.length > 64) return issueText('localPartTooLong')
  if (!isAscii(local)) return issueText('lookAlike')
  if (local.includes('+')) return issueText('plusSign')
  if (/^\.|\.$|\.\./.test(local)) return issueText('dots')
  return plain.test(local) ? undefined : issueText('lookAlike')
}

/**
 * An address that a tenant wants on one of its domains, lower-cased: a local part alone, or whole
 * with its domain as A-labels. Narrower than RFC 5321: no quoted, tagged or non-ASCII local part.
 */
export const ownAddress = z
  .string()
  .max(1000, says('charactersAtMost', { count: 254 }))
  .transform((value, context) => {
    const text = value.trim()
    const at = text.lastIndexOf('@')
    const typed = at === -1 ? text : text.slice(0, at)
    // Before it is lower-cased: the Kelvin sign would become a k.
    const local = isAscii(typed) ? typed.toLowerCase() : typed
    const domain = at === -1 ? undefined : canonicalDomain(text.slice(at + 1))
    const fault =
      localPartFault(local) ??
      (at !== -1 && domain === undefined ? issueText('ownDomainAfterAt') : undefined)
    if (fault === undefined) return domain === undefined ? local : `${local}@${domain}`
    context.addIssue({ code: 'custom', message: fault })
    return z.NEVER
  })
  .meta({ openapi: { minLength: 1, maxLength: 254, pattern: ownAddressPattern } })

/**
 * Any address that mail can be sent to, as `emailAddress` reads it, with a reason of its own for
 * letters beyond ASCII before the `@`.
 */
export const recipientAddress = z
  .string()
  .max(1000, says('charactersAtMost', { count: 254 }))
  .transform((value, context) => {
    const text = value.trim()
    const accented = !isAscii(text.slice(0, Math.max(text.lastIndexOf('@'), 0)))
    const checked = accented ? undefined : emailAddress.safeParse(text)
    if (checked?.success) return checked.data
    context.addIssue({ code: 'custom', message: issueText(accented ? 'asciiBeforeAt' : 'email') })
    return z.NEVER
  })
  .meta({ openapi: { format: 'email', maxLength: 254, pattern: addressPattern } })

/** Splits an address at its last `@`. */
export function splitAddress(address: string): { localPart: string; domain: string } {
  const at = address.lastIndexOf('@')
  return { localPart: address.slice(0, at), domain: address.slice(at + 1) }
}

/** A domain of the tenant as `ownedAddress` needs it. */
export interface OwnedDomain {
  name: string
  primary: boolean
}

/**
 * The whole address on one of the tenant's domains, a bare local part on the primary one; `foreign`
 * when the domain is none of them.
 */
export function ownedAddress<Domain extends OwnedDomain>(
  text: string,
  domains: readonly Domain[],
): { address: string; localPart: string; domain: Domain } | 'foreign' {
  const whole = text.includes('@')
  const { localPart, domain: name } = whole
    ? splitAddress(text)
    : { localPart: text, domain: undefined }
  const domain =
    name === undefined
      ? (domains.find((one) => one.primary) ?? domains[0])
      : domains.find((one) => one.name === name)
  return domain ? { address: `${localPart}@${domain.name}`, localPart, domain } : 'foreign'
}
