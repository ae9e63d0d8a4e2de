import type { UserView } from '@atrium/core/users/users'
import { CopyValue } from '@atrium/ui/copy'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { LinkAnchor } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
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

const route = getRouteApi('/authenticated/users/$id')

export const Route = createLazyRoute('/authenticated/users/$id')({ component: UserPage })

function UserPage() {
  const { id } = route.useParams()
  const trpc = useTRPC()
  const {
    data: user,
    isError,
    error,
    isFetching,
    refetch,
  } = useQuery(trpc.users.get.queryOptions({ id }))
  if (!user && isError && isMissing(error)) {
    return (
      <MissingPage title="User not found" back={<LinkAnchor to="/users">All users</LinkAnchor>}>
        There is no user with this id. The record may have been deleted.
      </MissingPage>
    )
  }
  return (
    <>
      <PageHeader
        title={user?.name ?? 'User'}
        description={user?.email}
        marks={user && <UserBadges user={user} />}
      />
      {user ? (
        <UserDetail key={id} user={user} />
      ) : isError ? (
        <ErrorState
          title="The user could not be loaded."
          error={error}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      ) : (
        <LoadingRows label="Loading the user" />
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
          <Panel title="Record">
            <DetailList>
              <DetailItem label="Last seen">
                {user.lastSeenAt ? <Time at={user.lastSeenAt} show="both" /> : 'Never'}
              </DetailItem>
              <DetailItem label="Created">
                <Time at={user.createdAt} show="both" />
              </DetailItem>
              <DetailItem label="Changed">
                <Time at={user.updatedAt} show="both" />
              </DetailItem>
              {user.deactivatedAt && (
                <DetailItem label="Deactivated">
                  <Time at={user.deactivatedAt} show="both" />
                </DetailItem>
              )}
              {user.partner && (
                <DetailItem label="Partner">
                  {user.partner.name} ({user.partner.status})
                </DetailItem>
              )}
              <DetailItem label="User id">
                <CopyValue label="User id" value={user.id} hideLabel />
              </DetailItem>
              <DetailItem label="Identity subject">
                <CopyValue label="Identity subject" value={user.idpSubjectId} hideLabel />
              </DetailItem>
            </DetailList>
          </Panel>
        </Stack>
        <Stack gap="lg">
          <UserTenants tenants={user.tenants} />
          <UserAccess user={user} />
        </Stack>
      </SimpleGrid>
      <AuditPreview title="What this person did" filters={{ actorEmail: user.email }} />
    </Stack>
  )
}
