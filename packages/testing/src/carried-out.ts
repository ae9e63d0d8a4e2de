import { randomBytes } from 'node:crypto'
import { ensureCustomer } from '@atrium/api/billing/invoices/customer'
import { drainWebhooks } from '@atrium/api/billing/webhooks/process'
import { addressProof } from '@atrium/api/scheduling/public/manage-token'
import { sql } from 'kysely'
import { vi } from 'vitest'
import { overRest } from './calls.ts'
import { invitationCalls } from './carried-out-invitations.ts'
import { ownAccountCalls } from './carried-out-own-account.ts'
import { giveMailbox } from './mailboxes.ts'
import { matrix } from './matrix/all.ts'
import { type Caller, other, slug, type World } from './matrix/rows.ts'

export type Place = World & { token: string | undefined }

type Input = Record<string, unknown>

/** A call of a procedure that is carried out, not rejected, and changes something. */
export interface CarriedOut {
  readonly caller: Caller
  /** May put in place what the call needs. */
  prepare(place: Place): Promise<{ input: Input; token: string | undefined }>
}

const preferred: readonly Caller[] = ['operator', 'owner', 'partnerStaff', 'member', 'nobody']

/**
 * Calls that a procedure carries out: those of the authorization matrix that its rule permits, by a
 * permitted actor, and additional calls where the rows of the matrix end with a rejection after the
 * rule, or change nothing.
 */
export function carriedOut(name: string): CarriedOut[] {
  const own = ownCalls[name]
  if (own) return [own]
  return (matrix[name] ?? []).flatMap((row) => {
    const caller = preferred.find((one) => row.expected[one] === 'ok')
    return caller
      ? [
          {
            caller,
            prepare: async (place: Place) => ({
              input: await row.input(place),
              token: place.token,
            }),
          },
        ]
      : []
  })
}

const terms = { plan: 'starter', cycle: 'month', currency: 'eur', seats: 3 }
const attendee = { name: 'Vera', email: 'vera@example.org', timeZone: 'UTC' }
const random = (kind: string) => `${kind}-${randomBytes(6).toString('hex')}`

function by(caller: Caller, input: (place: Place) => Promise<Input> | Input): CarriedOut {
  return { caller, prepare: async (place) => ({ input: await input(place), token: place.token }) }
}

/** Called without a session, after an operator prepared it. */
function byVisitor(input: (place: Place) => Promise<Input>): CarriedOut {
  return {
    caller: 'operator',
    prepare: async (place) => ({ input: await input(place), token: undefined }),
  }
}

