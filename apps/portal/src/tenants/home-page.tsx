import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { StatusBadge, TenantStatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link, Navigate } from '@tanstack/react-router'
import { OwnInvitations } from '../invitations/own-invitations.tsx'
import * as links from '../links.ts'
import { partnerOf } from '../partner/use-partner.ts'
import { PartnerHint } from '../profile/partner-hint.tsx'
import { useProfile } from '../profile/use-profile.ts'
import { lastTenant, lastVisitedFirst } from '../session/last-tenant.ts'
import { FirstRun } from './first-run.tsx'
import classes from './home-page.module.css'
import { TenantMark } from './tenant-mark.tsx'

const t = translations('portal.tenants')
const labels = translations('ui.labels')

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
        title={t('home.title')}
        actions={
          <LinkButton {...links.newTenant} leftSection={<IconPlus size={18} aria-hidden />}>
            {t('home.create')}
          </LinkButton>
        }
      />
      <PartnerHint me={me} />
      <OwnInvitations />
      <ul className={classes.cards}>
        {lastVisitedFirst(tenants, last).map((tenant) => (
          <li key={tenant.id} className={classes.card}>
            <TenantMark name={tenant.name} color={tenant.brandColor} size={44} />
            <div className={classes.text}>
              <Link {...links.overview(tenant.slug)} className={classes.link}>
                {tenant.name}
              </Link>
              <Text size="sm" c="dimmed">
                {tenant.slug} · {labels(`roles.${tenant.role}`)}
              </Text>
            </div>
            <div className={classes.marks}>
              {tenant.slug === last && <StatusBadge label={t('home.lastVisited')} tone="neutral" />}
              <TenantStatusBadge status={tenant.status} />
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}
