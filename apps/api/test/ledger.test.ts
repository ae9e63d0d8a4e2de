import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { marginAt } from '../src/billing/payouts/margins.ts'
import { type LedgerTestApp, startLedgerTestApp } from './ledger-test-app.ts'

let ledger: LedgerTestApp
beforeAll(async () => {
  ledger = await startLedgerTestApp()
})
afterAll(async () => {
  await ledger[Symbol.asyncDispose]()
})

describe('a paid invoice', () => {
  it('gives the partner its share of what is no tax, once, available after the hold', async () => {
    const id = await ledger.earn({ marginPct: 17.5, paidAt: '2026-03-01T00:00:00Z' })
    await ledger.settle(id)
    expect(await ledger.entries(id)).toEqual([{ type: 'accrual', amount: 1_750 }])
    const row = await ledger.testApp.database.db
      .selectFrom('partner_ledger')
      .select(['available_at', 'base_amount', 'margin_pct'])
      .where('invoice_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row).toEqual({
      available_at: new Date('2026-03-31T00:00:00Z'),
      base_amount: 10_000,
      margin_pct: '17.50',
    })
  })

  it('that is settled ten times at once is in the ledger once', async () => {
    const id = await ledger.invoice()
    await ledger.reversal(id, { amount: 5_950 })
    await Promise.all(Array.from({ length: 10 }, () => ledger.settle(id)))
    expect(await ledger.entries(id)).toEqual([
      { type: 'accrual', amount: 2_000 },
      { type: 'clawback', amount: -1_000 },
    ])
  })

  it('gives nothing while it is open, without a partner, or to one that was terminated before', async () => {
    const gone = await ledger.partner()
    await ledger.testApp.database.db
      .updateTable('partners')
      .set({ status: 'terminated', terminated_at: '2026-03-05T00:00:00Z' })
      .where('id', '=', gone.id)
      .execute()
    const without = [
      await ledger.earn({ status: 'open' }),
      await ledger.earn({ partnerId: null }),
      await ledger.earn({ partnerId: gone.id, paidAt: '2026-03-05T00:00:00Z' }),
      await ledger.earn({ marginPct: 0 }),
    ]
    for (const id of without) expect(await ledger.entries(id)).toEqual([])
    expect(
      await ledger.entries(
        await ledger.earn({ partnerId: gone.id, paidAt: '2026-03-04T23:59:59Z' }),
      ),
    ).toHaveLength(1)
  })
})

