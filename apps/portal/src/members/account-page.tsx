import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { LinkButton } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Grid, Group, Stack, Text } from '@mantine/core'
import { IconDeviceMobile, IconPencil } from '@tabler/icons-react'
import * as links from '../links.ts'
import { useProfile } from '../profile/use-profile.ts'
import { maySeeSettings, roleNames } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { AliasList } from './alias-list.tsx'
import { memberMeta } from './member-status-meta.ts'
import { MemberSystems } from './member-systems.tsx'
import { useOwnMembership } from './use-own-membership.ts'

/**
 * What a person has in a workplace: addresses, mailbox, sign-in and files. For everybody, admin or
 * not.
 */
export function AccountPage() {
  const tenant = useTenant()
  const { me } = useProfile()
  const query = useOwnMembership(tenant)
  const member = query.data
  if (tenant.role === null) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title="My account here"
        tabTitle={`My account in ${tenant.name}`}
        description={`What you have in ${tenant.name}.`}
        actions={
          <LinkButton
            {...links.profile}
            variant="default"
            leftSection={<IconPencil size={17} aria-hidden />}
          >
            Edit my profile
          </LinkButton>
        }
      />
      {query.isPending && <LoadingRows label="Loading your account" />}
      {query.error && (
        <ErrorState
          title="Your account could not be loaded."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {member && (
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 6 }}>
            <Stack gap="lg">
              <Panel title="About you" actions={<StatusBadge {...memberMeta(member)} />}>
                <DetailList>
                  <DetailItem label="Name">{member.name}</DetailItem>
                  <DetailItem label="Signs in as">{member.email}</DetailItem>
                  <DetailItem label="Role">{roleNames[member.role]}</DetailItem>
                  <DetailItem label="Phone">{me.phone}</DetailItem>
                  <DetailItem label="Alternative e-mail">{me.alternativeEmail}</DetailItem>
                  <DetailItem label="Joined">
                    <Time at={member.joinedAt} show="both" />
                  </DetailItem>
                </DetailList>
              </Panel>
              <Panel
                title="Addresses"
                description={
                  member.mailboxAddress
                    ? 'Mail to each of them arrives in your mailbox.'
                    : undefined
                }
              >
                {member.mailboxAddress ? (
                  <Stack>
                    <div>
                      <Text size="sm" fw={550}>
                        Mailbox
                      </Text>
                      <Text size="sm">{member.mailboxAddress}</Text>
                    </div>
                    <AliasList tenant={tenant} member={member} changing={false} />
                    {!maySeeSettings(tenant.role) && (
                      <Text size="sm" c="dimmed">
                        An admin of {tenant.name} can add or remove aliases for you.
                      </Text>
                    )}
                  </Stack>
                ) : (
                  <Text size="sm" c="dimmed">
                    You have no mailbox here: mail goes to {member.email}.{' '}
                    {maySeeSettings(tenant.role)
                      ? 'Create one for yourself in your entry among the members.'
                      : `An admin of ${tenant.name} can create one for you.`}
                  </Text>
                )}
              </Panel>
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 6 }}>
            <Stack gap="lg">
              <Panel title="Systems" description="What has been set up for you.">
                <MemberSystems tenant={tenant} member={member} changing={false} />
              </Panel>
              {member.mailboxAddress && (
                <Panel
                  title="Phone and computer"
                  description="Mail, calendar and contacts in the apps that you use."
                >
                  <Group>
                    <LinkButton
                      {...links.devices(tenant.slug)}
                      variant="default"
                      leftSection={<IconDeviceMobile size={17} aria-hidden />}
                    >
                      Set up a device
                    </LinkButton>
                  </Group>
                </Panel>
              )}
            </Stack>
          </Grid.Col>
        </Grid>
      )}
    </>
  )
}
