import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Alert, Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import * as links from '../links.ts'
import { useProfile } from '../profile/use-profile.ts'
import { useTRPC } from '../trpc.ts'
import { partnerOf } from './use-partner.ts'

const t = translations('portal.partner')

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
            title={t('suspended.title', { partner: partner.data.name })}
            mb="lg"
          >
            {partner.data.suspendedReason && (
              <Text inherit>{t('suspended.reason', { reason: partner.data.suspendedReason })}</Text>
            )}
            {t('suspended.effects')}
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
        <LoadingRows label={t('loading')} />
      ) : (
        <ErrorState
          title={t('loadFailed')}
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
      <PageHeader title={t('none.title')} />
      <Text mb="lg" maw="60ch">
        {t('none.hint')}
      </Text>
      <LinkButton {...links.home} variant="default">
        {t('none.home')}
      </LinkButton>
    </>
  )
}

/** For parts of the area that are closed to this level. */
export function NoPartnerAccess() {
  return (
    <>
      <PageHeader title={t('noAccess.title')} />
      <Text mb="lg" maw="60ch">
        {t('noAccess.hint')}
      </Text>
      <LinkButton {...links.partner} variant="default">
        {t('noAccess.home')}
      </LinkButton>
    </>
  )
}
