import { toEventView } from '@atrium/api/events/list'
import { openApiDocument } from '@atrium/api/http/openapi'
import { eventName } from '@atrium/api/http/openapi-events'
import { type AuditAction, auditActions } from '@atrium/core/audit/audit'
import { eventTypes, exactEventSchema } from '@atrium/core/events/event-types'
import type { EventView } from '@atrium/core/events/events'
import { endOfEvents, listEvents } from '@atrium/db/events/events'
import type { Database } from '@atrium/db/platform/connect'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { z } from 'zod'

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema({ $id: 'atrium', ...openApiDocument('0.0.0', '/') })
const validators = new Map<string, ValidateFunction>()

/** The JSON Schema of a component of the API's description, for any message. */
export function validatorOf(component: string): ValidateFunction {
  return known(component, () => ajv.compile({ $ref: `atrium#/components/schemas/${component}` }))
}

/** Without details that are missing or that the description does not have. */
const exactValidatorOf = (type: AuditAction) =>
  known(`exact ${type}`, () => ajv.compile(z.toJSONSchema(exactEventSchema(type))))

function known(name: string, compile: () => ValidateFunction): ValidateFunction {
  const validate = validators.get(name) ?? compile()
  validators.set(name, validate)
  return validate
}

/** Every event of a database, as the platform reads it. */
export async function everyEvent(database: Database): Promise<EventView[]> {
  const reader = { kind: 'platform' } as const
  const until = await endOfEvents(database.db)
  const rows = await listEvents(database.db, reader, { after: undefined, until, limit: 10_000 })
  return rows.map((row) => toEventView(row, reader))
}

const isAction = (type: string): type is AuditAction =>
  auditActions.some((action) => action === type)

/** What events say that the description of the API does not, or the other way around. */
export function faultsOfEvents(events: readonly EventView[]): string[] {
  return [...new Set(events.flatMap(faultsOf))]
}

function faultsOf(event: EventView): string[] {
  const { type, data } = event
  if (!isAction(type)) return [`${type} is no type of event`]
  const validate = [validatorOf(eventName(type))]
  if (!('truncated' in data.details)) validate.push(exactValidatorOf(type))
  const faults = validate.flatMap((fits) =>
    fits(event) ? [] : [`${type}: ${ajv.errorsText(fits.errors)}`],
  )
  const changed = Object.keys(data.changes).length > 0
  if (changed && Object.keys(eventTypes[type].changes).length === 0)
    faults.push(`${type} has changes: ${JSON.stringify(data.changes)}`)
  return faults
}
