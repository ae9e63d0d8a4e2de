import { toEventView } from '@atrium/api/events/view'
import { eventName } from '@atrium/api/http/openapi-events'
import { type AuditAction, auditActions } from '@atrium/core/audit/audit'
import { eventTypes, exactEventSchema } from '@atrium/core/events/event-types'
import type { EventView } from '@atrium/core/events/events'
import { listEvents } from '@atrium/db/events/events'
import type { Database } from '@atrium/db/platform/connect'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { z } from 'zod'
import { apiDescription } from './documented.ts'

const validators = new Map<string, ValidateFunction>()
let compiler: Ajv2020 | undefined

/** Created with the first event, once per process. */
function schemas(): Ajv2020 {
  if (compiler) return compiler
  compiler = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(compiler)
  return compiler.addSchema({ $id: 'atrium', ...apiDescription() })
}

/** The JSON Schema of a component of the API's description, for any message. */
export function validatorOf(component: string): ValidateFunction {
  const known = validators.get(component)
  if (known) return known
  const validate = schemas().compile({ $ref: `atrium#/components/schemas/${component}` })
  validators.set(component, validate)
  return validate
}

/**
 * Every event of a database, as the platform reads it: also those that readers do not get yet
 * because a transaction of another test is open.
 */
export async function everyEvent(database: Database): Promise<EventView[]> {
  const reader = { kind: 'platform' } as const
  const until = `${2n ** 64n - 1n}-0-0`
  const rows = await listEvents(database.db, reader, { after: undefined, until, limit: 10_000 })
  return rows.map((row) => toEventView(row, reader))
}

const isAction = (type: string): type is AuditAction =>
  auditActions.some((action) => action === type)

/** What events say that their types do not, or the other way around. */
export function faultsOfEvents(events: readonly EventView[]): string[] {
  return [...new Set(events.flatMap(faultsOf))]
}

const exactSchemas = new Map<AuditAction, ReturnType<typeof exactEventSchema>>()

function faultsOf(event: EventView): string[] {
  const { type, data } = event
  if (!isAction(type)) return [`${type} is no type of event`]
  const schema = exactSchemas.get(type) ?? exactEventSchema(type)
  exactSchemas.set(type, schema)
  // One that was too large has none of its details.
  const { error } = 'truncated' in data.details ? {} : schema.safeParse(event)
  const faults = error ? [`${type}: ${z.prettifyError(error)}`] : []
  const changed = Object.keys(data.changes).length > 0
  if (changed && Object.keys(eventTypes[type].changes).length === 0)
    faults.push(`${type} has changes: ${JSON.stringify(data.changes)}`)
  return faults
}

/** The same for every event of a database but those of the types that a test writes itself. */
export async function faultsOfDatabase(
  database: Database,
  own: true | readonly AuditAction[] = [],
): Promise<string[]> {
  if (own === true) return []
  const ownTypes: readonly string[] = own
  const events = await everyEvent(database)
  return faultsOfEvents(events.filter(({ type }) => !ownTypes.includes(type)))
}

/** What events say that the description of the API does not. Compiles a schema for each type. */
export function undescribedEvents(events: readonly EventView[]): string[] {
  const faults = events.flatMap((event) => {
    const { type } = event
    const fits = validatorOf(eventName(type))
    return fits(event) ? [] : [`${type}: ${schemas().errorsText(fits.errors)}`]
  })
  return [...new Set(faults)]
}
