import type { UserView } from '@atrium/core/users/users'
import { CopyValue } from '@atrium/ui/copy'
import { QueryState } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { inSentence } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { partnerStatusMeta } from '@atrium/ui/partner-status-meta'
import { Time } from '@atrium/ui/time'
import { SimpleGrid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { AuditPreview } from '../audit/audit-preview.tsx'
import { MissingPage } from '../layout/not-found-page.tsx'
import { isMissing } from '../parts/problems.ts'
import { useTRPC } from '../trpc.ts'
import { ContactPanel } from './contact-panel.tsx'
import { UserAccess } from './user-access.tsx'
import { UserBadges } from './user-badges.tsx'
import { UserTenants } from './user-tenants.tsx'

const t = translations('operator.users')

const route = getRouteApi('/authenticated/users/$id')

export const Route = createLazyRoute('/authenticated/users/$id')({ component: UserPage })

function UserPage() {
  const { id } = route.useParams()
  const trpc = useTRPC()
  const query = useQuery(trpc.users.get.queryOptions({ id }))
  const { data: user, error } = query
  if (!user && error && isMissing(error)) {
    return (
      <MissingPage
        title={t('missing.title')}
        back={<LinkAnchor to="/users">{t('all')}</LinkAnchor>}
      >
        {t('missing.hint')}
      </MissingPage>
    )
  }
  return (
    <>
      <PageHeader
        title={user?.name ?? t('page.user')}
        description={user?.email}
        marks={user && <UserBadges user={user} />}
      />
      {user ? (
        <UserDetail key={id} user={user} />
      ) : (
        <QueryState query={query} loading={t('page.loading')} failed={t('page.failed')} />
      )}
    </>
  )
}

function UserDetail({ user }: { user: UserView }) {
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="lg">
          <ContactPanel user={user} />
          <Panel title={t('record.title')}>
            <DetailList>
              <DetailItem label={t('record.seen')}>
                {user.lastSeenAt ? <Time at={user.lastSeenAt} show="both" /> : t('never')}
              </DetailItem>
              <DetailItem label={t('record.created')}>
                <Time at={user.createdAt} show="both" />
              </DetailItem>
              <DetailItem label={t('record.changed')}>
                <Time at={user.updatedAt} show="both" />
              </DetailItem>
              {user.deactivatedAt && (
                <DetailItem label={t('record.deactivated')}>
                  <Time at={user.deactivatedAt} show="both" />
                </DetailItem>
              )}
              {user.partner && (
                <DetailItem label={t('record.partner')}>
                  {t('record.partnerStatus', {
                    name: user.partner.name,
                    status: inSentence(partnerStatusMeta(user.partner.status).label),
                  })}
                </DetailItem>
              )}
              <DetailItem label={t('record.id')}>
                <CopyValue label={t('record.id')} value={user.id} hideLabel />
              </DetailItem>
              <DetailItem label={t('record.subject')}>
                <CopyValue label={t('record.subject')} value={user.idpSubjectId} hideLabel />
              </DetailItem>
            </DetailList>
          </Panel>
        </Stack>
        <Stack gap="lg">
          <UserTenants tenants={user.tenants} />
          <UserAccess user={user} />
        </Stack>
      </SimpleGrid>
      <AuditPreview title={t('page.log')} filters={{ actorEmail: user.email }} />
    </Stack>
  )
}
