import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createMonthlyPayouts } from '../src/billing/payouts/create.ts'
import { type LedgerTestApp, startLedgerTestApp } from './ledger-test-app.ts'

let ledger: LedgerTestApp
beforeAll(async () => {
  ledger = await startLedgerTestApp()
})
afterAll(async () => {
  await ledger[Symbol.asyncDispose]()
})
beforeEach(() => ledger.goTo('2026-03-10T12:00:00Z'))

const path = (id: string, act = '') => `/billing/payouts/${id}${act === '' ? '' : `/${act}`}`
const payoutsOf = async (slug: string) =>
  (await ledger.read(`/billing/payouts?partnerSlug=${slug}`, ledger.olive)).body.items
const balancesOf = async (slug: string) =>
  (await ledger.read(`/partners/${slug}/billing`, ledger.olive)).body.balances

/** A partner with 60.00 that can be paid, from an invoice whose hold is over. */
async function rich(fields: { consent?: boolean } = {}) {
  const partner = await ledger.partner(fields)
  const invoice = await ledger.earn({
    partnerId: partner.id,
    net: 30_000,
    paidAt: '2026-01-10T00:00:00Z',
  })
  return { ...partner, invoice }
}
async function draft() {
  const partner = await rich()
  const { status, body } = await ledger.post(`/partners/${partner.slug}/payouts`, ledger.olive, {
    currency: 'eur',
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return { ...partner, payout: body.id as string }
}

describe('the monthly run', () => {
  it('makes one payout per partner and currency of what was available when the month began, however often it runs', async () => {
    const { id, slug } = await rich()
    // Available on the 5th of March: next month's.
    await ledger.earn({ partnerId: id, net: 10_000, paidAt: '2026-02-03T00:00:00Z' })
    await ledger.earn({
      partnerId: id,
      net: 50_000,
      currency: 'usd',
      paidAt: '2026-01-02T00:00:00Z',
    })
    await Promise.all([1, 2, 3].map(() => createMonthlyPayouts(ledger.testApp.app.services)))
    const made = await payoutsOf(slug)
    expect(
      made
        .map((payout: { currency: string; amountMinor: number }) => [
          payout.currency,
          payout.amountMinor,
        ])
        .sort(),
    ).toEqual([
      ['eur', 6_000],
      ['usd', 10_000],
    ])
    for (const payout of made)
      expect(payout).toMatchObject({
        status: 'draft',
        requestedBy: null,
        periodTo: '2026-03-01T00:00:00.000Z',
      })
  })

  it('leaves what is below the minimum for later, and takes claw-backs off', async () => {
    const poor = await ledger.partner()
    await ledger.earn({ partnerId: poor.id, net: 24_990, paidAt: '2026-01-02T00:00:00Z' })
    const clawed = await rich()
    await ledger.reversal(clawed.invoice, { amount: 3_570 })
    await ledger.settle(clawed.invoice)
    await createMonthlyPayouts(ledger.testApp.app.services)
    expect(await payoutsOf(poor.slug)).toEqual([])
    expect(await payoutsOf(clawed.slug)).toMatchObject([{ amountMinor: 5_400 }])
  })

  it('holds what cannot be paid: a suspended partner, or one without consent', async () => {
    const silent = await rich({ consent: false })
    const suspended = await rich()
    await ledger.testApp.database.db
      .updateTable('partners')
      .set({ status: 'suspended' })
      .where('id', '=', suspended.id)
      .execute()
    await createMonthlyPayouts(ledger.testApp.app.services)
    expect(await payoutsOf(silent.slug)).toMatchObject([
      {
        status: 'held',
        heldReason: 'The partner has not agreed to self-billing yet. [noSelfBilling]',
      },
    ])
    expect(await payoutsOf(suspended.slug)).toMatchObject([
      { status: 'held', heldReason: 'The partner is suspended. [partnerSuspended]' },
    ])
    const [held] = await payoutsOf(silent.slug)
    expect((await ledger.post(path(held.id, 'reopen'), ledger.gero)).body).toMatchObject({
      code: 'payout_held',
    })
    expect(
      (
        await ledger.post(`/partners/${silent.slug}/self-billing-consent`, ledger.olive, {
          agreed: true,
        })
      ).status,
    ).toBe(200)
    expect((await ledger.post(path(held.id, 'reopen'), ledger.gero)).body).toMatchObject({
      status: 'draft',
      heldReason: null,
    })
  })

  it('is paid to a partner that was terminated before it had agreed, once an operator notes that it has', async () => {
    const gone = await rich({ consent: false })
    await ledger.testApp.database.db
      .updateTable('partners')
      .set({ status: 'terminated', terminated_at: new Date('2026-03-02T00:00:00Z') })
      .where('id', '=', gone.id)
      .execute()
    await createMonthlyPayouts(ledger.testApp.app.services)
    const [held] = await payoutsOf(gone.slug)
    expect(held).toMatchObject({ status: 'held', amountMinor: 6_000 })
    expect(
      (await ledger.post(`/partners/${gone.slug}/payouts`, ledger.olive, { currency: 'eur' })).body
        .code,
    ).toBe('partner_terminated')
    expect(
      (
        await ledger.post(`/partners/${gone.slug}/self-billing-consent`, ledger.olive, {
          agreed: true,
        })
      ).status,
    ).toBe(200)
    await ledger.post(path(held.id, 'reopen'), ledger.gero)
    await ledger.post(path(held.id, 'approve'), ledger.gero)
    expect(
      (await ledger.post(path(held.id, 'pay'), ledger.olive, { reference: 'TR-7' })).body,
    ).toMatchObject({ status: 'paid' })
  })

  it('does not make again what an operator canceled, until the next month', async () => {
    const { slug } = await rich()
    await createMonthlyPayouts(ledger.testApp.app.services)
    const [first] = await payoutsOf(slug)
    await ledger.post(path(first.id, 'void'), ledger.olive, { reason: 'Checked by hand.' })
    await createMonthlyPayouts(ledger.testApp.app.services)
    expect(await payoutsOf(slug)).toHaveLength(1)
    ledger.goTo('2026-04-02T00:00:00Z')
    await createMonthlyPayouts(ledger.testApp.app.services)
    expect(await payoutsOf(slug)).toMatchObject([
      { status: 'draft', amountMinor: 6_000 },
      { status: 'canceled' },
    ])
  })
})

describe('a payout that the partner asks for', () => {
  it('takes what is payable now, once', async () => {
    const { slug, payout } = await draft()
    expect(await balancesOf(slug)).toMatchObject([
      { reservedMinor: 6_000, payableMinor: 0, openPayout: { id: payout, status: 'draft' } },
    ])
    const again = await ledger.post(`/partners/${slug}/payouts`, ledger.olive, { currency: 'eur' })
    expect(again.body).toMatchObject({
      code: 'payout_state',
      detail: expect.stringContaining('in progress'),
    })
    const dollars = await ledger.post(`/partners/${slug}/payouts`, ledger.olive, {
      currency: 'usd',
    })
    expect(dollars.body).toMatchObject({
      code: 'payout_state',
      detail: expect.stringContaining('minimum payout'),
    })
  })

  it('is made once when it is asked for five times at once, while claw-backs arrive', async () => {
    const { slug, invoice } = await rich()
    await ledger.reversal(invoice, { amount: 3_570 })
    const responses = await Promise.all([
      ...Array.from({ length: 5 }, () =>
        ledger.post(`/partners/${slug}/payouts`, ledger.olive, { currency: 'eur' }),
      ),
      ledger.settle(invoice),
    ])
    expect(responses.filter((response) => response?.status === 201)).toHaveLength(1)
    const [{ balanceMinor, availableMinor, reservedMinor, payableMinor }] = await balancesOf(slug)
    expect(balanceMinor).toBe(5_400)
    expect(availableMinor).toBe(5_400)
    const [made] = await payoutsOf(slug)
    expect(reservedMinor).toBe(made.amountMinor)
    expect([5_400, 6_000]).toContain(made.amountMinor)
    expect(payableMinor).toBe(0)
  })

  it('cannot be approved by whoever asked for it', async () => {
    const { payout } = await draft()
    expect((await ledger.post(path(payout, 'approve'), ledger.olive)).body).toMatchObject({
      code: 'self_approval',
    })
    expect((await ledger.post(path(payout, 'approve'), ledger.gero)).body).toMatchObject({
      status: 'approved',
      approvedBy: 'owner@globex.test',
    })
  })
})

describe('a payout of the monthly run', () => {
  it.each([
    ['send', {}],
    ['pay', { reference: 'SEPA 1' }],
  ])('needs two operators: who approved it cannot %s it', async (act, body) => {
    const { slug } = await rich()
    await createMonthlyPayouts(ledger.testApp.app.services)
    const [{ id }] = await payoutsOf(slug)
    expect((await ledger.post(path(id, 'approve'), ledger.gero)).body.status).toBe('approved')
    expect((await ledger.post(path(id, act), ledger.gero, body)).body).toMatchObject({
      code: 'self_approval',
      detail: 'You approved this payout. Someone else must send it and mark it as paid.',
    })
    expect((await ledger.post(path(id, act), ledger.olive, body)).status).toBe(200)
  })
})

describe('a payout whose money went away again', () => {
  async function clawed(invoice: string, amount: number) {
    await ledger.reversal(invoice, { amount })
    await ledger.settle(invoice)
  }
  const uncovered = { code: 'payout_held', detail: expect.stringContaining('54.00') }

  it('is neither approved, sent nor paid above what is available', async () => {
    const { slug, payout, invoice } = await draft()
    await clawed(invoice, 3_570)
    expect((await ledger.post(path(payout, 'approve'), ledger.gero)).body).toMatchObject(uncovered)
    await ledger.post(path(payout, 'void'), ledger.gero, { reason: 'Clawed back.' })
    const next = await ledger.post(`/partners/${slug}/payouts`, ledger.olive, { currency: 'eur' })
    expect(next.body).toMatchObject({ amountMinor: 5_400 })
    await ledger.post(path(next.body.id, 'approve'), ledger.gero)
    await clawed(invoice, 3_570)
    for (const [act, body] of [
      ['send', {}],
      ['pay', { reference: 'SEPA' }],
    ] as const) {
      expect((await ledger.post(path(next.body.id, act), ledger.olive, body)).body.code).toBe(
        'payout_held',
      )
    }
    expect(await balancesOf(slug)).toMatchObject([{ balanceMinor: 4_800, paidOutMinor: 0 }])
  })

  it('can still be marked as paid once the bank has the transfer', async () => {
    const { payout, invoice } = await draft()
    await ledger.post(path(payout, 'approve'), ledger.gero)
    await ledger.post(path(payout, 'send'), ledger.olive)
    await clawed(invoice, 35_700)
    expect(
      (await ledger.post(path(payout, 'pay'), ledger.olive, { reference: 'SEPA' })).body,
    ).toMatchObject({ status: 'paid' })
  })

  it.each([{ status: 'suspended' } as const, { self_billing_consent_at: null }])(
    'is not paid to a partner that became %o after the approval',
    async (change) => {
      const { id, payout } = await draft()
      await ledger.post(path(payout, 'approve'), ledger.gero)
      await ledger.testApp.database.db
        .updateTable('partners')
        .set(change)
        .where('id', '=', id)
        .execute()
      for (const [act, body] of [
        ['send', {}],
        ['pay', { reference: 'SEPA' }],
      ] as const) {
        expect((await ledger.post(path(payout, act), ledger.olive, body)).body.code).toBe(
          'payout_held',
        )
      }
    },
  )
})

describe('a payout that comes back while the next one is open', () => {
  async function two() {
    const { id, slug, payout } = await draft()
    await ledger.post(path(payout, 'approve'), ledger.gero)
    await ledger.post(path(payout, 'pay'), ledger.olive, { reference: 'SEPA 1' })
    await ledger.earn({ partnerId: id, net: 40_000, paidAt: '2026-01-11T00:00:00Z' })
    const next = await ledger.post(`/partners/${slug}/payouts`, ledger.olive, { currency: 'eur' })
    expect(next.body).toMatchObject({ status: 'draft', amountMinor: 8_000 })
    const failed = await ledger.post(path(payout, 'fail'), ledger.olive, { reason: 'Returned.' })
    expect(failed.body).toMatchObject({ status: 'failed' })
    return { slug, first: payout, next: next.body.id as string }
  }

  it('is booked, and both are reserved', async () => {
    const { slug, first, next } = await two()
    expect(await balancesOf(slug)).toMatchObject([
      {
        balanceMinor: 14_000,
        reservedMinor: 14_000,
        payableMinor: 0,
        openPayout: { id: next, status: 'draft', amountMinor: 8_000 },
      },
    ])
    expect((await ledger.post(path(first, 'reopen'), ledger.gero)).body).toMatchObject({
      code: 'payout_state',
    })
    await ledger.post(path(next, 'approve'), ledger.gero)
    const paid = await ledger.post(path(next, 'pay'), ledger.olive, { reference: 'SEPA 2' })
    expect(paid.body).toMatchObject({ status: 'paid' })
    expect((await ledger.post(path(first, 'reopen'), ledger.gero)).body.status).toBe('draft')
    await ledger.post(path(first, 'approve'), ledger.gero)
    await ledger.post(path(first, 'pay'), ledger.olive, { reference: 'SEPA 3' })
    expect(await balancesOf(slug)).toMatchObject([{ balanceMinor: 0, paidOutMinor: 14_000 }])
  })

  it('can be canceled', async () => {
    const { slug, first } = await two()
    const canceled = await ledger.post(path(first, 'void'), ledger.gero, { reason: 'Closed.' })
    expect(canceled.body).toMatchObject({ status: 'canceled' })
    expect(await balancesOf(slug)).toMatchObject([
      { balanceMinor: 14_000, reservedMinor: 8_000, payableMinor: 6_000 },
    ])
  })
})

describe('the statement of a payout that came back', () => {
  async function returned() {
    const { slug, payout } = await draft()
    await ledger.post(path(payout, 'approve'), ledger.gero)
    await ledger.post(path(payout, 'pay'), ledger.olive, { reference: 'SEPA 1' })
    ledger.goTo('2026-03-12T12:00:00Z')
    const failed = await ledger.post(path(payout, 'fail'), ledger.olive, { reason: 'Returned.' })
    expect(failed.body).toMatchObject({ status: 'failed', paidAt: null })
    const number = (count: number) => `SB-${slug.toUpperCase()}-000${count}`
    const document = async (query = '') =>
      ledger.read(`/partners/${slug}/payouts/${payout}/statement${query}`, ledger.olive)
    return { slug, payout, number, document }
  }

  it('says that it is not paid, and when it was paid again', async () => {
    const { payout, number, document } = await returned()
    expect((await document()).body).toContain('<dd>no, the transfer failed</dd>')
    expect((await document()).body).not.toContain('SEPA 1')
    await ledger.post(path(payout, 'reopen'), ledger.gero)
    await ledger.post(path(payout, 'approve'), ledger.gero)
    await ledger.post(path(payout, 'pay'), ledger.olive, { reference: 'SEPA 2' })
    const again = (await document()).body
    expect(again).toContain(number(1))
    expect(again).toContain('<dd>2026-03-12</dd>')
    expect(again).toContain('<dd>SEPA 2</dd>')
  })

  it('keeps its number when it is canceled, by a document with the next number', async () => {
    const { slug, payout, number, document } = await returned()
    const canceled = await ledger.post(path(payout, 'void'), ledger.gero, { reason: 'Closed.' })
    expect(canceled.body).toMatchObject({
      status: 'canceled',
      statementNumber: number(1),
      cancellationNumber: number(2),
      paidAt: null,
    })
    const statement = (await document()).body
    expect(statement).toContain(`Self-billing statement ${number(1)}`)
    expect(statement).toContain(`<dd>no, canceled on 2026-03-12 by ${number(2)}</dd>`)
    expect(statement).toContain('60.00 EUR')
    const cancellation = await document('?document=cancellation')
    expect(cancellation.body).toContain(
      `Cancellation ${number(2)} of self-billing statement ${number(1)}`,
    )
    expect(cancellation.body).toContain('-60.00 EUR')
    const sheet = await document('?document=cancellation&format=csv')
    expect(sheet.body).toContain('-60.00,EUR')
    expect(sheet.headers.get('content-disposition')).toContain(`${number(2).toLowerCase()}.csv`)

    const next = await ledger.post(`/partners/${slug}/payouts`, ledger.olive, { currency: 'eur' })
    await ledger.post(path(next.body.id, 'approve'), ledger.gero)
    const paid = await ledger.post(path(next.body.id, 'pay'), ledger.olive, { reference: 'SEPA 3' })
    expect(paid.body).toMatchObject({ status: 'paid', statementNumber: number(3) })
    expect((await document()).body).toBe(statement)
  })

  it('has no cancellation before it is canceled, or when it was never numbered', async () => {
    const { document } = await returned()
    expect((await document('?document=cancellation')).status).toBe(404)
    const { slug, payout } = await draft()
    const canceled = await ledger.post(path(payout, 'void'), ledger.gero, { reason: 'No.' })
    expect(canceled.body).toMatchObject({ statementNumber: null, cancellationNumber: null })
    const its = `/partners/${slug}/payouts/${payout}/statement?document=cancellation`
    expect((await ledger.read(its, ledger.olive)).status).toBe(404)
  })
})

describe('the life of a payout', () => {
  it('ends with the ledger charged, a number, and a statement that never changes', async () => {
    const { slug, payout, invoice, id } = await draft()
    await ledger.post(path(payout, 'approve'), ledger.gero, { version: 1 })
    await ledger.post(path(payout, 'send'), ledger.olive, { version: 2 })
    expect((await ledger.post(path(payout, 'pay'), ledger.olive, {})).body).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: 'reference' }],
    })
    const paid = await ledger.post(path(payout, 'pay'), ledger.olive, {
      version: 3,
      reference: 'SEPA 4711',
    })
    expect(paid.body).toMatchObject({
      status: 'paid',
      reference: 'SEPA 4711',
      statementNumber: `SB-${slug.toUpperCase()}-0001`,
      moves: ['failed'],
    })
    expect(paid.body.entries).toMatchObject([
      { type: 'accrual', invoiceId: invoice, amountMinor: 6_000, baseMinor: 30_000, marginPct: 20 },
    ])
    expect(await balancesOf(slug)).toMatchObject([
      { balanceMinor: 0, reservedMinor: 0, payableMinor: 0, paidOutMinor: 6_000 },
    ])
    const mails = await ledger.testApp.database.db
      .selectFrom('outbox')
      .select(['template', 'recipient'])
      .where('recipient', '=', `money@${slug}.test`)
      .execute()
    expect(mails).toEqual([{ template: 'payout.paid', recipient: `money@${slug}.test` }])

    const statement = () =>
      ledger.read(`/partners/${slug}/payouts/${payout}/statement`, ledger.olive)
    const before = await statement()
    expect(before.headers.get('content-type')).toContain('text/html')
    expect(before.body).toContain('60.00 EUR')
    await ledger.testApp.database.db
      .updateTable('partners')
      .set({ name: 'Renamed' })
      .where('id', '=', id)
      .execute()
    expect((await statement()).body).toBe(before.body)
    const sheet = await ledger.read(`${path(payout, 'statement')}?format=csv`, ledger.olive)
    expect(sheet.headers.get('content-disposition')).toMatch(
      /^attachment; filename="sb-p-\w+-0001\.csv"$/,
    )
  })

  it('that came back owes the money again, and may be paid again or freed', async () => {
    const { slug, payout } = await draft()
    await ledger.post(path(payout, 'approve'), ledger.gero)
    await ledger.post(path(payout, 'pay'), ledger.olive, { reference: 'SEPA 1' })
    const failed = await ledger.post(path(payout, 'fail'), ledger.olive, {
      reason: 'The account is closed.',
    })
    expect(failed.body).toMatchObject({ status: 'failed', failureReason: 'The account is closed.' })
    expect(await balancesOf(slug)).toMatchObject([
      { balanceMinor: 6_000, reservedMinor: 6_000, payableMinor: 0, paidOutMinor: 0 },
    ])
    await ledger.post(path(payout, 'reopen'), ledger.gero)
    await ledger.post(path(payout, 'approve'), ledger.gero)
    const paid = await ledger.post(path(payout, 'pay'), ledger.olive, { reference: 'SEPA 2' })
    expect(paid.body).toMatchObject({
      status: 'paid',
      statementNumber: `SB-${slug.toUpperCase()}-0001`,
    })
    expect(await balancesOf(slug)).toMatchObject([{ balanceMinor: 0, paidOutMinor: 6_000 }])
    await ledger.post(path(payout, 'fail'), ledger.olive, { reason: 'Again.' })
    await ledger.post(path(payout, 'void'), ledger.olive, { reason: 'Paid another way.' })
    expect(await balancesOf(slug)).toMatchObject([
      { balanceMinor: 6_000, reservedMinor: 0, payableMinor: 6_000, openPayout: null },
    ])
    expect((await ledger.read(path(payout), ledger.olive)).body).toMatchObject({
      status: 'canceled',
      entries: [],
      moves: [],
    })
  })

  it.each([
    ['send', {}],
    ['pay', { reference: 'SEPA' }],
    ['fail', { reason: 'No.' }],
    ['reopen', {}],
  ])('does not let a draft %s', async (act, body) => {
    const { payout } = await draft()
    expect((await ledger.post(path(payout, act), ledger.gero, body)).body).toMatchObject({
      code: 'payout_state',
    })
  })

  it('lets one of two operators win', async () => {
    const { payout } = await draft()
    const both = await Promise.all([
      ledger.post(path(payout, 'approve'), ledger.gero),
      ledger.post(path(payout, 'void'), ledger.olive, { reason: 'No.' }),
      ledger.post(path(payout, 'approve'), ledger.gero),
    ])
    const codes = both.map(({ status, body }) => (status === 200 ? 'done' : body.code))
    // Void may follow an approval, but nothing follows a void, and nobody approves twice.
    expect(codes.filter((code) => code === 'done').length).toBeLessThanOrEqual(2)
    expect(codes.filter((code) => code === 'payout_state').length).toBeGreaterThanOrEqual(1)
    const approvals = await Promise.all([1, 2, 3, 4].map(async () => (await draft()).payout))
    for (const id of approvals) {
      const twice = await Promise.all([
        ledger.post(path(id, 'approve'), ledger.gero),
        ledger.post(path(id, 'approve'), ledger.gero),
      ])
      expect(twice.map(({ status }) => status).sort()).toEqual([200, 409])
    }
  })

  it('notices that somebody read an older version', async () => {
    const { payout } = await draft()
    await ledger.post(path(payout, 'hold'), ledger.olive, { reason: 'Bank data is being checked.' })
    expect(
      (await ledger.post(path(payout, 'reopen'), ledger.olive, { version: 1 })).body,
    ).toMatchObject({ code: 'version_conflict' })
  })

  it('is in the audit log step by step', async () => {
    const { slug, payout } = await draft()
    await ledger.post(path(payout, 'approve'), ledger.gero)
    await ledger.post(path(payout, 'void'), ledger.olive, { reason: 'No.' })
    const { body } = await ledger.read(`/audit?action=payout.*&partnerSlug=${slug}`, ledger.olive)
    expect(
      body.items.map((event: { action: string; resourceId: string }) => [
        event.action,
        event.resourceId,
      ]),
    ).toEqual([
      ['payout.canceled', payout],
      ['payout.approved', payout],
      ['payout.requested', payout],
    ])
  })
})

