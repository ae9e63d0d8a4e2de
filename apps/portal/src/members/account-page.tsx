import { QueryState } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Grid, Group, Stack, Text } from '@mantine/core'
import { IconDeviceMobile, IconPencil } from '@tabler/icons-react'
import * as links from '../links.ts'
import { useProfile } from '../profile/use-profile.ts'
import { maySeeSettings } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { AliasList } from './alias-list.tsx'
import { memberMeta } from './member-status-meta.ts'
import { MemberSystems } from './member-systems.tsx'
import { useOwnMembership } from './use-own-membership.ts'

const t = translations('portal.members')
const labels = translations('ui.labels')

/**
 * A person's resources in a workplace: addresses, mailbox, sign-in and files. For everyone, admin
 * or not.
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
        title={t('account.title')}
        tabTitle={t('account.tabTitle', { tenant: tenant.name })}
        description={t('account.description', { tenant: tenant.name })}
        actions={
          <LinkButton
            {...links.profile}
            variant="default"
            leftSection={<IconPencil size={17} aria-hidden />}
          >
            {t('account.editProfile')}
          </LinkButton>
        }
      />
      <QueryState query={query} loading={t('account.loading')} failed={t('account.loadFailed')} />
      {member && (
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 6 }}>
            <Stack gap="lg">
              <Panel title={t('account.about')} actions={<StatusBadge {...memberMeta(member)} />}>
                <DetailList>
                  <DetailItem label={t('account.name')}>{member.name}</DetailItem>
                  <DetailItem label={t('account.email')}>{member.email}</DetailItem>
                  <DetailItem label={t('fields.role')}>{labels(`roles.${member.role}`)}</DetailItem>
                  <DetailItem label={t('fields.phone')}>{me.phone}</DetailItem>
                  <DetailItem label={t('fields.alternativeEmail')}>
                    {me.alternativeEmail}
                  </DetailItem>
                  <DetailItem label={t('table.joined')}>
                    <Time at={member.joinedAt} show="both" />
                  </DetailItem>
                </DetailList>
              </Panel>
              <Panel
                title={t('details.parts.addresses')}
                description={member.mailboxAddress ? t('account.addressesHint') : undefined}
              >
                {member.mailboxAddress ? (
                  <Stack>
                    <div>
                      <Text size="sm" fw={550}>
                        {t('mailbox.title')}
                      </Text>
                      <Text size="sm">{member.mailboxAddress}</Text>
                    </div>
                    <AliasList tenant={tenant} member={member} changing={false} />
                    {!maySeeSettings(tenant.role) && (
                      <Text size="sm" c="dimmed">
                        {t('account.aliasesHint', { tenant: tenant.name })}
                      </Text>
                    )}
                  </Stack>
                ) : (
                  <Text size="sm" c="dimmed">
                    {maySeeSettings(tenant.role)
                      ? t('account.noMailboxOwn', { email: member.email })
                      : t('account.noMailbox', { email: member.email, tenant: tenant.name })}
                  </Text>
                )}
              </Panel>
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 6 }}>
            <Stack gap="lg">
              <Panel title={t('details.parts.systems')} description={t('account.systemsHint')}>
                <MemberSystems tenant={tenant} member={member} changing={false} />
              </Panel>
              {member.mailboxAddress && (
                <Panel
                  title={t('account.devices.title')}
                  description={t('account.devices.description')}
                >
                  <Group>
                    <LinkButton
                      {...links.devices(tenant.slug)}
                      variant="default"
                      leftSection={<IconDeviceMobile size={17} aria-hidden />}
                    >
                      {t('account.devices.action')}
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
