import type { GrantView } from '@atrium/core/access-grants/access-grants'
import { AccessGrantCard } from '@atrium/ui/access-grant-card'
import { QueryState } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Pager } from '@atrium/ui/pager'
import { currentCursor } from '@atrium/ui/paging'
import { Panel } from '@atrium/ui/panel'
import { Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { maySeeSettings } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { AcknowledgeGrant, DecideGrant, EndGrant, GrantActs } from './grant-actions.tsx'

const t = translations('portal.access-grants')

/** Who may work in the workplace without being a member, and who asks for it. */
export function AccessPage() {
  const tenant = useTenant()
  const [cursors, setCursors] = useState<string>()
  const admin = maySeeSettings(tenant.role) && tenant.grant === null
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
  const parts = [
    { title: t('requests'), items: items.filter(({ status }) => status === 'pending') },
    { title: t('live'), items: items.filter(({ status }) => status === 'active') },
    {
      title: t('past'),
      items: items.filter(({ status }) => status !== 'pending' && status !== 'active'),
    },
  ].filter((part) => part.items.length > 0)
  const owner = tenant.role === 'owner'
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={t('description', { tenant: tenant.name })}
      />
      <Stack gap="lg" maw={760}>
        <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
        {query.data && items.length === 0 && (
          <Panel title={t('none.title')}>
            <Text>{t('none.hint')}</Text>
          </Panel>
        )}
        {parts.map((part) => (
          <Panel
            key={part.title}
            title={part.title}
            description={owner ? undefined : t('ownerDecides')}
          >
            <Stack>
              {part.items.map((grant) => (
                <AccessGrantCard
                  key={grant.id}
                  grant={grant}
                  actions={
                    <>
                      {owner && grant.status === 'pending' && <DecideGrant grant={grant} />}
                      {owner && grant.status === 'active' && <EndGrant grant={grant} />}
                      {owner && (unread(grant) || isLiveEmergency(grant)) && (
                        <AcknowledgeGrant grant={grant} />
                      )}
                      {grant.decidedAt !== null || grant.kind === 'break_glass' ? (
                        <GrantActs grant={grant} />
                      ) : null}
                    </>
                  }
                />
              ))}
            </Stack>
          </Panel>
        ))}
        {query.data && (
          <Pager
            label={t('pages')}
            cursors={cursors}
            nextCursor={query.data.nextCursor}
            onChange={setCursors}
          />
        )}
      </Stack>
    </>
  )
}

function isLiveEmergency({ kind, status, acknowledgedAt }: GrantView): boolean {
  return kind === 'break_glass' && status === 'active' && acknowledgedAt === null
}
