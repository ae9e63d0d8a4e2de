import type {
  WebhookEndpointView,
  WebhookEndpointWithSecret,
} from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { actionLabel } from '@atrium/ui/audit-actions'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { translations } from '@atrium/ui/messages'
import { SideDrawer } from '@atrium/ui/side-drawer'
import { Time } from '@atrium/ui/time'
import { Stack, Title } from '@mantine/core'
import { DeliveryLog } from './delivery-log.tsx'
import { EndpointActions } from './endpoint-actions.tsx'
import { EndpointState } from './endpoint-state.tsx'

const t = translations('portal.webhooks')

interface Props {
  slug: string
  /** Undefined while the drawer is closed. */
  endpoint: WebhookEndpointView | undefined
  onClose: () => void
  onSecret: (endpoint: WebhookEndpointWithSecret) => void
}

/** One endpoint with its log. */
export function EndpointDrawer({ slug, endpoint, onClose, onSecret }: Props) {
  return (
    <SideDrawer
      opened={endpoint !== undefined}
      onClose={onClose}
      title={endpoint ? hostOf(endpoint) : ''}
      size="xl"
    >
      {endpoint && (
        <Stack>
          <DetailList>
            <DetailItem label={t('form.url')}>
              <span style={{ overflowWrap: 'anywhere' }}>{endpoint.url}</span>
            </DetailItem>
            <DetailItem label={t('form.description')}>{endpoint.description}</DetailItem>
            <DetailItem label={t('columns.state')}>
              <EndpointState {...endpoint} />
            </DetailItem>
            <DetailItem label={t('columns.types')}>
              {endpoint.types.length === 0
                ? t('allEvents')
                : endpoint.types.map((type) => actionLabel(type, 'workplace')).join(', ')}
            </DetailItem>
            {endpoint.failingSince && (
              <DetailItem label={t('failingSince')}>
                <Time at={endpoint.failingSince} show="both" />
              </DetailItem>
            )}
            {endpoint.previousSecretEndsAt && (
              <DetailItem label={t('previousSecret')}>
                <Time at={endpoint.previousSecretEndsAt} show="both" />
              </DetailItem>
            )}
          </DetailList>
          <EndpointActions
            slug={slug}
            endpoint={endpoint}
            onSecret={onSecret}
            onRemoved={onClose}
          />
          <Title order={3} size="h4">
            {t('log')}
          </Title>
          <DeliveryLog key={endpoint.id} slug={slug} id={endpoint.id} />
        </Stack>
      )}
    </SideDrawer>
  )
}

/** The host of an endpoint's address, which people know it by. */
export const hostOf = ({ url }: Pick<WebhookEndpointView, 'url'>) => new URL(url).host
