import { getPublicSuffix, parse } from 'tldts'
import { z } from 'zod'
import { editVersion, expectedVersion } from '../platform/edit-version.ts'
import { issueText } from '../platform/issue-text.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { emailAddress, instant, isHostName } from '../platform/text.ts'

/** Last labels that the mail server accepts beside known public suffixes. */
export const privateSuffixes = new Set([
  'test',
  'localhost',
  'local',
  'internal',
  'lan',
  'home',
  'corp',
  'intranet',
  'private',
  'localdomain',
])

/**
 * A domain in its canonical form: lower-case A-labels (UTS #46 by the URL parser), no trailing dot.
 * Undefined when the text is no domain name, an address, or a public suffix such as `co.uk`, which
 * cannot be owned.
 */
export function canonicalDomain(text: string): string | undefined {
  const trimmed = text.trim().replace(/\.$/, '')
  if (trimmed === '' || /[\s/:@?#%[\]\\]/.test(trimmed)) return undefined
  let host: string
  try {
    host = new URL(`http://${trimmed}`).hostname
  } catch {
    return undefined
  }
  if (!isHostName(host) || !isWellEncoded(host)) return undefined
  const parsed = parse(host, { allowPrivateDomains: false })
  if (parsed.isIp) return undefined
  const last = host.slice(host.lastIndexOf('.') + 1)
  if (privateSuffixes.has(last)) return host
  if (!parsed.isIcann) return undefined
  return getPublicSuffix(host) === host ? undefined : host
}

/**
 * True when every `xn--` label decodes (RFC 5891). URL parsers leave names of ASCII alone unless
 * another label is not ASCII.
 */
function isWellEncoded(host: string): boolean {
  return !/(^|\.)xn--/.test(host) || URL.canParse(`http://\u00fc.${host}`)
}

/** A domain that a tenant can own, in its canonical form. */
export const domainName = z
  .string()
  .max(1000)
  .transform((value, context) => {
    const domain = canonicalDomain(value)
    if (domain) return domain
    context.addIssue({ code: 'custom', message: issueText('ownDomain') })
    return z.NEVER
  })
  .meta({
    openapi: {
      format: 'hostname',
      maxLength: 253,
      pattern:
        '^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$',
    },
  })

/** True for a name below `parent`, whole labels compared; not for `parent` itself. */
export function isBelow(name: string, parent: string): boolean {
  return parent !== '' && name.endsWith(`.${parent}`)
}

/**
 * The label below the tenant's own name under which a deleted tenant keeps a domain that it
 * released. The prefix keeps a label that begins with `xn--` from being read as an encoded one.
 * `number` distinguishes domains with equal labels.
 */
export function releasedLabel(name: string, number = 1): string {
  let label = name.replaceAll('.', '-').slice(0, 50)
  while (label.endsWith('-')) label = label.slice(0, -1)
  return `was-${label}${number === 1 ? '' : `-${number}`}`
}

export const domainStates = [
  'unchecked',
  'pending',
  'verified',
  'degraded',
  'failing',
  'unknown',
] as const
export const domainState = z.enum(domainStates)
export type DomainState = z.infer<typeof domainState>

export const recordPurposes = ['ownership', 'mx', 'spf', 'dkim', 'dmarc', 'other'] as const
export const recordPurpose = z.enum(recordPurposes)
export type RecordPurpose = z.infer<typeof recordPurpose>

/** `unknown`: DNS could not be asked, which says nothing about the record. */
export const verdicts = ['unchecked', 'ok', 'missing', 'mismatch', 'unknown'] as const
export const verdict = z.enum(verdicts)
export type Verdict = z.infer<typeof verdict>

export const dmarcPolicies = ['none', 'quarantine', 'reject'] as const
export const dmarcPolicy = z.enum(dmarcPolicies)
export type DmarcPolicy = z.infer<typeof dmarcPolicy>

export const domainCheckCauses = ['manual', 'schedule'] as const
export const domainCheckCause = z.enum(domainCheckCauses)
export type DomainCheckCause = z.infer<typeof domainCheckCause>

/**
 * A record of the zone: names lower-case and without the dot at the end, a TXT joined from its
 * pieces and without quotes.
 */
export interface DnsRecord {
  name: string
  type: string
  value: string
}

/** A record that should be published, and why. */
export interface ExpectedRecord extends DnsRecord {
  purpose: RecordPurpose
  /**
   * Mail suffers without it. The rest is recommended, such as automatic set-up of mail programs and
   * MTA-STS.
   */
  required: boolean
}

/** What a check found for one expected record. */
export const RecordVerdict = z.object({
  type: z.string(),
  name: z.string(),
  value: z.string(),
  purpose: recordPurpose,
  required: z.boolean(),
  verdict,
  /** The DNS records for this name and type, unchanged. */
  found: z.array(z.string()),
  /**
   * What is wrong and what to do, or what to know although it is right; null when there is nothing
   * to say.
   */
  reason: z.string().nullable(),
})
export type RecordVerdict = z.infer<typeof RecordVerdict>

export const DmarcSettings = z.object({
  policy: dmarcPolicy,
  /** Address of aggregate reports; null for none. */
  rua: z.string().nullable(),
  /** Share of failing messages, in percent, that the policy is applied to. */
  pct: z.number().int(),
})
export type DmarcSettings = z.infer<typeof DmarcSettings>

/** How much of the mail server still uses a domain. */
export const DomainUsage = z.object({
  accounts: z.number().int(),
  aliases: z.number().int(),
  lists: z.number().int(),
})
export type DomainUsage = z.infer<typeof DomainUsage>

export const DomainView = z.object({
  name: z.string(),
  /** The name as people write it; the same as `name` when it is plain ASCII. */
  unicodeName: z.string(),
  primary: z.boolean(),
  /** Below the platform's own domain: published by the platform, nothing to prove. */
  managed: z.boolean(),
  /** Ownership was proven at some time. Addresses can be made on it. */
  verified: z.boolean(),
  verifiedAt: instant.nullable(),
  state: domainState,
  records: z.array(RecordVerdict),
  /** The records as BIND zone text, to be pasted. */
  zone: z.string(),
  dmarc: DmarcSettings,
  /** Of the DMARC settings. */
  editVersion,
  /** The mail server is still making signing keys; their records appear a moment later. */
  keysPending: z.boolean(),
  /** Why the mail server does not have this domain as it should; retried by every check. */
  mailError: z.string().nullable(),
  /**
   * The name that a deleted tenant gave up. Until the tenant is restored or purged, the domain has
   * a name below the platform's.
   */
  releasedName: z.string().nullable(),
  lastCheckedAt: instant.nullable(),
  nextCheckAt: instant.nullable(),
  createdAt: instant,
})
export type DomainView = z.infer<typeof DomainView>

/** One domain with its use in the mail server; null when the mail server did not tell. */
export const DomainDetail = DomainView.extend({ usage: DomainUsage.nullable() })
export type DomainDetail = z.infer<typeof DomainDetail>

/** A tenant has few domains, so the list is whole. */
export const DomainList = z.object({ items: z.array(DomainView), nextCursor: z.null() })
export type DomainList = z.infer<typeof DomainList>

export const DomainCheckView = z.object({
  id: z.uuid(),
  at: instant,
  cause: domainCheckCause,
  state: domainState,
  previousState: domainState,
  /** A record that was right before is wrong now. */
  regressed: z.boolean(),
  records: z.array(RecordVerdict),
})
export type DomainCheckView = z.infer<typeof DomainCheckView>
export const DomainCheckPage = page(DomainCheckView)

const slug = z.string().max(200)
/** Accepts any text, so that an impossible name returns 404 like an unknown one. */
const pathName = z.string().max(1000)

export const AddDomain = z.strictObject({ slug, domain: domainName })
export type AddDomain = z.infer<typeof AddDomain>

export const DomainPath = z.strictObject({ slug, domain: pathName })
export type DomainPath = z.infer<typeof DomainPath>

export const ListDomains = z.strictObject({ slug })
export type ListDomains = z.infer<typeof ListDomains>

export const SetDmarc = z.strictObject({
  slug,
  domain: pathName,
  policy: dmarcPolicy,
  /** Null: no reports. Absent: as it is. */
  rua: emailAddress.nullable().optional(),
  /** RFC 7489 section 6.3. Absent: 100. */
  pct: z.number().int().min(0).max(100).optional(),
  expectedVersion,
})
export type SetDmarc = z.infer<typeof SetDmarc>

export const ListDomainChecks = z.strictObject({
  slug,
  domain: pathName,
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListDomainChecks = z.infer<typeof ListDomainChecks>
