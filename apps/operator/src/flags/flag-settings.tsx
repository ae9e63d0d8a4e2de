import type { FlagView } from '@atrium/core/flags/flags'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatPercent } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { planName } from '@atrium/ui/subscription-status-meta'
import { Time } from '@atrium/ui/time'
import { Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { EditAbout, EditConditions, EditRollout, EditTargeting } from './edit-flag.tsx'
import { RemoveFlagPanel } from './flag-actions.tsx'
import { GuardsPanel } from './flag-guards.tsx'
import { GoesBy } from './goes-by.tsx'
import { reachSentence } from './labels.ts'

const t = translations('operator.flags')

interface Props {
  flag: FlagView
}

/** The settings of a flag, each part with its own form. */
export function FlagSettingsTab({ flag }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Stack gap="lg">
        <RolloutPanel flag={flag} />
        <GuardsPanel flag={flag} />
        <Panel
          title={t('settings.lists.title')}
          description={t('settings.lists.hint')}
          actions={<EditTargeting flag={flag} />}
        >
          <DetailList>
            <DetailItem label={t('fields.allowTenants')}>
              {flag.allowTenants.length > 0 ? <TenantLinks slugs={flag.allowTenants} /> : null}
            </DetailItem>
            <DetailItem label={t('fields.allowPartners')}>
              {flag.allowPartners.join(', ')}
            </DetailItem>
            <DetailItem label={t('fields.allowPlans')}>
              {flag.allowPlans.map((plan) => planName(plan)).join(', ')}
            </DetailItem>
            <DetailItem label={t('fields.denyTenants')}>
              {flag.denyTenants.length > 0 ? <TenantLinks slugs={flag.denyTenants} /> : null}
            </DetailItem>
          </DetailList>
        </Panel>
      </Stack>
      <Stack gap="lg">
        <Panel
          title={t('settings.conditions.title')}
          description={t('settings.conditions.hint')}
          actions={<EditConditions flag={flag} />}
        >
          <DetailList>
            <DetailItem label={t('fields.prerequisites')}>
              {flag.prerequisites.length === 0 ? null : (
                <Stack gap={2}>
                  {flag.prerequisites.map((one) => (
                    <span key={one.key}>
                      {t.rich(one.value ? 'settings.mustBeOn' : 'settings.mustBeOff', {
                        flag: () => <FlagLink name={one.key} />,
                      })}
                    </span>
                  ))}
                </Stack>
              )}
            </DetailItem>
            <DetailItem label={t('fields.enabledFrom')}>
              {flag.enabledFrom && <Time at={flag.enabledFrom} show="both" />}
            </DetailItem>
            <DetailItem label={t('fields.enabledUntil')}>
              {flag.enabledUntil && <Time at={flag.enabledUntil} show="both" />}
            </DetailItem>
          </DetailList>
        </Panel>
        <AboutPanel flag={flag} />
        <RemoveFlagPanel flag={flag} />
      </Stack>
    </SimpleGrid>
  )
}

function RolloutPanel({ flag }: Props) {
  const share = flag.state === 'on' ? 100 : flag.state === 'off' ? 0 : flag.percentage
  return (
    <Panel title={t('settings.rollout')} actions={<EditRollout flag={flag} />}>
      <Stack gap="xs">
        <Progress
          value={share}
          size="lg"
          aria-label={t('settings.rolloutShare', { percent: formatPercent(share) })}
        />
        <Text size="sm">{reachSentence(flag.state, flag.percentage)}</Text>
        <Text size="sm" c="dimmed">
          {t.rich('settings.lastChange', {
            note: flag.note,
            by: flag.updatedBy ?? t('settings.platform'),
            time: () => <Time at={flag.updatedAt} />,
          })}
        </Text>
      </Stack>
    </Panel>
  )
}

function AboutPanel({ flag }: Props) {
  return (
    <Panel title={t('settings.about')} actions={<EditAbout flag={flag} />}>
      <DetailList>
        <DetailItem label={t('fields.description')}>{flag.description}</DetailItem>
        <DetailItem label={t('fields.owner')}>{flag.owner}</DetailItem>
        <DetailItem label={t('fields.staleAfter')}>
          {flag.staleAfter && <GoesBy day={flag.staleAfter} />}
        </DetailItem>
        <DetailItem label={t('settings.lastRequested')}>
          {flag.lastAskedAt ? <Time at={flag.lastAskedAt} show="both" /> : t('settings.never')}
        </DetailItem>
        <DetailItem label={t('settings.requiredBy')}>
          {flag.requiredBy.length === 0 ? null : (
            <Group gap={6}>
              {flag.requiredBy.map((key) => (
                <FlagLink key={key} name={key} />
              ))}
            </Group>
          )}
        </DetailItem>
        {flag.salt !== null && <DetailItem label={t('settings.salt')}>{flag.salt}</DetailItem>}
        <DetailItem label={t('settings.version')}>{flag.version}</DetailItem>
        <DetailItem label={t('settings.created')}>
          <Time at={flag.createdAt} show="both" />
        </DetailItem>
      </DetailList>
    </Panel>
  )
}

function FlagLink({ name }: { name: string }) {
  return (
    <LinkAnchor to="/flags/$key" params={{ key: name }} fz="inherit">
      {name}
    </LinkAnchor>
  )
}

const linked = 20

function TenantLinks({ slugs }: { slugs: readonly string[] }) {
  return (
    <Group gap="4px 10px">
      {slugs.slice(0, linked).map((slug) => (
        <LinkAnchor key={slug} to="/tenants/$slug" params={{ slug }} fz="inherit">
          {slug}
        </LinkAnchor>
      ))}
      {slugs.length > linked && (
        <Text span inherit c="dimmed">
          {t('settings.more', { count: slugs.length - linked })}
        </Text>
      )}
    </Group>
  )
}
