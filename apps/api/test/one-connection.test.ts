import { type AuditAction, auditActions } from '@atrium/core/audit/audit'
import { eventRecords } from '@atrium/core/events/event-records'
import type { EventView } from '@atrium/core/events/events'
import { overRest } from '@atrium/testing/calls'
import { carriedOut } from '@atrium/testing/carried-out'
import { everyEvent, faultsOfEvents, undescribedEvents } from '@atrium/testing/event-schemas'
import { openLocations, type Places } from '@atrium/testing/matrix/world'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { appRouter } from '../src/router.ts'
import { proceduresOf } from '../src/rpc/procedure.ts'

let places: Places
beforeAll(async () => {
  places = await openLocations({ poolSize: 1 })
})
afterAll(() => places[Symbol.asyncDispose]())

const mutations = Object.entries(proceduresOf(appRouter)).flatMap(([name, { _def }]) =>
  _def.type === 'mutation' ? [name] : [],
)

it('knows a call of every mutation but one, which takes its secret in a header and has no transaction', () => {
  expect(mutations.length).toBeGreaterThan(110)
  expect(mutations.filter((name) => carriedOut(name).length === 0)).toEqual([
    'scheduling.locks.renew',
  ])
})

it.each(mutations.filter((name) => carriedOut(name).length > 0))(
  'carries out %s with one connection: no transaction needs a second one',
  async (name) => {
    for (const call of carriedOut(name)) {
      const world = await places.build(call.caller)
      const { input, token } = await call.prepare(world)
      const { outcome, body } = await overRest(places.testApp, name, input, token)
      expect({ outcome, body: outcome === 'ok' ? undefined : body }).toEqual({
        outcome: 'ok',
        body: undefined,
      })
    }
  },
)

/** Types of events that these calls do not cause, and the files whose test apps check them. */
const causedElsewhere: Readonly<Record<string, readonly AuditAction[]>> = {
  'access-grants': ['access_grant.ended', 'access_grant.expired'],
  'address-claims': ['address.claim_held'],
  'admin-commands': [
    'audit.exported',
    'billing.exported',
    'platform.keys_rotated',
    'tenant.reconciled',
  ],
  approvals: ['approval.expired', 'approval.requested'],
  'audit-chain': ['audit.verified'],
  'billing-notices': ['invoice.credited', 'invoice.refunded'],
  'billing-reconcile': ['billing.reconciled'],
  billing: ['billing.customer_removed'],
  'domain-checks': ['domain.dns_regressed', 'domain.verified'],
  dunning: [
    'subscription.past_due',
    'subscription.payment_reminded',
    'subscription.recovered',
    'tenant.limited',
  ],
  flags: ['flag.updated'],
  invitations: ['invitation.expired'],
  'invoice-corrections': ['invoice.payment_recorded', 'invoice.voided', 'invoice.written_off'],
  lists: ['list.retried'],
  'members-faults': ['member.retried'],
  partners: ['partner.margin_changed', 'partner.resumed', 'partner.suspended'],
  'password-links': ['user.password_link_followed'],
  'released-domains': ['tenant.domains_released'],
  'subscription-changes': ['subscription.plan_changed'],
  'scheduling-lifecycle': ['booking.expired'],
  subscriptions: ['subscription.paused', 'subscription.resumed'],
  'temporary-passwords': ['member.mailbox_password_replaced', 'member.password_expired'],
  'tenant-purge': ['tenant.purged'],
  'webhook-endpoints': ['webhook_endpoint.disabled'],
}

/** Recorded as failures alone, which are no events, or by former versions. */
const neverSent: readonly AuditAction[] = ['partner_team.invited', 'webhook.parked']

it('describes the events of these calls as they are', async () => {
  const events = await everyEvent(places.testApp.database)
  expect([...faultsOfEvents(events), ...undescribedEvents(events)]).toEqual([])
})

it('knows the test of every other type of event', async () => {
  const events = await everyEvent(places.testApp.database)
  const seen = new Set(events.map(({ type }) => type))
  const others = [...Object.values(causedElsewhere).flat(), ...neverSent]
  expect(auditActions.filter((type) => !seen.has(type)).toSorted()).toEqual(others.toSorted())
})

it('adds to each event the record that it is about, as the description says', async () => {
  const { token } = await places.build('operator')
  const events: EventView[] = []
  for (let [after, more] = ['', true]; more; ) {
    const { status, body } = await places.testApp.request(
      'GET',
      `/events?include=record&limit=200${after}`,
      { token },
    )
    expect(status).toBe(200)
    events.push(...body.items)
    after = `&after=${body.nextCursor}`
    more = body.more
  }
  expect([...faultsOfEvents(events), ...undescribedEvents(events)]).toEqual([])
  const recorded = events.filter(({ data }) => data.record !== null)
  const kinds = new Set(recorded.map(({ data }) => data.resource.type))
  expect([...kinds].sort()).toEqual(Object.keys(eventRecords).sort())
  expect(events.filter(({ data }) => data.record === undefined)).toEqual([])
})
