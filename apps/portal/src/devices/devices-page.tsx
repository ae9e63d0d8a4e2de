import type { TenantView } from '@atrium/core/tenants/tenants'
import { CopyValue } from '@atrium/ui/copy'
import { EmptyState, QueryState } from '@atrium/ui/data-states'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
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

const t = translations('portal.devices')

/** Brings a person's mail, calendars and contacts to their phone and computer. */
export function DevicesPage() {
  const tenant = useTenant()
  const query = useOwnMembership(tenant)
  const member = query.data
  if (tenant.role === null) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={t('description')}
      />
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      {member && member.mailboxAddress === null && <NoMailbox tenant={tenant} />}
      {member?.mailboxAddress && member.status === 'suspended' && (
        <Alert color="yellow" icon={<IconLock aria-hidden />} mb="lg">
          {t('frozen')}
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
      title={t('noMailbox.title')}
      action={
        admin && (
          <LinkButton {...links.members(tenant.slug)} variant="default">
            {t('noMailbox.members')}
          </LinkButton>
        )
      }
    >
      {admin ? t('noMailbox.ownHint') : t('noMailbox.adminHint', { tenant: tenant.name })}
    </EmptyState>
  )
}

function Devices({ tenant, address }: { tenant: TenantView; address: string }) {
  const settings = useQuery(mailSettingsQuery)
  if (settings.error && problemOf(settings.error).code === 'integration_off') {
    return (
      <EmptyState
        icon={<IconDeviceMobile size={32} stroke={1.5} aria-hidden />}
        title={t('unavailable.title')}
      >
        {t('unavailable.hint')}
      </EmptyState>
    )
  }
  return (
    <Stack gap="lg">
      <Panel title={t('phone.title')} description={t('phone.description')}>
        <PhoneLink slug={tenant.slug} />
      </Panel>
      <Panel title={t('mac.title')} description={t('mac.description')}>
        <Group>
          <Button
            component="a"
            href={profileAddress(tenant.slug)}
            variant="default"
            leftSection={<IconBrandApple size={18} aria-hidden />}
          >
            {t('mac.download')}
          </Button>
        </Group>
      </Panel>
      <OtherApps query={settings} address={address} />
    </Stack>
  )
}

function OtherApps({ query, address }: { query: UseQueryResult<MailSettings>; address: string }) {
  return (
    <Panel title={t('other.title')} description={t('other.description')}>
      <QueryState
        query={query}
        loading={t('other.loading')}
        failed={t('other.loadFailed')}
        rows={2}
      />
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
                      <CopyValue
                        label={t('other.copy', { group: title, setting: label })}
                        value={value}
                        hideLabel
                      />
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
