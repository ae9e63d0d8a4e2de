import { isOpen } from '@atrium/ui/access-grant-labels'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { currentCursor } from '@atrium/ui/paging'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { mayDo, usePartner } from '../partner/use-partner.ts'
import { useTRPC } from '../trpc.ts'
import { EndGrant, GrantEntries } from './grant-actions.tsx'
import { GrantList } from './grant-list.tsx'

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
  return (
    <>
      <PageHeader
        title={t('partner.title')}
        tabTitle={t('partner.tabTitle', { partner: partner.name })}
        description={t('partner.description')}
      />
      <GrantList
        query={query}
        cursors={cursors}
        onCursors={setCursors}
        none={{ title: t('partner.none.title'), hint: t('partner.none.hint') }}
        parts={[{ items: query.data?.items ?? [] }]}
        card={{ showTenant: true, order: 2 }}
        actions={(grant) => (
          <>
            {isOpen(grant) && (grant.own || mayDo(partner, 'manageCustomers')) && (
              <EndGrant grant={grant} />
            )}
            {/* The log of a customer that left the partner is not the partner's to read. */}
            {grant.status === 'active' && <GrantEntries grant={grant} />}
          </>
        )}
      />
    </>
  )
}
