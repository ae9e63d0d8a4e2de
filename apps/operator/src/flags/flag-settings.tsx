import type { FlagView } from '@atrium/core/flags/flags'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { LinkAnchor } from '@atrium/ui/links'
import { Panel } from '@atrium/ui/panel'
import { planName } from '@atrium/ui/subscription-status-meta'
import { Time } from '@atrium/ui/time'
import { Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { EditAbout, EditConditions, EditRollout, EditTargeting } from './edit-flag.tsx'
import { RemoveFlagPanel } from './flag-actions.tsx'
import { GuardsPanel } from './flag-guards.tsx'
import { GoesBy } from './goes-by.tsx'
import { reachSentence } from './labels.ts'

interface Props {
  flag: FlagView
}

/** Everything that is decided about a flag, each part with its own form. */
export function FlagSettingsTab({ flag }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Stack gap="lg">
        <RolloutPanel flag={flag} />
        <GuardsPanel flag={flag} />
        <Panel
          title="Lists"
          description="Who is let in or kept out by name."
          actions={<EditTargeting flag={flag} />}
        >
          <DetailList>
            <DetailItem label="Allowed tenants">
              {flag.allowTenants.length > 0 ? <TenantLinks slugs={flag.allowTenants} /> : null}
            </DetailItem>
            <DetailItem label="Allowed partners">{flag.allowPartners.join(', ')}</DetailItem>
            <DetailItem label="Allowed plans">
              {flag.allowPlans.map((plan) => planName(plan)).join(', ')}
            </DetailItem>
            <DetailItem label="Denied tenants">
              {flag.denyTenants.length > 0 ? <TenantLinks slugs={flag.denyTenants} /> : null}
            </DetailItem>
          </DetailList>
        </Panel>
      </Stack>
      <Stack gap="lg">
        <Panel
          title="Conditions"
          description="When it can be on at all."
          actions={<EditConditions flag={flag} />}
        >
          <DetailList>
            <DetailItem label="Prerequisites">
              {flag.prerequisites.length === 0 ? null : (
                <Stack gap={2}>
                  {flag.prerequisites.map((one) => (
                    <span key={one.key}>
                      <FlagLink name={one.key} /> must be {one.value ? 'on' : 'off'}
                    </span>
                  ))}
                </Stack>
              )}
            </DetailItem>
            <DetailItem label="Begins">
              {flag.enabledFrom && <Time at={flag.enabledFrom} show="both" />}
            </DetailItem>
            <DetailItem label="Ends">
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
    <Panel title="Rollout" actions={<EditRollout flag={flag} />}>
      <Stack gap="xs">
        <Progress value={share} size="lg" aria-label={`On for ${share} percent of the tenants`} />
        <Text size="sm">{reachSentence(flag.state, flag.percentage)}</Text>
        <Text size="sm" c="dimmed">
          {flag.note} ({flag.updatedBy ?? 'the platform'}, <Time at={flag.updatedAt} />)
        </Text>
      </Stack>
    </Panel>
  )
}

function AboutPanel({ flag }: Props) {
  return (
    <Panel title="About" actions={<EditAbout flag={flag} />}>
      <DetailList>
        <DetailItem label="Description">{flag.description}</DetailItem>
        <DetailItem label="Owner">{flag.owner}</DetailItem>
        <DetailItem label="Expected to go by">
          {flag.staleAfter && <GoesBy day={flag.staleAfter} />}
        </DetailItem>
        <DetailItem label="Last asked for by name">
          {flag.lastAskedAt ? <Time at={flag.lastAskedAt} show="both" /> : 'Never'}
        </DetailItem>
        <DetailItem label="Needed by">
          {flag.requiredBy.length === 0 ? null : (
            <Group gap={6}>
              {flag.requiredBy.map((key) => (
                <FlagLink key={key} name={key} />
              ))}
            </Group>
          )}
        </DetailItem>
        {flag.salt !== null && <DetailItem label="Salt of the rollout">{flag.salt}</DetailItem>}
        <DetailItem label="Version">{flag.version}</DetailItem>
        <DetailItem label="Created">
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
          and {slugs.length - linked} more
        </Text>
      )}
    </Group>
  )
}
