import type { TenantView } from '@atrium/core/tenants/tenants'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import * as links from '../links.ts'

const t = translations('portal.members')

interface Props {
  tenant: TenantView
  /** As it was typed: a whole address, or a name on the primary domain. */
  email: string
}

/** Leads to the page of the domain, where an address that is managed elsewhere can be claimed. */
export function ClaimLink({ tenant, email }: Props) {
  const typed = email.trim().toLowerCase()
  const domain = typed.includes('@') ? typed.split('@').at(-1) : tenant.primaryDomain
  if (!domain) return null
  return (
    <LinkAnchor {...links.domain(tenant.slug, domain)} size="sm">
      {t('add.claim', { domain })}
    </LinkAnchor>
  )
}
