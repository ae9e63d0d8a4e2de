import { holdsLink } from '@atrium/core/scheduling/person-names'
import { listOperators } from '@atrium/db/address-claims/address-claims'
import { listAdministrators } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import { listPartnerOwners } from '@atrium/db/service-tokens/service-tokens'
import { mailTexts } from '@atrium/messages/mail'
import type { Config } from '../platform/config.ts'
import { operatorLink, portalLink } from '../platform/links.ts'

/** Who manages the tokens and webhook endpoints of a tenant, a partner or the platform. */
export function recipientsOf(
  trx: Trx,
  { tenantId, partnerId }: { tenantId: string | null; partnerId: string | null },
) {
  if (tenantId !== null) return listAdministrators(trx, tenantId)
  return partnerId === null ? listOperators(trx) : listPartnerOwners(trx, partnerId)
}

/** The owner as a mail names it; no name is the platform's. Names that hold a link are left out. */
export function ownerInMail(
  { name, tenantSlug }: { name: string | null; tenantSlug: string | null },
  language: Parameters<typeof mailTexts>[0],
): string {
  if (name === null) return mailTexts(language)('accessOperator')
  return holdsLink(name) ? (tenantSlug ?? '') : name
}

/** Where the portals have the page of an owner about its tokens or webhook endpoints. */
const pages = {
  tokens: { portal: 'service-tokens', operator: 'service-tokens' },
  webhooks: { portal: 'webhooks', operator: 'webhook-endpoints' },
} as const

/** The address of that page, for a mail; empty while the installation does not know its portal. */
export function ownerLink(
  config: Pick<Config, 'portalUrl' | 'operatorUrl'>,
  { tenantSlug, partnerId }: { tenantSlug: string | null; partnerId: string | null },
  about: keyof typeof pages,
): string {
  const { portal, operator } = pages[about]
  if (tenantSlug !== null) return portalLink(config, `/t/${tenantSlug}/${portal}`)
  return partnerId === null
    ? operatorLink(config, `/${operator}`)
    : portalLink(config, `/partner/${portal}`)
}