it('numbers the statements of a partner one after the other, also when they are paid at once', async () => {
  const { id, slug } = await ledger.partner()
  const payouts: string[] = []
  for (const currency of ['eur', 'usd', 'gbp']) {
    await ledger.earn({ partnerId: id, net: 50_000, currency, paidAt: '2026-01-02T00:00:00Z' })
    const { body } = await ledger.post(`/partners/${slug}/payouts`, ledger.olive, { currency })
    await ledger.post(path(body.id, 'approve'), ledger.gero)
    payouts.push(body.id)
  }
  const paid = await Promise.all(
    payouts.map((payout) => ledger.post(path(payout, 'pay'), ledger.olive, { reference: 'SEPA' })),
  )
  expect(paid.map(({ body }) => body.statementNumber).sort()).toEqual(
    [1, 2, 3].map((n) => `SB-${slug.toUpperCase()}-000${n}`),
  )
})

it('shows a partner its own payouts without the names of operators', async () => {
  const { slug, payout } = await draft()
  const own = await ledger.read(`/partners/${slug}/payouts/${payout}`, ledger.olive)
  expect(own.body).toMatchObject({ id: payout, requested: true })
  expect(own.body).not.toHaveProperty('approvedBy')
  for (const id of [payout, 'nonsense', '00000000-0000-7000-8000-000000000000']) {
    expect((await ledger.read(`/partners/north/payouts/${id}`, ledger.pia)).status).toBe(404)
  }
  expect((await ledger.read(path('nonsense'), ledger.olive)).status).toBe(404)
})

