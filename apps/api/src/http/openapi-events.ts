import { type AuditAction, auditActions } from '@atrium/core/audit/audit'
import { eventRecords, isRecordKind, recordDescription } from '@atrium/core/events/event-records'
import { type EventResource, resourceReads } from '@atrium/core/events/event-type'
import {
  eventChanges,
  eventDetails,
  eventTypes,
  neededDetails,
} from '@atrium/core/events/event-types'
import { EventView } from '@atrium/core/events/events'
import { testEventType } from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { auditActionName } from '@atrium/messages/audit-action-names'
import { z } from 'zod'
import type { ApiDocument, Parameter, Schema, Webhook } from './openapi-document.ts'
import { type Components, toSchema } from './openapi-schema.ts'
import { exampleOf } from './reference/examples.ts'

/** Where a schema of the components is found. */
const componentPath = '#/components/schemas/'

/**
 * The types of events: a component for each, `Event` as one of them, and what an endpoint receives
 * (`webhooks`).
 */
export function describeEvents(components: Components): ApiDocument['webhooks'] {
  Object.assign(components.parameters, headers)
  components.responses.WebhookAccepted = { description: 'The endpoint accepts the message' }
  const types = auditActions.toSorted()
  toSchema(EventView, 'output', components)
  const envelope = components.schemas.Event as Fields
  for (const type of types)
    components.schemas[eventName(type)] = describeType(type, envelope, components)
  const references = types.map((type) => [type, `${componentPath}${eventName(type)}`] as const)
  components.schemas.Event = {
    description: 'One change. A type that is not known here may be added by any release.',
    oneOf: references.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(references) },
  }
  const testEvent = toSchema(TestEvent, 'output', components)
  components.schemas.WebhookTestEvent = testEvent
  const webhooks = types.map((type) => {
    const name = eventName(type)
    const least = withDetails(components.schemas[name] ?? {}, neededDetails(type))
    return [type, webhookOf(type, descriptionOf(type), name, least, components)] as const
  })
  const test = webhookOf(
    testEventType,
    'Sent when somebody tests an endpoint. It is in no list of events.',
    'WebhookTestEvent',
    testEvent,
    components,
  )
  return Object.fromEntries(
    [...webhooks, [testEventType, test] as const].map(([type, post]) => [type, { post }]),
  )
}

/** `MemberCreatedEvent` of `member.created`. */
export const eventName = (type: string) => `${pascal(type)}Event`

const pascal = (text: string) =>
  text.replace(/(?:^|[_.])(\w)/g, (_, letter: string) => letter.toUpperCase())

const TestEvent = EventView.omit({ cursor: true }).extend({
  type: z.literal(testEventType),
  data: EventView.shape.data.pick({ tenant: true, partner: true }),
})

type Fields = { properties: Readonly<Record<string, Schema>> }

/** What all types have alike is a component, or the description would be a sixth larger. */
function describeType(type: AuditAction, envelope: Fields, components: Components): Schema {
  const data = envelope.properties.data as Fields
  const { resources, changes } = eventTypes[type]
  const changed = toSchema(eventChanges, 'output', components)
  const own = {
    resource: referTo(resources, data.properties.resource as Fields, components),
    changes: Object.keys(changes).length === 0 ? changed : { ...changed, examples: [changes] },
    details: toSchema(eventDetails(type), 'output', components),
    record: describeRecord(resources, components),
  }
  return {
    ...envelope,
    properties: {
      ...envelope.properties,
      type: { type: 'string', const: type },
      data: { ...data, properties: { ...data.properties, ...own } },
    },
  }
}

/** `MemberReference` for `data.resource` of events about members. */
function referTo(
  resources: readonly EventResource[],
  resource: Fields,
  { schemas }: Components,
): Schema {
  const name = `${resources.map(pascal).join('Or')}Reference`
  schemas[name] ??= {
    ...resource,
    properties: { ...resource.properties, type: { type: 'string', enum: resources } },
  }
  return { $ref: `${componentPath}${name}` }
}

/** `data.record` of events about these kinds of records, with a component for each kind. */
function describeRecord(kinds: readonly EventResource[], components: Components): Schema {
  const { schemas } = components
  const references = kinds.filter(isRecordKind).map((kind) => {
    const name = `${pascal(kind)}Record`
    schemas[name] ??= toSchema(eventRecords[kind].view, 'output', components)
    return { $ref: `${componentPath}${name}` }
  })
  return { description: recordDescription, anyOf: [...references, { type: 'null' }] }
}

/** The schema of an event with these details alone. */
function withDetails(schema: Schema, names: readonly string[]): Schema {
  const { properties } = schema as Fields
  const data = properties.data as Fields
  const details = data.properties.details as Fields
  const kept = Object.entries(details.properties).filter(([name]) => names.includes(name))
  const least = { ...details, properties: Object.fromEntries(kept) }
  return {
    ...schema,
    properties: {
      ...properties,
      data: { ...data, properties: { ...data.properties, details: least } },
    },
  }
}

/** What an event is about, and where that is read. */
function descriptionOf(type: AuditAction): string {
  const paths = eventTypes[type].resources.flatMap((resource) => resourceReads[resource])
  if (paths.length === 0) return 'The event has everything that is known of it.'
  const operations = paths.map((path) => `\`GET ${path}\``).join(' or ')
  return eventTypes[type].resources.some(isRecordKind)
    ? `\`data.record\` is the record, as ${operations} returns it.`
    : `The event names its record and what changed. Read the record with ${operations}.`
}

function webhookOf(
  type: string,
  description: string,
  component: string,
  example: Schema,
  { schemas }: Components,
): Webhook {
  return {
    operationId: `event-${type.replace('.', '-')}`,
    summary: type === testEventType ? 'Test of an endpoint' : auditActionName(type),
    description,
    tags: ['events'],
    security: [],
    parameters: Object.keys(headers).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: `${componentPath}${component}` },
          example: exampleOf({ components: { schemas } }, example),
        },
      },
    },
    responses: { '2XX': { $ref: '#/components/responses/WebhookAccepted' } },
  }
}

const header = (name: string, description: string, schema: Schema): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
})

const headers: Readonly<Record<string, Parameter>> = {
  WebhookId: header('webhook-id', 'The id of the event, equal in every delivery', {
    type: 'string',
    format: 'uuid',
  }),
  WebhookTimestamp: header('webhook-timestamp', 'When it was sent, in seconds since 1970', {
    type: 'string',
    pattern: '^[0-9]+$',
  }),
  WebhookSignature: header(
    'webhook-signature',
    'Signatures by the Standard Webhooks specification, separated by spaces',
    { type: 'string' },
  ),
}