const ownCalls: Readonly<Record<string, CarriedOut>> = {
  ...invitationCalls,
  ...ownAccountCalls,
  'approvals.removeLimit': by('operator', async (place) => {
    await ask(place, 'approvals.setLimit', { ...slug(place), currency: 'eur', amountMinor: 10_000 })
    return slug(place)
  }),
  'billing.setPaymentMethod': by('owner', async (place) => ({
    ...slug(place),
    paymentMethodId: await card(place, 'pm_card_visa'),
  })),
  'billing.removePaymentMethod': by('owner', async (place) => {
    await ask(place, 'billing.setPaymentMethod', {
      ...slug(place),
      paymentMethodId: await card(place, 'pm_card_visa'),
    })
    return slug(place)
  }),
  'billing.payInvoice': by('owner', openInvoice),
  'members.startImport': by('owner', (place) => ({
    ...slug(place),
    csv: 'email,name\nno address,New\n',
    dryRun: false,
  })),
  'members.resumeImport': by('owner', async (place) => {
    const made = { tenant_id: place.tenantId, requested_by: 'somebody@example.test' }
    const { id } = await place.testApp.database.db
      .insertInto('member_imports')
      .values(made)
      .returning('id')
      .executeTakeFirstOrThrow()
    return { ...slug(place), importId: id }
  }),
  'partners.updateSettings': by('operator', ({ partnerSlug }) => ({
    slug: partnerSlug,
    supportEmail: `${random('help')}@north.test`,
  })),
  'partners.updateBranding': by('operator', ({ partnerSlug }) => ({
    slug: partnerSlug,
    productName: random('North'),
  })),
  'partners.resumeCustomer': by('operator', async (place) => {
    await suspended(place)
    return { slug: place.partnerSlug, tenantSlug: place.slug }
  }),
  'tenants.resume': by('operator', async (place) => {
    await suspended(place)
    return slug(place)
  }),
  'tenants.restore': by('operator', async (place) => {
    await deleted(place)
    return slug(place)
  }),
  'tenants.purge': by('operator', async (place) => {
    await deleted(place)
    return { ...slug(place), confirm: place.slug }
  }),
  'users.update': by('operator', (place) => ({ ...other(place), phone: '+49 30 1234' })),
  'scheduling.hosts.connect': by('operator', async (place) => ({
    slug: place.slug,
    hostId: await newHost(place),
    mode: 'mint',
  })),
  'scheduling.hosts.check': by('operator', async (place) => ({
    slug: place.slug,
    hostId: await connectedHost(place),
  })),
  'scheduling.hosts.disconnect': by('operator', async (place) => ({
    slug: place.slug,
    hostId: await connectedHost(place),
  })),
  'scheduling.locks.take': byVisitor(async (place) => {
    const { eventTypeId, start } = await offer(place)
    return { eventTypeId, start }
  }),
  'scheduling.book.create': byVisitor(async (place) => {
    const { eventTypeId, start } = await offer(place)
    return { eventTypeId, start, attendee }
  }),
  'scheduling.book.forTenant': by('operator', async (place) => {
    const { eventTypeId, start } = await offer(place)
    return { slug: place.slug, eventTypeId, start, attendee }
  }),
  'scheduling.manage.cancel': {
    caller: 'operator',
    prepare: async (place) => ({
      input: { reason: 'I am ill.' },
      token: (await booked(place)).manageToken,
    }),
  },
  'scheduling.manage.reschedule': {
    caller: 'operator',
    async prepare(place) {
      const { manageToken, later } = await booked(place)
      return { input: { start: later }, token: manageToken }
    },
  },
  'scheduling.manage.inviteGuests': {
    caller: 'operator',
    async prepare(place) {
      const { bookingId, manageToken } = await booked(place)
      const { keyring } = place.testApp.app.services.config
      if (!keyring) throw new Error('the test app has no keyring')
      return {
        input: { proof: addressProof(keyring, { id: bookingId, visitorEmail: attendee.email }) },
        token: manageToken,
      }
    },
  },
  'scheduling.bookings.confirm': by('operator', async (place) => {
    const { bookingId } = await booked(place, { requiresConfirmation: true })
    return { slug: place.slug, bookingId }
  }),
  'scheduling.bookings.reschedule': by('operator', async (place) => {
    const { bookingId, later } = await booked(place)
    return { slug: place.slug, bookingId, start: later }
  }),
}

/** A call on the way to another one. */
async function ask({ testApp, token }: Place, name: string, input: Input) {
  const { outcome, body } = await overRest(testApp, name, input, token)
  if (outcome !== 'ok') throw new Error(`${name} was refused: ${outcome} ${JSON.stringify(body)}`)
  return body
}

/** A card that the tenant's customer entered at the payment processor; its id there. */
async function card({ testApp, tenantId }: Place, number: string): Promise<string> {
  const { payments } = testApp.app.services.systems
  if (!payments) throw new Error('this test app has a payment processor')
  const customer = await ensureCustomer(testApp.app.services, payments, tenantId)
  return String(
    Reflect.get(
      testApp.sandbox.payments.act({ action: 'attach_card', customer, card: number }),
      'id',
    ),
  )
}

