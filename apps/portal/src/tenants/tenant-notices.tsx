import type { GrantNotices } from '@atrium/core/access-grants/access-grants'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { formatDay, formatTime } from '@atrium/ui/format'
import { LinkAnchor, LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Alert, Anchor, Group, Text } from '@mantine/core'
import {
  IconAlertTriangle,
  IconLock,
  IconShieldLock,
  IconTrash,
  IconUserQuestion,
  IconUserShield,
} from '@tabler/icons-react'
import * as links from '../links.ts'
import { secondFactorPath } from '../security-policy/shut-out.tsx'

const t = translations('portal.tenant-notices')

interface Props {
  tenant: TenantView
  /** Who acts in the workplace from outside, and who asks to; only for those who may know. */
  access: GrantNotices | undefined
  /** When the reader, who signed in without a second factor, needs one: ISO time or undefined. */
  secondFactorFrom: string | undefined
}

/** The alerts above every page of a workplace. */
export default function TenantNotices({ tenant, access, secondFactorFrom }: Props) {
  return (
    <>
      {tenant.grant && <OnBehalf tenant={tenant} grant={tenant.grant} />}
      {access?.breakGlass.map((grant) => (
        <EmergencyAccess key={grant.id} slug={tenant.slug} grant={grant} />
      ))}
      {tenant.role === 'owner' && access !== undefined && access.pending > 0 && (
        <AccessRequests slug={tenant.slug} count={access.pending} />
      )}
      {tenant.status === 'suspended' && <Suspended tenant={tenant} />}
      {tenant.status === 'deleted' && <Deleted tenant={tenant} />}
      {secondFactorFrom !== undefined && <SecondFactorRequired from={secondFactorFrom} />}
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

/** An operator who acts, or lately acted, in the workplace without the owner's consent. */
function EmergencyAccess({
  slug,
  grant: { status, holder, reason, endsAt },
}: {
  slug: string
  grant: GrantNotices['breakGlass'][number]
}) {
  return (
    <Alert
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
  )
}

function AccessRequests({ slug, count }: { slug: string; count: number }) {
  return (
    <Alert
      color="yellow"
      icon={<IconUserQuestion aria-hidden />}
      title={t('access.requests.title', { count })}
      mb="lg"
    >
      <LinkAnchor {...links.access(slug)} inherit>
        {t('access.requests.show')}
      </LinkAnchor>
    </Alert>
  )
}

function Suspended({ tenant }: { tenant: TenantView }) {
  return (
    <Alert color="yellow" icon={<IconLock aria-hidden />} title={t('suspended.title')} mb="lg">
      {tenant.suspendedReason && t('suspended.reason', { reason: tenant.suspendedReason })}{' '}
      {t(`suspended.modes.${tenant.suspensionMode ?? 'none'}`)} {t('suspended.hint')}
    </Alert>
  )
}

function Deleted({ tenant }: { tenant: TenantView }) {
  return (
    <Alert color="red" icon={<IconTrash aria-hidden />} title={t('deleted.title')} mb="lg">
      {t('deleted.hint')} {restore(tenant)}
    </Alert>
  )
}

function restore({ restoreUntil }: TenantView): string {
  if (restoreUntil === null) return t('deleted.restore.open')
  if (Date.parse(restoreUntil) <= Date.now()) return t('deleted.restore.over')
  return t('deleted.restore.until', { day: formatDay(restoreUntil) })
}

function SecondFactorRequired({ from }: { from: string }) {
  return (
    <Alert
      color="yellow"
      icon={<IconShieldLock aria-hidden />}
      title={t('grace.title', { day: formatDay(from) })}
      mb="lg"
    >
      {t.rich('grace.hint', {
        link: (chunks) => (
          <Anchor inherit href={secondFactorPath} target="_blank" rel="noreferrer">
            {chunks}
          </Anchor>
        ),
      })}
    </Alert>
  )
}
