import type { TenantView } from '@atrium/core/tenants/tenants'
import { CopyValue } from '@atrium/ui/copy'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkButton } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { Alert, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconBrandApple, IconDeviceMobile, IconLock } from '@tabler/icons-react'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import * as links from '../links.ts'
import { useOwnMembership } from '../members/use-own-membership.ts'
import { maySeeSettings } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import classes from './devices.module.css'
import { type MailSettings, mailSettingsQuery, profileAddress } from './mail-profile.ts'
import { settingsOf } from './mail-settings.ts'
import { PhoneLink } from './phone-link.tsx'

/** Brings a person's mail, calendars and contacts to their phone and computer. */
export function DevicesPage() {
  const tenant = useTenant()
  const query = useOwnMembership(tenant)
  const member = query.data
  if (tenant.role === null) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title="My devices"
        tabTitle={`My devices in ${tenant.name}`}
        description="Mail, calendars and contacts in the apps that you use anyway."
      />
      {query.isPending && <LoadingRows label="Loading your mailbox" />}
      {query.error && (
        <ErrorState
          title="Your mailbox could not be looked up."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {member && member.mailboxAddress === null && <NoMailbox tenant={tenant} />}
      {member?.mailboxAddress && member.status === 'suspended' && (
        <Alert color="yellow" icon={<IconLock aria-hidden />} mb="lg">
          Your mailbox is frozen at the moment, so no app can open it.
        </Alert>
      )}
      {member?.mailboxAddress && (
        <Devices key={tenant.id} tenant={tenant} address={member.mailboxAddress} />
      )}
    </>
  )
}

function NoMailbox({ tenant }: { tenant: TenantView }) {
  const admin = maySeeSettings(tenant.role)
  return (
    <EmptyState
      icon={<IconDeviceMobile size={32} stroke={1.5} aria-hidden />}
      title="You have no mailbox here"
      action={
        admin && (
          <LinkButton {...links.members(tenant.slug)} variant="default">
            See members
          </LinkButton>
        )
      }
    >
      {admin
        ? 'Create one for yourself in your entry among the members.'
        : `Ask an admin of ${tenant.name} to create one for you.`}
    </EmptyState>
  )
}

function Devices({ tenant, address }: { tenant: TenantView; address: string }) {
  const settings = useQuery(mailSettingsQuery)
  if (settings.error && problemOf(settings.error).code === 'integration_off') {
    return (
      <EmptyState
        icon={<IconDeviceMobile size={32} stroke={1.5} aria-hidden />}
        title="Devices cannot reach the mail server"
      >
        This installation has none that is open to devices. Ask whoever runs it.
      </EmptyState>
    )
  }
  return (
    <Stack gap="lg">
      <Panel
        title="iPhone and iPad"
        description="A profile sets up mail, calendars and contacts in one step. It holds no password."
      >
        <PhoneLink slug={tenant.slug} />
      </Panel>
      <Panel
        title="Mac"
        description="Download the profile, open it, and confirm it in System Settings under Profiles. It asks for your password once."
      >
        <Group>
          <Button
            component="a"
            href={profileAddress(tenant.slug)}
            variant="default"
            leftSection={<IconBrandApple size={18} aria-hidden />}
          >
            Download the profile
          </Button>
        </Group>
      </Panel>
      <OtherApps query={settings} address={address} />
    </Stack>
  )
}

function OtherApps({ query, address }: { query: UseQueryResult<MailSettings>; address: string }) {
  return (
    <Panel
      title="Other apps"
      description="Thunderbird, Outlook, Android and others ask for these. The password is the one that you sign in with."
    >
      {query.isPending && <LoadingRows label="Loading the settings" rows={2} />}
      {query.error && (
        <ErrorState
          title="The settings could not be loaded."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.data && (
        <SimpleGrid cols={{ base: 1, md: 3 }} spacing="lg">
          {settingsOf(query.data, address).map(({ title, hint, settings }) => (
            <section key={title} aria-label={title}>
              <Title order={3} fz="sm">
                {title}
              </Title>
              <Text size="sm" c="dimmed" mb="xs">
                {hint}
              </Text>
              <dl className={classes.settings}>
                {settings.map(({ label, value }) => (
                  <div key={label}>
                    <dt>{label}</dt>
                    <dd>
                      <CopyValue label={`${title}: ${label}`} value={value} hideLabel />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </SimpleGrid>
      )}
    </Panel>
  )
}
