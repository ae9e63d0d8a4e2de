import type { GrantView } from '@atrium/core/access-grants/access-grants'
import { Badge, Card, Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { grantMeta, holderName, scopesLabel } from './access-grant-labels.ts'
import { DetailItem, DetailList } from './detail-list.tsx'
import { formatDay } from './format.ts'
import { translations } from './messages.ts'
import { StatusBadge } from './status-badge.tsx'
import { Time } from './time.tsx'

const t = translations('ui.access-grants')

interface Props {
  grant: GrantView
  /** Names the workplace instead of the person: in lists over several of them. */
  showTenant?: boolean
  /** Level of the heading: 2 where no panel is around the card. */
  order?: 2 | 3
  /** Buttons. */
  actions?: ReactNode
}

/** A request for access, or an access, with everything that is decided by. */
export function AccessGrantCard({ grant, showTenant = false, order = 3, actions }: Props) {
  const id = useId()
  const { holder, partner, status, declineReason, endedAt, ending } = grant
  const organisation = partner?.name ?? t('operator')
  return (
    <Card component="article" aria-labelledby={id} withBorder>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Title order={order} size="h4" id={id}>
            {showTenant ? grant.tenantName : holderName(grant)}
          </Title>
          <Group gap="xs">
            {grant.kind === 'break_glass' && (
              <Badge color="red" variant="light">
                {t('emergency')}
              </Badge>
            )}
            <StatusBadge {...grantMeta(status)} />
          </Group>
        </Group>
        <DetailList>
          <DetailItem label={t('fields.who')}>
            {holder ? `${holder.name} (${holder.email}), ${organisation}` : organisation}
          </DetailItem>
          <DetailItem label={t('fields.reason')}>{grant.reason}</DetailItem>
          <DetailItem label={t('fields.role')}>{t(`roles.${grant.role}`)}</DetailItem>
          <DetailItem label={t('fields.areas')}>{scopesLabel(grant.scopes)}</DetailItem>
          <DetailItem label={t('fields.requested')}>
            <Time at={grant.requestedAt} show="absolute" />
          </DetailItem>
          {status === 'pending' && (
            <DetailItem label={t('fields.decideBy')}>{formatDay(grant.expiresAt)}</DetailItem>
          )}
          {status !== 'ended' && (
            <DetailItem label={t(status === 'active' ? 'fields.until' : 'fields.wanted')}>
              <Time at={grant.endsAt} show="absolute" />
            </DetailItem>
          )}
          {grant.decidedBy && (
            <DetailItem label={t(status === 'declined' ? 'fields.declined' : 'fields.decided')}>
              {grant.decidedBy}
            </DetailItem>
          )}
          {declineReason && (
            <DetailItem label={t('fields.declineReason')}>{declineReason}</DetailItem>
          )}
          {endedAt && ending && status !== 'declined' && (
            <DetailItem label={t('fields.over')}>
              <Text inherit span>
                {t('fields.overHow', { day: formatDay(endedAt), how: t(`endings.${ending}`) })}
              </Text>
            </DetailItem>
          )}
        </DetailList>
        {actions && <Group gap="xs">{actions}</Group>}
      </Stack>
    </Card>
  )
}
