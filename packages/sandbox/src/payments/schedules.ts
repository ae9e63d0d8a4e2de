import { invalid } from './faults.ts'
import type { Seconds } from './periods.ts'
import type { Schedule, SchedulePhase, Subscription, TaxSettings } from './records.ts'
import { scheduleView } from './schedule-views.ts'
import { newId } from './store.ts'
import type { PaymentsWorld } from './world.ts'

/** Creates a schedule whose only phase is the subscription's current period, unchanged. */
export function scheduleFrom(world: PaymentsWorld, subscription: Subscription): Schedule {
  if (subscription.schedule !== null)
    throw invalid(
      'You cannot migrate a subscription that is already attached to a schedule: the schedule ' +
        `\`${subscription.schedule}\`.`,
      { param: 'from_subscription' },
    )
  if (subscription.status === 'canceled' || subscription.status === 'incomplete_expired')
    throw invalid('You cannot migrate a subscription that is canceled.', {
      param: 'from_subscription',
    })
  if (subscription.cancelAtPeriodEnd)
    throw invalid('You cannot migrate a subscription that is set to cancel at period end.', {
      param: 'from_subscription',
    })
  const { price, quantity, metadata, periodStart, periodEnd, tax } = subscription
  const schedule = world.store.schedules.add({
    id: newId('sub_sched'),
    subscription: subscription.id,
    customer: subscription.customer,
    status: 'active',
    currency: subscription.currency,
    phases: [
      { start: periodStart, end: periodEnd, price, quantity, metadata, anchorAtStart: false, tax },
    ],
    created: world.now(),
    releasedAt: null,
    canceledAt: null,
  })
  subscription.schedule = schedule.id
  tell(world, 'created', schedule)
  return schedule
}

/**
 * Replaces the phases. The first must be the one that runs, with its start; the others follow one
 * another without a gap.
 */
export function replacePhases(
  world: PaymentsWorld,
  schedule: Schedule,
  phases: readonly SchedulePhase[],
): void {
  rejectEnded(schedule)
  const current = currentPhase(schedule, world.now())
  const [first, ...later] = phases
  if (!first || first.start !== current.start)
    throw invalid('You can not modify the start date of the current phase.', {
      param: 'phases[0][start_date]',
    })
  let end = first.end
  for (const [index, phase] of later.entries()) {
    if (phase.start !== end)
      throw invalid('Phases must be contiguous.', { param: `phases[${index + 1}][start_date]` })
    end = phase.end
  }
  schedule.phases = [...phases]
  world.store.subscriptions.get(schedule.subscription).tax = first.tax
  tell(world, 'updated', schedule)
}

/** Detaches the schedule; the subscription goes on as it is. */
export function releaseSchedule(world: PaymentsWorld, schedule: Schedule): void {
  rejectEnded(schedule)
  const subscription = world.store.subscriptions.get(schedule.subscription)
  subscription.schedule = null
  Object.assign(schedule, { status: 'released', releasedAt: world.now() })
  tell(world, 'released', schedule)
}

/** A subscription that ends takes its schedule with it. */
export function cancelSchedule(world: PaymentsWorld, subscription: Subscription): void {
  const schedule = attachedSchedule(world, subscription)
  if (!schedule) return
  subscription.schedule = null
  Object.assign(schedule, { status: 'canceled', canceledAt: world.now() })
  tell(world, 'canceled', schedule)
}

/** When the phase that runs now is over; undefined without a schedule. */
export function nextPhaseTurn(
  world: PaymentsWorld,
  subscription: Subscription,
): Seconds | undefined {
  const schedule = attachedSchedule(world, subscription)
  return schedule && phaseOf(schedule, subscription).end
}

/** Applies the terms of the next phase, or releases the schedule after its last one. */
export function enterNextPhase(world: PaymentsWorld, subscription: Subscription): void {
  const schedule = attachedSchedule(world, subscription)
  if (!schedule) return
  const { end } = phaseOf(schedule, subscription)
  const next = schedule.phases.find(({ start }) => start === end)
  if (!next) {
    releaseSchedule(world, schedule)
    return
  }
  subscription.price = next.price
  subscription.quantity = next.quantity
  subscription.tax = next.tax
  subscription.metadata = { ...subscription.metadata, ...next.metadata }
  if (next.anchorAtStart) subscription.anchor = next.start
  schedule.phases = schedule.phases.filter(({ start }) => start >= next.start)
  tell(world, 'updated', schedule)
}

/** The terms of the period after the one that runs now. */
export function termsAfter(
  world: PaymentsWorld,
  subscription: Subscription,
): { price: string; quantity: number; anchor: Seconds; tax: TaxSettings } {
  const schedule = attachedSchedule(world, subscription)
  const { price, quantity, anchor, periodEnd, tax } = subscription
  const next = schedule?.phases.find(({ start }) => start === periodEnd)
  return next
    ? {
        price: next.price,
        quantity: next.quantity,
        anchor: next.anchorAtStart ? next.start : anchor,
        tax: next.tax,
      }
    : { price, quantity, anchor, tax }
}

function attachedSchedule(world: PaymentsWorld, subscription: Subscription): Schedule | undefined {
  return subscription.schedule === null
    ? undefined
    : world.store.schedules.find(subscription.schedule)
}

/** The first one kept: those that are over are dropped as the next begins. */
function phaseOf(schedule: Schedule, subscription: Subscription): SchedulePhase {
  const [first] = schedule.phases
  if (!first) throw new Error(`the schedule of ${subscription.id} has no phase`)
  return first
}

function currentPhase(schedule: Schedule, now: Seconds): SchedulePhase {
  const found = schedule.phases.find(({ start, end }) => start <= now && now < end)
  if (!found) throw invalid('This subscription schedule has no current phase.')
  return found
}

function rejectEnded({ status }: Schedule): void {
  if (status !== 'active')
    throw invalid(
      `You cannot update a subscription schedule that is currently in the \`${status}\` status.`,
    )
}

function tell(world: PaymentsWorld, what: string, schedule: Schedule): void {
  world.emit(`subscription_schedule.${what}`, scheduleView(world.store, schedule))
}
