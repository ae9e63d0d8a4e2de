import { z } from 'zod'
import { says } from '../platform/issue-text.ts'
import { trim, trimEnd } from '../platform/trim.ts'

/**
 * The valid prefix of a tenant's group name: it ends in a character that separates it from the
 * slug.
 */
export const tenantGroupPrefixShape = /^[a-z0-9][a-z0-9-]{0,29}[-_.:]$/
export const tenantGroupPrefixFault =
  'is not up to 31 of a-z, 0-9 and "-" that end in "-", "_", "." or ":"'

/** Slugs that would collide with a path, a host name or an administrative identity group. */
const reserved = new Set(
  (
    'admin admins administrator api app apps assets atrium auth authentik-admins autoconfig autodiscover billing blog book booking ' +
    'calendar cdn console dashboard default docs events flags health help host imap invite localhost login logout mail manage me metrics ' +
    'mta-sts new ns ns1 ns2 null oauth openapi operator operators partner partners partner-staff platform platform-admins portal ' +
    'postmaster public root settings signin signup smtp static status support system tenant tenants test trpc undefined user users ' +
    'webhooks webmail www ' +
    // Groups by which other applications at the same identity provider commonly give rights.
    'account-operators ceph-admins domain-admins domain-users editors enterprise-admins everyone gitea-admins gitlab-admins grafana-admins ' +
    'grafana-editors guests harbor-admins it jenkins-admins keycloak-admins managers members nextcloud-admins owners power-users ' +
    'proxmox-admins schema-admins security staff sudo superadmin superuser superusers sysadmin sysadmins vault-admins viewers vpn-users wheel'
  ).split(' '),
)

const shape = /^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/

/**
 * True for names that no tenant may have; `alsoReserved` adds the identity groups that this
 * installation is configured with.
 */
export function isReservedSlug(slug: string, alsoReserved: Iterable<string> = []): boolean {
  if (reserved.has(slug)) return true
  for (const name of alsoReserved) if (slugify(name) === slug || name === slug) return true
  return slug.startsWith('xn--')
}

/**
 * A tenant's or partner's key in paths: 2 to 63 of a-z, 0-9 and `-`, not at the ends, not reserved.
 */
export const tenantSlug = z
  .string()
  .max(63)
  .regex(shape, says('slug'))
  .refine((slug) => !isReservedSlug(slug), says('reservedName'))

/**
 * A slug that a list is filtered by, in any case; reserved words are taken, because they match
 * nothing.
 */
export const slugFilter = z
  .string()
  .max(63)
  .transform((value) => value.toLowerCase())
  .refine(isSlugShaped, says('notASlug'))
  .meta({ openapi: { minLength: 2, pattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,61}[A-Za-z0-9]$' } })

/** True when the text has the shape of a slug; says nothing about reserved words. */
export function isSlugShaped(text: string): boolean {
  return shape.test(text)
}

const special: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  þ: 'th',
  ð: 'd',
  ı: 'i',
}

/**
 * A slug made from a name: accents are folded, everything else becomes `-`. Undefined when nothing
 * of a-z and 0-9 is left (a name in another script), so that the caller can choose another base.
 */
export function slugify(name: string): string | undefined {
  const cut = name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[ßæœøđłþðı]/g, (letter) => special[letter] ?? '-')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
  const slug = trim(cut, /-/)
  return slug.length >= 2 ? slug : undefined
}

/** Candidates for a free slug: the base, then base-2, base-3 …, each cut to 63 characters. */
export function* slugCandidates(base: string, count: number): Generator<string> {
  yield base
  for (let n = 2; n <= count; n++) {
    const suffix = `-${n}`
    yield trimEnd(base.slice(0, 63 - suffix.length), /-/) + suffix
  }
}
