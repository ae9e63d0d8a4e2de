import { domainToASCII } from 'node:url'
import { privateSuffixes } from '@atrium/core/mail/domains'
import { getPublicSuffix, parse } from 'tldts'
import type { TextRule } from './shapes.ts'

/**
 * A domain as Stalwart stores it: lower-case A-labels. Undefined without a dot or without a known
 * or private last label.
 */
function cleanDomain(value: string): string | undefined {
  const domain = value.replace(/\s/gu, '').toLowerCase()
  if (!domain.includes('.') || domain.endsWith('.') || /(^|[^\p{L}\p{N}_-])\./u.test(domain))
    return undefined
  const ascii = /^\p{ASCII}*$/u.test(domain) ? domain : domainToASCII(domain)
  if (ascii === '') return undefined
  if (privateSuffixes.has(ascii.slice(ascii.lastIndexOf('.') + 1))) return ascii
  const parsed = parse(ascii, { allowPrivateDomains: true, validateHostname: false })
  return (parsed.isIcann || parsed.isPrivate) && getPublicSuffix(ascii, { validateHostname: false })
    ? ascii
    : undefined
}

/**
 * A local part without white space, in lower case. Undefined for characters and dots that RFC 5321
 * has no place for.
 */
function cleanLocalPart(value: string): string | undefined {
  const local = value.replace(/[ \t-\r]/g, '').toLowerCase()
  if (!/^[\p{L}\p{N}!#$%&'*+\-/=?^_`{|}~.]+$/u.test(local)) return undefined
  return local.startsWith('.') || local.endsWith('.') || local.includes('..') ? undefined : local
}

function cleanAddress(value: string): string | undefined {
  const at = value.lastIndexOf('@')
  if (at === -1) return undefined
  const local = cleanLocalPart(value.slice(0, at))
  const domain = cleanDomain(value.slice(at + 1))
  return local && domain && `${local}@${domain}`
}

export const domainRule: TextRule = { clean: cleanDomain, problem: 'Invalid domain name' }
export const localPartRule: TextRule = {
  clean: cleanLocalPart,
  problem: 'Invalid email local part',
}
export const addressRule: TextRule = { clean: cleanAddress, problem: 'Invalid email address' }
export const trimRule: TextRule = {
  clean: (value) => value.trim() || undefined,
  problem: 'String cannot be empty',
}
