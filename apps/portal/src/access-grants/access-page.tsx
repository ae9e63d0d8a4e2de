import type { GrantView } from '@atrium/core/access-grants/access-grants'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { currentCursor } from '@atrium/ui/paging'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { maySeeSettings } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { AcknowledgeGrant, DecideGrant, EndGrant, GrantEntries } from './grant-actions.tsx'
import { GrantList } from './grant-list.tsx'

const t = translations('portal.access-grants')

/** Who may work in the workplace without being a member, and who asks for it. */
export function AccessPage() {
  const tenant = useTenant()
  const [cursors, setCursors] = useState<string>()
  const admin = maySeeSettings(tenant.role) && tenant.grant === null && !tenant.custodian
  const query = useQuery(
    useTRPC().accessGrants.list.queryOptions(
      { slug: tenant.slug, cursor: currentCursor(cursors), limit: 20 },
      { enabled: admin, placeholderData: keepPreviousData },
    ),
  )
  if (!admin) return <NoAccess slug={tenant.slug} />
  const items = query.data?.items ?? []
  const unread = (grant: GrantView) =>
    grant.kind === 'break_glass' && grant.acknowledgedAt === null && grant.status !== 'active'
  const past = ({ status }: GrantView) => status !== 'pending' && status !== 'active'
  const owner = tenant.role === 'owner'
  const description = owner ? undefined : t('ownerDecides')
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={t('description', { tenant: tenant.name })}
      />
      <GrantList
        query={query}
        cursors={cursors}
        onCursors={setCursors}
        none={{ title: t('none.title'), hint: t('none.hint') }}
        parts={[
          {
            title: t('requests'),
            description,
            items: items.filter(({ status }) => status === 'pending'),
          },
          {
            title: t('live'),
            description,
            items: items.filter(({ status }) => status === 'active'),
          },
          { title: t('past'), description, items: items.filter(past) },
        ]}
        actions={(grant) => (
          <>
            {owner && grant.status === 'pending' && <DecideGrant grant={grant} />}
            {owner && grant.status === 'active' && <EndGrant grant={grant} />}
            {owner && (unread(grant) || isLiveEmergency(grant)) && (
              <AcknowledgeGrant grant={grant} />
            )}
            {(grant.decidedAt !== null || grant.kind === 'break_glass') && (
              <GrantEntries grant={grant} />
            )}
          </>
        )}
      />
    </>
  )
}

function isLiveEmergency({ kind, status, acknowledgedAt }: GrantView): boolean {
  return kind === 'break_glass' && status === 'active' && acknowledgedAt === null
}