/** An invoice whose first charge was declined, and a card that is not. */
async function openInvoice(place: Place): Promise<Input> {
  const { testApp } = place
  await ask(place, 'billing.setPaymentMethod', {
    ...slug(place),
    paymentMethodId: await card(place, 'pm_card_chargeCustomerFail'),
  })
  await overRest(testApp, 'subscriptions.start', { ...slug(place), ...terms }, place.token)
  // Where several processes share the database, any of them may have the event in hand.
  const declined = async () => {
    await testApp.webhooks.deliver()
    await drainWebhooks(testApp.app.services)
    const { items } = await ask(place, 'billing.invoices', slug(place))
    const [charged] = items
    if (!charged || testApp.webhooks.pending().length > 0)
      throw new Error(`what was declined of ${place.slug} is not known yet`)
    return charged
  }
  const open = await vi.waitFor(declined, { timeout: 10_000, interval: 50 })
  // At the processor itself: a new card that is set through us pays at once what is open.
  const paymentMethodId = await card(place, 'pm_card_visa')
  const { payments } = testApp.app.services.systems
  const found = await payments?.findPaymentMethod(paymentMethodId)
  await payments?.setDefaultPaymentMethod(
    { customerId: found?.customerId ?? '', paymentMethodId, subscriptionId: null },
    { idempotencyKey: random('card') },
  )
  return { ...slug(place), invoiceId: open.id }
}

async function deleted({ testApp, tenantId }: Place): Promise<void> {
  await testApp.database.db
    .updateTable('tenants')
    .set({ status: 'deleted', deleted_at: new Date() })
    .where('id', '=', tenantId)
    .execute()
}

async function suspended({ testApp, tenantId }: Place): Promise<void> {
  await testApp.database.db
    .updateTable('tenants')
    .set({ status: 'suspended' })
    .where('id', '=', tenantId)
    .execute()
}

/** The colleague as a host with a mailbox, open at all hours. */
async function newHost(place: Place): Promise<string> {
  const { testApp, colleague: userId } = place
  const { address } = await giveMailbox(testApp, {
    slug: place.slug,
    userId,
    localPart: random('host'),
  })
  const host = await ask(place, 'scheduling.hosts.create', {
    slug: place.slug,
    userId,
    zone: 'UTC',
    mailAddress: address,
  })
  const allDay = JSON.stringify(Array.from({ length: 7 }, () => [{ start: 0, end: 1440 }]))
  await testApp.database.db
    .updateTable('availability_schedules')
    .set({ weekly: allDay })
    .where('host_id', '=', host.id)
    .execute()
  return host.id
}

async function connectedHost(place: Place): Promise<string> {
  const hostId = await newHost(place)
  await ask(place, 'scheduling.hosts.connect', { slug: place.slug, hostId, mode: 'mint' })
  return hostId
}

const hourMs = 3_600_000

/** Something to book, the day after tomorrow, and a later time of it. */
async function offer(place: Place, fields: Input = {}) {
  const hostId = await connectedHost(place)
  const meeting = {
    title: 'Introduction',
    durations: [30],
    locationKind: 'in_person',
    location: 'Room 4',
  }
  const eventType = await ask(place, 'scheduling.eventTypes.create', {
    slug: place.slug,
    hostId,
    ...meeting,
    ...fields,
  })
  const start = Math.ceil(Date.now() / hourMs) * hourMs + 48 * hourMs
  // All calls of a test come from one address.
  await sql`delete from rate_limits`.execute(place.testApp.database.db)
  const at = (hours: number) => new Date(start + hours * hourMs).toISOString()
  return { eventTypeId: eventType.id as string, start: at(0), later: at(2) }
}

async function booked(place: Place, fields: Input = {}) {
  const { eventTypeId, start, later } = await offer(place, fields)
  const nobody = { ...place, token: undefined }
  const { booking, manageToken } = await ask(nobody, 'scheduling.book.create', {
    eventTypeId,
    start,
    attendee,
  })
  return { bookingId: booking.id as string, manageToken: manageToken as string, later }
}
