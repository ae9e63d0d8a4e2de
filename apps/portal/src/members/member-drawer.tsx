import type { MemberView, UpdatedMember } from '@atrium/core/members/members'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { QueryState } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatTime } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert, Group, Text } from '@mantine/core'
import { IconInfoCircle, IconKey } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { AppPasswords } from '../account/app-passwords.tsx'
import { DrawerPart } from '../layout/drawer-part.tsx'
import { useProfile } from '../profile/use-profile.ts'
import { mayChange, mayProtect, maySeeSettings } from '../tenants/roles.ts'
import { useTRPC } from '../trpc.ts'
import { MemberActions } from './member-actions.tsx'
import { MemberAddresses } from './member-addresses.tsx'
import { MemberProfile } from './member-profile.tsx'
import { MemberRole } from './member-role.tsx'
import { isUnderWay, memberMeta } from './member-status-meta.ts'
import { MemberSystems } from './member-systems.tsx'

const t = translations('portal.members')
const labels = translations('ui.labels')
const account = translations('ui.account')

interface Props {
  tenant: TenantView
  userId: string
  onClose: () => void
}

/**
 * One member: for admins everything that can be changed, for everyone else what colleagues may see.
 */
export default function MemberDrawer({ tenant, userId, onClose }: Props) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const query = useQuery(
    trpc.members.get.queryOptions(
      { slug: tenant.slug, userId },
      {
        // Shows the clicked row immediately; the record replaces it.
        placeholderData: () =>
          queryClient
            .getQueriesData<{ items: MemberView[] }>(trpc.tenants.users.pathFilter())
            .flatMap(([, page]) => page?.items ?? [])
            .find(({ id }) => id === userId),
        refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? 2_000 : false),
      },
    ),
  )
  const member = query.data
  return (
    <SideDrawer opened onClose={onClose} title={member?.name ?? t('details.title')}>
      <QueryState query={query} loading={t('details.loading')} failed={t('details.loadFailed')} />
      {member && !query.error && <Details tenant={tenant} member={member} onGone={onClose} />}
    </SideDrawer>
  )
}

/** The password that an admin was shown, until its person has signed in. */
function TemporaryPassword({ member }: { member: MemberView }) {
  const { temporaryPassword: password } = member
  if (!password || (member.needsPassword && !password.expired)) return null
  const { expired, expiresAt } = password
  return (
    <Alert
      variant="light"
      color={expired ? 'yellow' : 'blue'}
      icon={<IconKey aria-hidden />}
      mb="md"
      title={t(`details.temporaryPassword.${expired ? 'expiredTitle' : 'title'}`)}
    >
      {expired
        ? t('details.temporaryPassword.expiredHint', { member: member.name })
        : t('details.temporaryPassword.hint', { member: member.name, at: formatTime(expiresAt) })}
    </Alert>
  )
}

function Details({
  tenant,
  member,
  onGone,
}: {
  tenant: TenantView
  member: MemberView
  onGone: () => void
}) {
  const { me } = useProfile()
  const admin = maySeeSettings(tenant.role)
  const changing = mayChange(tenant) && member.status !== 'removing'
  const own = member.id === me.id
  const [mirrors, setMirrors] = useState<UpdatedMember['mirrors']>()
  return (
    <>
      <Group gap="sm" mb="md">
        <StatusBadge {...memberMeta(member)} />
        <Text size="sm" c="dimmed">
          {own
            ? t('details.ownRole', { role: labels(`roles.${member.role}`) })
            : labels(`roles.${member.role}`)}
        </Text>
      </Group>
      {admin && <TemporaryPassword member={member} />}
      {admin && member.needsPassword && !member.temporaryPassword?.expired && (
        <Alert
          color="yellow"
          icon={<IconKey aria-hidden />}
          mb="md"
          title={t('details.needsPassword.title')}
        >
          {t('details.needsPassword.hint')}
        </Alert>
      )}
      {admin && !member.managed && (
        <Alert variant="light" icon={<IconInfoCircle aria-hidden />} mb="md">
          {t('details.shared')}
        </Alert>
      )}
      {admin ? (
        <DrawerPart title={t('details.parts.systems')}>
          <MemberSystems tenant={tenant} member={member} changing={changing} />
        </DrawerPart>
      ) : (
        <Colleague member={member} />
      )}
      {changing && (
        <>
          <DrawerPart title={t('details.parts.profile')}>
            {/* Keyed by what the form holds, so that a change made elsewhere does not stay behind it. */}
            <MemberProfile
              key={profileKey(member)}
              slug={tenant.slug}
              member={member}
              mirrors={mirrors}
              onSaved={setMirrors}
            />
          </DrawerPart>
          <DrawerPart title={t('details.parts.addresses')}>
            <MemberAddresses tenant={tenant} member={member} />
          </DrawerPart>
          <DrawerPart title={t('details.parts.role')}>
            <MemberRole tenant={tenant} member={member} own={own} />
          </DrawerPart>
        </>
      )}
      {mayProtect(tenant) && member.mailboxAddress && (
        <DrawerPart title={account('appPasswords.ofMember')}>
          <AppPasswords
            slug={tenant.slug}
            tenantName={tenant.name}
            userId={member.id}
            own={false}
          />
        </DrawerPart>
      )}
      {mayProtect(tenant) && (
        <DrawerPart title={t('details.parts.access')}>
          <MemberActions
            slug={tenant.slug}
            member={member}
            own={own}
            open={mayChange(tenant)}
            onGone={onGone}
          />
        </DrawerPart>
      )}
    </>
  )
}

function profileKey({ name, firstName, lastName, phone, alternativeEmail }: MemberView): string {
  return JSON.stringify([name, firstName, lastName, phone, alternativeEmail])
}

function Colleague({ member }: { member: MemberView }) {
  return (
    <DetailList>
      <DetailItem label={t('details.address')}>{member.email}</DetailItem>
      {member.mailboxAddress && member.mailboxAddress !== member.email && (
        <DetailItem label={t('mailbox.title')}>{member.mailboxAddress}</DetailItem>
      )}
      <DetailItem label={t('fields.role')}>{labels(`roles.${member.role}`)}</DetailItem>
      <DetailItem label={t('table.joined')}>
        <Time at={member.joinedAt} show="both" />
      </DetailItem>
    </DetailList>
  )
}
