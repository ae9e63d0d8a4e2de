import { LinkButton } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { StatusBadge, TenantStatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link, Navigate } from '@tanstack/react-router'
import * as links from '../links.ts'
import { partnerOf } from '../partner/use-partner.ts'
import { PartnerHint } from '../profile/partner-hint.tsx'
import { useProfile } from '../profile/use-profile.ts'
import { lastTenant, lastVisitedFirst } from '../session/last-tenant.ts'
import { FirstRun } from './first-run.tsx'
import classes from './home-page.module.css'
import { roleNames } from './roles.ts'
import { TenantMark } from './tenant-mark.tsx'

/**
 * Straight to the workplace when there is one, a choice when there are several; without one to the
 * partner area, or an invitation to begin.
 */
export function HomePage() {
  const { me, tenants } = useProfile()
  const [first, ...others] = tenants
  if (!first && partnerOf(me)) return <Navigate {...links.partner} replace />
  if (!first) return <FirstRun me={me} />
  if (others.length === 0) return <Navigate {...links.overview(first.slug)} replace />
  const last = lastTenant()
  return (
    <>
      <PageHeader
        title="Your workplaces"
        actions={
          <LinkButton {...links.newTenant} leftSection={<IconPlus size={18} aria-hidden />}>
            Create a workplace
          </LinkButton>
        }
      />
      <PartnerHint me={me} />
      <ul className={classes.cards}>
        {lastVisitedFirst(tenants, last).map((tenant) => (
          <li key={tenant.id} className={classes.card}>
            <TenantMark name={tenant.name} color={tenant.brandColor} size={44} />
            <div className={classes.text}>
              <Link {...links.overview(tenant.slug)} className={classes.link}>
                {tenant.name}
              </Link>
              <Text size="sm" c="dimmed">
                {tenant.slug} · {roleNames[tenant.role]}
              </Text>
            </div>
            <div className={classes.marks}>
              {tenant.slug === last && <StatusBadge label="Last visited" tone="neutral" />}
              <TenantStatusBadge status={tenant.status} />
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}