describe('money that goes back', () => {
  it('takes the share with it: parts of a full refund net to zero', async () => {
    const id = await ledger.earn({ marginPct: 17.5 })
    for (const [day, amount] of [3_966, 3_967, 3_967].entries()) {
      await ledger.reversal(id, { amount, createdAt: `2026-03-1${day}T00:00:00Z` })
      await ledger.settle(id)
    }
    expect((await ledger.entries(id)).map(({ amount }) => amount)).toEqual([
      1_750, -583, -584, -583,
    ])
  })

  it('is the same in whatever order it becomes known', async () => {
    const nets = await Promise.all(
      [
        [0, 1, 2],
        [2, 1, 0],
        [1, 2, 0],
      ].map(async (order) => {
        const id = await ledger.earn({ marginPct: 17.5 })
        for (const part of order) {
          await ledger.reversal(id, {
            id: `re_${id}_${part}`,
            amount: 3_333,
            createdAt: `2026-03-1${part}T00:00:00Z`,
          })
          await ledger.settle(id)
        }
        const { rows } = await sql<{ part: string; net: number }>`
          select right(split_part(source_id, '#', 1), 1) as part, sum(amount)::int as net from partner_ledger
          where invoice_id = ${id} and source_type = 'refund' group by 1 order by 1`.execute(
          ledger.testApp.database.db,
        )
        return rows
      }),
    )
    expect(nets[1]).toEqual(nets[0])
    expect(nets[2]).toEqual(nets[0])
  })

  it('comes back with a refund that fails and a dispute that is won', async () => {
    const id = await ledger.earn()
    const refund = await ledger.reversal(id, { amount: 5_950 })
    await ledger.settle(id)
    await ledger.reversal(id, { id: refund, amount: 5_950, effective: false })
    await ledger.settle(id)
    const dispute = await ledger.reversal(id, { kind: 'dispute', amount: 11_900 })
    await ledger.settle(id)
    await ledger.reversal(id, { id: dispute, kind: 'dispute', amount: 11_900, effective: false })
    await ledger.settle(id)
    await ledger.settle(id)
    expect(await ledger.entries(id)).toEqual([
      { type: 'accrual', amount: 2_000 },
      { type: 'clawback', amount: -1_000 },
      { type: 'clawback_reversal', amount: 1_000 },
      { type: 'dispute_hold', amount: -2_000 },
      { type: 'dispute_release', amount: 2_000 },
    ])
  })

  it('while the share is on hold is taken from the share and leaves other money alone', async () => {
    const { id, slug } = await ledger.partner()
    const balance = async () =>
      (await ledger.read(`/partners/${slug}/billing`, ledger.olive)).body.balances[0]
    await ledger.earn({ partnerId: id, net: 30_000, paidAt: '2026-01-10T00:00:00Z' })
    const held = await ledger.earn({ partnerId: id, paidAt: '2026-03-01T00:00:00Z' })
    const refund = await ledger.reversal(held, { amount: 5_950 })
    await ledger.settle(held)
    expect(await balance()).toMatchObject({
      balanceMinor: 7_000,
      availableMinor: 6_000,
      pendingMinor: 1_000,
      payableMinor: 6_000,
      nextAvailableAt: '2026-03-31T00:00:00.000Z',
    })
    const dispute = await ledger.reversal(held, { kind: 'dispute', amount: 11_900 })
    await ledger.settle(held)
    expect(await balance()).toMatchObject({
      balanceMinor: 6_000,
      availableMinor: 6_000,
      pendingMinor: 0,
      nextAvailableAt: null,
    })
    const made = await ledger.post(`/partners/${slug}/payouts`, ledger.olive, { currency: 'eur' })
    expect(made.body).toMatchObject({ amountMinor: 6_000 })
    await ledger.reversal(held, { id: dispute, kind: 'dispute', amount: 11_900, effective: false })
    await ledger.reversal(held, { id: refund, amount: 5_950, effective: false })
    await ledger.settle(held)
    expect(await balance()).toMatchObject({ availableMinor: 6_000, pendingMinor: 2_000 })
    ledger.goTo('2026-04-01T00:00:00Z')
    expect(await balance()).toMatchObject({ availableMinor: 8_000, pendingMinor: 0 })
    ledger.goTo('2026-03-10T12:00:00Z')
  })

  it('before the payment is known takes nothing that was not given', async () => {
    const id = await ledger.invoice({ status: 'open' })
    await ledger.reversal(id, { amount: 11_900 })
    await ledger.settle(id)
    expect(await ledger.entries(id)).toEqual([])
    await ledger.testApp.database.db
      .updateTable('invoices')
      .set({ status: 'paid', paid_at: '2026-03-10T00:00:00Z', amount_paid: 11_900 })
      .where('id', '=', id)
      .execute()
    await ledger.settle(id)
    expect((await ledger.entries(id)).map(({ amount }) => amount)).toEqual([2_000, -2_000])
  })
})

it('lets nobody change or remove an entry', async () => {
  const id = await ledger.earn()
  const { db } = ledger.testApp.database
  await expect(
    sql`update partner_ledger set amount = 1 where invoice_id = ${id}`.execute(db),
  ).rejects.toThrow(/append-only|permission denied/)
  await expect(
    sql`delete from partner_ledger where invoice_id = ${id}`.execute(db),
  ).rejects.toThrow(/append-only|permission denied/)
})

