import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkButton } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { Alert, Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import * as links from '../links.ts'
import { useProfile } from '../profile/use-profile.ts'
import { useTRPC } from '../trpc.ts'
import { partnerOf } from './use-partner.ts'

/**
 * Around every page of the partner area: fetches the partner, and says when there is none or when
 * it may only be read.
 */
export function PartnerFrame() {
  const { me } = useProfile()
  const own = partnerOf(me)
  const trpc = useTRPC()
  const partner = useQuery({
    ...trpc.partners.get.queryOptions({ slug: own?.slug ?? '' }),
    enabled: own !== undefined,
  })
  if (!own) return <NoPartner />
  if (partner.data) {
    return (
      <>
        {partner.data.status === 'suspended' && (
          <Alert
            color="yellow"
            icon={<IconLock aria-hidden />}
            title={`${partner.data.name} is suspended`}
            mb="lg"
          >
            {partner.data.suspendedReason ? `Reason: ${partner.data.suspendedReason} ` : ''}
            Everything can still be read. Nothing can be changed, and payouts are held, until the
            operator of the platform resumes it.
          </Alert>
        )}
        <Outlet />
      </>
    )
  }
  return (
    <>
      <PageHeader title={own.name} />
      {partner.isPending ? (
        <LoadingRows label="Loading the partner" />
      ) : (
        <ErrorState
          title="The partner could not be loaded."
          error={partner.error}
          onRetry={() => void partner.refetch()}
          retrying={partner.isFetching}
        />
      )}
    </>
  )
}

function NoPartner() {
  return (
    <>
      <PageHeader title="No partner area" />
      <Text mb="lg" maw="60ch">
        You are not on the staff of a partner. If you should be, ask an owner of that partner to
        invite you.
      </Text>
      <LinkButton {...links.home} variant="default">
        Go to your workplaces
      </LinkButton>
    </>
  )
}

/** For parts of the area that are closed to this level. */
export function NoPartnerAccess() {
  return (
    <>
      <PageHeader title="No access" />
      <Text mb="lg" maw="60ch">
        Your access level does not include this page. An owner of the partner can change your level.
      </Text>
      <LinkButton {...links.partner} variant="default">
        Go to the dashboard
      </LinkButton>
    </>
  )
}
