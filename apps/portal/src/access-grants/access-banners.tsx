import type { TenantView } from '@atrium/core/tenants/tenants'
import { formatTime } from '@atrium/ui/format'
import { LinkAnchor, LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Alert, Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconUserQuestion, IconUserShield } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import * as links from '../links.ts'
import { maySeeSettings } from '../tenants/roles.ts'
import { useTRPC } from '../trpc.ts'

const t = translations('portal.layout')

/** On every page of a workplace: who acts in it from outside, and in whose name the reader acts. */
export function AccessBanners({ tenant }: { tenant: TenantView }) {
  return (
    <>
      {tenant.grant && <OnBehalf tenant={tenant} grant={tenant.grant} />}
      {maySeeSettings(tenant.role) && <Notices tenant={tenant} />}
    </>
  )
}

function OnBehalf({
  tenant,
  grant,
}: {
  tenant: TenantView
  grant: NonNullable<TenantView['grant']>
}) {
  return (
    <Alert
      color="yellow"
      icon={<IconUserShield aria-hidden />}
      title={t('access.onBehalf.title', { tenant: tenant.name })}
      mb="lg"
    >
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {t('access.onBehalf.hint', {
            role: t(`access.onBehalf.roles.${grant.role}`),
            time: formatTime(grant.endsAt),
          })}
        </Text>
        <LinkButton
          {...links.partnerCustomers({ customer: tenant.slug })}
          size="xs"
          variant="default"
        >
          {t('access.onBehalf.leave')}
        </LinkButton>
      </Group>
    </Alert>
  )
}

function Notices({ tenant: { slug, role } }: { tenant: TenantView }) {
  const { data } = useQuery(
    useTRPC().accessGrants.notices.queryOptions({ slug }, { refetchInterval: 60_000 }),
  )
  if (!data) return null
  return (
    <>
      {data.breakGlass.map(({ id, status, holder, reason, endsAt }) => (
        <Alert
          key={id}
          color="red"
          icon={<IconAlertTriangle aria-hidden />}
          title={t(status === 'active' ? 'access.emergency.title' : 'access.emergency.over')}
          mb="lg"
        >
          {t('access.emergency.hint', {
            person: holder?.email ?? '–',
            time: formatTime(endsAt),
            reason,
          })}{' '}
          <LinkAnchor {...links.access(slug)} inherit>
            {t('access.emergency.show')}
          </LinkAnchor>
        </Alert>
      ))}
      {role === 'owner' && data.pending > 0 && (
        <Alert
          color="yellow"
          icon={<IconUserQuestion aria-hidden />}
          title={t('access.requests.title', { count: data.pending })}
          mb="lg"
        >
          <LinkAnchor {...links.access(slug)} inherit>
            {t('access.requests.show')}
          </LinkAnchor>
        </Alert>
      )}
    </>
  )
}
