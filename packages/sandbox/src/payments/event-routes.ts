import { taken } from './delivery.ts'
import { invalid } from './faults.ts'
import { flag, list, text } from './form.ts'
import type { EventRecord } from './records.ts'
import { type ApiRequest, createdWithin, firstId, type Handlers, pageOf } from './request.ts'

/** Stripe lists and retrieves events of the last 30 days. */
const keptSeconds = 30 * 86_400
const mostTypes = 20

export const eventRoutes: Handlers = {
  'GET /v1/events/:id': (world, request) =>
    JSON.parse(world.store.events.get(firstId(request)).body),
  'GET /v1/events': (world, request) => {
    const ofType = typeFilter(request)
    const within = createdWithin(request)
    const delivered = flag(request.form, 'delivery_success')
    const oldest = world.now() - keptSeconds
    const rows = world.store.events
      .all()
      .filter(
        (one) =>
          one.created >= oldest &&
          ofType(one) &&
          within(one) &&
          (delivered === undefined || delivered === taken(one)),
      )
    return pageOf(rows, request, '/v1/events', (one) => JSON.parse(one.body))
  },
}

function typeFilter({ form }: ApiRequest): (event: EventRecord) => boolean {
  const type = text(form, 'type')
  const types = list(form, 'types')
  if (type !== undefined && types.length > 0)
    throw invalid('You may only specify one of these parameters: type, types.', { param: 'type' })
  if (types.length > mostTypes)
    throw invalid(`You may only specify up to ${mostTypes} types.`, { param: 'types' })
  if (types.length > 0) return (event) => types.includes(event.type)
  if (type?.endsWith('*')) return (event) => event.type.startsWith(type.slice(0, -1))
  return (event) => type === undefined || event.type === type
}
