import type { ServiceTokenKind } from '@atrium/core/service-tokens/scopes'
import type {
  CreateWebhookEndpoint,
  ListWebhookDeliveries,
  ReplayEvents,
  ReplayedEvents,
  RotateWebhookSecret,
  UpdateWebhookEndpoint,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookEndpointWithSecret,
} from '@atrium/core/webhook-endpoints/webhook-endpoints'
import type { QueryKey, UseQueryOptions } from '@tanstack/react-query'

export type EndpointValues = Pick<CreateWebhookEndpoint, 'url' | 'description' | 'types'>

/** The calls of the app that shows the webhook endpoints of one owner. */
export interface EndpointSource<Failure, Key extends QueryKey> {
  /** Whose endpoints they are. */
  kind: ServiceTokenKind
  deliveries: (
    page: ListWebhookDeliveries,
  ) => UseQueryOptions<WebhookDeliveryPage, Failure, WebhookDeliveryPage, Key>
  create: (endpoint: EndpointValues) => Promise<WebhookEndpointWithSecret>
  update: (change: UpdateWebhookEndpoint) => Promise<unknown>
  rotate: (rotation: RotateWebhookSecret) => Promise<WebhookEndpointWithSecret>
  remove: (id: string) => Promise<unknown>
  test: (id: string) => Promise<WebhookDelivery>
  replay: (events: ReplayEvents) => Promise<ReplayedEvents>
}
