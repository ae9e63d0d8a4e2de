import type {
  WebhookEndpointView,
  WebhookEndpointWithSecret,
} from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { Stack, Title } from '@mantine/core'
import type { QueryKey } from '@tanstack/react-query'
import { DetailItem, DetailList } from '../detail-list.tsx'
import { translations } from '../messages.ts'
import { SideDrawer } from '../side-drawer.tsx'
import { Time } from '../time.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { EndpointActions } from './endpoint-actions.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { eventLabel } from './event-types.ts'
import type { EndpointSource } from './source.ts'

const t = translations('ui.webhook-endpoints')

interface Props<Failure, Key extends QueryKey> {
  source: EndpointSource<Failure, Key>
  /** Undefined while the drawer is closed. */
  endpoint: WebhookEndpointView | undefined
  onClose: () => void
  onSecret: (endpoint: WebhookEndpointWithSecret) => void
}

/** One endpoint with its log. */
export function EndpointDrawer<Failure, Key extends QueryKey>({
  source,
  endpoint,
  onClose,
  onSecret,
}: Props<Failure, Key>) {
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
                : endpoint.types.map((type) => eventLabel(type, source.kind)).join(', ')}
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
            source={source}
            endpoint={endpoint}
            onSecret={onSecret}
            onRemoved={onClose}
          />
          <Title order={3} size="h4">
            {t('log')}
          </Title>
          <DeliveryLog key={endpoint.id} source={source} id={endpoint.id} />
        </Stack>
      )}
    </SideDrawer>
  )
}

/** The host of an endpoint's address, which people know it by. */
export const hostOf = ({ url }: Pick<WebhookEndpointView, 'url'>) => new URL(url).host