describe('the database itself', () => {
  it('rejects a payout that is not the sum of its entries', async () => {
    const { id, payout } = await draft()
    const { db } = ledger.testApp.database
    const wrong = db.insertInto('payouts').values({
      partner_id: id,
      currency: 'usd',
      amount: 5,
      status: 'draft',
      period_to: '2026-03-01T00:00:00Z',
    })
    await expect(wrong.execute()).rejects.toThrow('is not the sum of its entries')
    await expect(
      db.updateTable('payouts').set({ amount: 1 }).where('id', '=', payout).execute(),
    ).rejects.toThrow('is not the sum')
    await expect(
      db.deleteFrom('payout_entries').where('payout_id', '=', payout).execute(),
    ).rejects.toThrow('is not the sum')
    const other = await rich()
    const { id: entry } = await db
      .selectFrom('partner_ledger')
      .select('id')
      .where('partner_id', '=', other.id)
      .executeTakeFirstOrThrow()
    await expect(
      db.insertInto('payout_entries').values({ entry_id: entry, payout_id: payout }).execute(),
    ).rejects.toThrow('is not the sum')
  })

  it('holds for everything that was done here', async () => {
    const { rows } = await sql<{ id: string }>`
      select p.id from payouts p left join payout_entries e on e.payout_id = p.id left join partner_ledger l on l.id = e.entry_id
      where p.status <> 'canceled' group by p.id having p.amount <> coalesce(sum(l.amount), 0)`.execute(
      ledger.testApp.database.db,
    )
    expect(rows).toEqual([])
  })
})
