import type { components } from './generated/openapi.ts'

/**
 * One change, as `GET /events` returns it. `type` tells the types apart. A release of the API that
 * is newer than this package may have more: treat a type that you do not know like no event.
 */
export type AtriumEvent = components['schemas']['Event']

/** The name of a type of event, such as `member.created`. */
export type EventType = AtriumEvent['type']

/** The events of one type. */
export type EventOf<Type extends EventType> = Extract<AtriumEvent, { type: Type }>

/** What a webhook endpoint receives: an event, or the test of the endpoint. */
export type WebhookMessage = AtriumEvent | components['schemas']['WebhookTestEvent']
