import { tellSubscription } from './collection.ts'
import { invalid } from './faults.ts'
import {
  type Form,
  type FormValue,
  group,
  list,
  mergedMetadata,
  oneOf,
  required,
  text,
  whole,
} from './form.ts'
import { afterAnchor, type Seconds } from './periods.ts'
import type { Schedule, SchedulePhase } from './records.ts'
import { firstId, type Handlers } from './request.ts'
import { scheduleView } from './schedule-views.ts'
import { releaseSchedule, replacePhases, scheduleFrom } from './schedules.ts'
import { noTax, requireComputable, taxSettingsOf } from './taxes.ts'
import type { PaymentsWorld } from './world.ts'

/** Subscription schedules (docs.stripe.com/api/subscription_schedules). */
export const scheduleRoutes: Handlers = {
  'POST /v1/subscription_schedules': (world, { form }) => {
    const id = required(form, 'from_subscription')
    const subscription = world.store.subscriptions.get(id, 'from_subscription')
    const schedule = scheduleFrom(world, subscription)
    tellSubscription(world, 'customer.subscription.updated', subscription)
    return scheduleView(world.store, schedule)
  },
  'GET /v1/subscription_schedules/:id': (world, request) =>
    scheduleView(world.store, world.store.schedules.get(firstId(request))),
  'POST /v1/subscription_schedules/:id': (world, request) => {
    const schedule = world.store.schedules.get(firstId(request))
    oneOf(request.form, 'end_behavior', ['release', 'cancel'])
    const phases = list(request.form, 'phases')
    if (phases.length > 0) replacePhases(world, schedule, readPhases(world, schedule, phases))
    return scheduleView(world.store, schedule)
  },
  'POST /v1/subscription_schedules/:id/release': (world, request) => {
    const schedule = world.store.schedules.get(firstId(request))
    releaseSchedule(world, schedule)
    tellSubscription(
      world,
      'customer.subscription.updated',
      world.store.subscriptions.get(schedule.subscription),
    )
    return scheduleView(world.store, schedule)
  },
}

/** A phase without a start follows the one before it. */
function readPhases(
  world: PaymentsWorld,
  schedule: Schedule,
  values: readonly FormValue[],
): SchedulePhase[] {
  const phases: SchedulePhase[] = []
  for (const [index, value] of values.entries()) {
    const at = `phases[${index}]`
    if (typeof value === 'string') throw invalid('Invalid object', { param: at })
    const start = whole(value, 'start_date', `${at}[start_date]`) ?? phases.at(-1)?.end
    if (start === undefined)
      throw invalid(`Missing required param: ${at}[start_date].`, { param: `${at}[start_date]` })
    phases.push(readPhase(world, schedule, value, start, at))
  }
  return phases
}

function readPhase(
  world: PaymentsWorld,
  schedule: Schedule,
  form: Form,
  start: Seconds,
  at: string,
): SchedulePhase {
  const [item, ...more] = list(form, 'items')
  if (item === undefined || typeof item === 'string' || more.length > 0)
    throw invalid('A subscription of the sandbox has one item.', { param: `${at}[items]` })
  const price = world.store.prices.get(required(item, 'price'), `${at}[items][0][price]`)
  const subscription = world.store.subscriptions.get(schedule.subscription)
  if (!price.active && price.id !== subscription.price)
    throw invalid('The price specified is inactive. This field only accepts active prices.', {
      param: `${at}[items][0][price]`,
    })
  if (price.currency !== subscription.currency)
    throw invalid('All prices of a schedule must have the currency of its subscription.', {
      param: `${at}[items][0][price]`,
    })
  const tax = taxSettingsOf(world, form, noTax)
  requireComputable(world.store.customers.get(schedule.customer), tax, price)
  const end = whole(form, 'end_date', `${at}[end_date]`) ?? endOf(form, start, at)
  if (end <= start)
    throw invalid('The end of a phase must be after its start.', { param: `${at}[end_date]` })
  return {
    start,
    end,
    price: price.id,
    quantity: whole(item, 'quantity', `${at}[items][0][quantity]`) ?? 1,
    metadata: mergedMetadata(form),
    tax,
    anchorAtStart: text(form, 'billing_cycle_anchor') === 'phase_start',
  }
}

function endOf(form: Form, start: Seconds, at: string): Seconds {
  const duration = group(form, 'duration')
  const interval = duration && oneOf(duration, 'interval', ['month', 'year'])
  if (!duration || !interval)
    throw invalid('The duration must be specified for each phase.', { param: `${at}[duration]` })
  return afterAnchor(start, interval, whole(duration, 'interval_count') ?? 1)
}
