import { AccessGrantCard } from '@atrium/ui/access-grant-card'
import { isOpen } from '@atrium/ui/access-grant-labels'
import { QueryState } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Pager } from '@atrium/ui/pager'
import { currentCursor } from '@atrium/ui/paging'
import { Panel } from '@atrium/ui/panel'
import { Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { mayDo, usePartner } from '../partner/use-partner.ts'
import { useTRPC } from '../trpc.ts'
import { EndGrant, GrantActs } from './grant-actions.tsx'

const t = translations('portal.access-grants')

/** The partner's requests for access to its customers, and what became of them. */
export function PartnerAccessPage() {
  const partner = usePartner()
  const [cursors, setCursors] = useState<string>()
  const query = useQuery(
    useTRPC().accessGrants.ofPartner.queryOptions(
      { slug: partner.slug, cursor: currentCursor(cursors), limit: 20 },
      { placeholderData: keepPreviousData },
    ),
  )
  const items = query.data?.items ?? []
  return (
    <>
      <PageHeader
        title={t('partner.title')}
        tabTitle={t('partner.tabTitle', { partner: partner.name })}
        description={t('partner.description')}
      />
      <Stack maw={760}>
        <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
        {query.data && items.length === 0 && (
          <Panel title={t('partner.none.title')}>
            <Text>{t('partner.none.hint')}</Text>
          </Panel>
        )}
        {items.map((grant) => (
          <AccessGrantCard
            key={grant.id}
            grant={grant}
            showTenant
            order={2}
            actions={
              <>
                {isOpen(grant) && (grant.own || mayDo(partner, 'manageCustomers')) && (
                  <EndGrant grant={grant} />
                )}
                {/* The log of a customer that left the partner is not the partner's to read. */}
                {grant.status === 'active' && <GrantActs grant={grant} />}
              </>
            }
          />
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