it('takes the margin of the day: the newest that had begun, else the one of the record', async () => {
  const { id } = await ledger.partner({ marginPct: 12.5 })
  const { db } = ledger.testApp.database
  await db
    .insertInto('partner_margins')
    .values([
      { partner_id: id, margin_pct: 15, effective_from: '2026-02-01' },
      { partner_id: id, margin_pct: 18, effective_from: '2026-04-01' },
    ])
    .execute()
  const at = (instant: string) => marginAt(db, id, new Date(instant))
  expect(await at('2026-01-31T23:59:59Z')).toBe(12.5)
  expect(await at('2026-02-01T00:00:00Z')).toBe(15)
  expect(await at('2026-03-31T23:59:59Z')).toBe(15)
  expect(await at('2026-04-01T00:00:00Z')).toBe(18)
})

describe('what a partner sees', () => {
  it('is its balance per currency, never added up, with the entries behind it', async () => {
    const { id, slug } = await ledger.partner({ marginPct: 20 })
    const old = await ledger.earn({ partnerId: id, paidAt: '2026-02-01T00:00:00Z' })
    await ledger.earn({ partnerId: id, net: 30_000 })
    await ledger.earn({ partnerId: id, currency: 'usd', net: 5_000 })
    await ledger.reversal(old, { amount: 1_190 })
    await ledger.settle(old)
    const { body } = await ledger.read(`/partners/${slug}/billing`, ledger.olive)
    expect(body).toMatchObject({ slug, marginPct: 20, comingMargins: [], holdDays: 30 })
    expect(body.balances).toMatchObject([
      {
        currency: 'eur',
        balanceMinor: 7_800,
        availableMinor: 1_800,
        pendingMinor: 6_000,
        payableMinor: 1_800,
        minimumMinor: 5_000,
        openPayout: null,
      },
      {
        currency: 'usd',
        balanceMinor: 1_000,
        availableMinor: 0,
        pendingMinor: 1_000,
        payableMinor: 0,
      },
    ])
    expect(body.recentEntries).toHaveLength(4)
    const entries = await ledger.read(`/partners/${slug}/ledger?invoiceId=${old}`, ledger.olive)
    expect(entries.body.items).toMatchObject([
      { type: 'clawback', amountMinor: -200, source: 'refund', tenantSlug: 'acme', invoiceId: old },
      {
        type: 'accrual',
        amountMinor: 2_000,
        baseMinor: 10_000,
        marginPct: 20,
        source: 'invoice',
        payoutId: null,
      },
    ])
  })

  it('comes page by page and as a sheet', async () => {
    const { id, slug } = await ledger.partner()
    for (const net of [1_000, 2_000, 3_000]) await ledger.earn({ partnerId: id, net })
    const first = await ledger.read(`/partners/${slug}/ledger?limit=2`, ledger.olive)
    const second = await ledger.read(
      `/partners/${slug}/ledger?limit=2&cursor=${first.body.nextCursor}`,
      ledger.olive,
    )
    expect([...first.body.items, ...second.body.items].map((entry) => entry.amountMinor)).toEqual([
      600, 400, 200,
    ])
    expect(second.body.nextCursor).toBeNull()
    const sheet = await ledger.read(`/partners/${slug}/ledger/export`, ledger.olive)
    expect(sheet.headers.get('content-disposition')).toBe('attachment; filename="ledger.csv"')
    const rows = sheet.body.trim().split('\r\n')
    expect(rows).toHaveLength(5)
    expect(rows.at(-1)).toMatch(/^# complete,3,+$/)
  })

  it('is its own only, and not for staff below manager', async () => {
    const { slug } = await ledger.partner()
    expect((await ledger.read(`/partners/${slug}/billing`, ledger.pia)).status).toBe(404)
    expect((await ledger.read('/partners/north/billing', ledger.pia)).status).toBe(200)
    const { db } = ledger.testApp.database
    const level = (access: 'viewer' | 'support' | 'manager' | 'owner') =>
      db
        .updateTable('users')
        .set({ partner_access: access })
        .where('email', '=', 'partner@north.test')
        .execute()
    for (const access of ['viewer', 'support'] as const) {
      await level(access)
      expect((await ledger.read('/partners/north/ledger', ledger.pia)).body).toMatchObject({
        code: 'access_level',
      })
    }
    await level('manager')
    expect((await ledger.read('/partners/north/payouts', ledger.pia)).status).toBe(200)
    expect(
      (await ledger.post('/partners/north/payouts', ledger.pia, { currency: 'eur' })).body,
    ).toMatchObject({ code: 'access_level' })
    await level('owner')
  })
})

describe('an adjustment', () => {
  it('of up to a thousand counts at once; beyond it another operator has to agree', async () => {
    const { id, slug } = await ledger.partner()
    const adjust = (amountMinor: number) =>
      ledger.post('/billing/ledger-adjustments', ledger.olive, {
        partnerSlug: slug,
        currency: 'eur',
        amountMinor,
        reason: 'Goodwill for the outage',
      })
    const balance = async () => {
      const { rows } = await sql<{
        sum: number
      }>`select coalesce(sum(amount), 0)::int as sum from partner_ledger where partner_id = ${id}`.execute(
        ledger.testApp.database.db,
      )
      return rows[0]?.sum
    }
    expect((await adjust(60_000)).body).toMatchObject({ state: 'entered', amountMinor: 60_000 })
    const second = await adjust(-60_000)
    expect(second.body).toMatchObject({
      state: 'pending',
      requestedBy: 'operator@atrium.test',
      decidedBy: null,
    })
    expect(await balance()).toBe(60_000)
    const path = `/billing/ledger-adjustments/${second.body.id}`
    expect((await ledger.post(`${path}/approve`, ledger.olive)).body).toMatchObject({
      code: 'self_approval',
    })
    const both = await Promise.all([
      ledger.post(`${path}/approve`, ledger.gero),
      ledger.post(`${path}/refuse`, ledger.gero),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const entered = both.find(({ status }) => status === 200)?.body.state === 'entered'
    expect(await balance()).toBe(entered ? 0 : 60_000)
    const list = await ledger.read(`/billing/ledger-adjustments?partnerSlug=${slug}`, ledger.olive)
    expect(list.body.items).toHaveLength(2)
    const log = await ledger.read(`/audit?action=ledger.adjusted&partnerSlug=${slug}`, ledger.olive)
    expect(
      new Set(log.body.items.map((event: { resourceName: string }) => event.resourceName)),
    ).toEqual(new Set([`${slug} EUR`]))
  })

  it('counts what was entered in every currency towards one limit', async () => {
    const { slug } = await ledger.partner()
    const adjust = async (currency: string, amountMinor: number) =>
      (
        await ledger.post('/billing/ledger-adjustments', ledger.olive, {
          partnerSlug: slug,
          currency,
          amountMinor,
          reason: 'Goodwill for the outage',
        })
      ).body.state
    expect(await adjust('eur', 60_000)).toBe('entered')
    expect(await adjust('kwd', -300_000)).toBe('entered')
    expect(await adjust('usd', 10_001)).toBe('pending')
    expect(await adjust('jpy', 100)).toBe('entered')
    expect(await adjust('eur', 1)).toBe('pending')
  })

  it.each([
    [{ amountMinor: 0 }, 'amountMinor'],
    [{ amountMinor: 1.5 }, 'amountMinor'],
    [{ reason: 'short' }, 'reason'],
    [{ currency: 'euro' }, 'currency'],
    [{ currency: 'zzz' }, 'currency'],
    [{ partnerSlug: 'nobody-here' }, 'partnerSlug'],
    [{ margin: 3 }, 'margin'],
  ])('of %o is refused with a reason', async (fields, path) => {
    const body = {
      partnerSlug: 'north',
      currency: 'eur',
      amountMinor: 100,
      reason: 'Goodwill for the outage',
      ...fields,
    }
    const response = await ledger.post('/billing/ledger-adjustments', ledger.olive, body)
    expect(response.body).toMatchObject({ code: 'invalid_input', issues: [{ path }] })
  })
})
