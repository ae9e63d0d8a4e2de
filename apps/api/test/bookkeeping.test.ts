import { parseCsv } from '@atrium/testing/csv'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { bookedMonth, getBookkeeping } from '../src/billing/bookkeeping/read.ts'
import { readProcessorBalance } from '../src/billing/bookkeeping/read-balance.ts'
import { bookkeepingRows } from '../src/billing/bookkeeping/rows.ts'
import { reconcileBilling } from '../src/billing/invoices/reconcile.ts'
import { type Billing, billingOf } from './billing-test-app.ts'

const day = 86_400_000

async function opened(): Promise<{ testApp: TestApp; billing: Billing } & AsyncDisposable> {
  const testApp = await startTestApp({ provisioned: false })
  const billing = billingOf(testApp)
  return { testApp, billing, [Symbol.asyncDispose]: () => testApp[Symbol.asyncDispose]() }
}
type Own = Awaited<ReturnType<typeof opened>>

/** Acme buys in this currency, at a price of its own. */
async function subscribe({ billing }: Own, currency: string, unitAmount = 1_230): Promise<void> {
  const operator = billing.as('operator@atrium.test')
  const price = await operator.send('POST', '/prices', {
    plan: 'starter',
    cycle: 'month',
    state: 'active',
    leaveOut: ['eur', 'usd', 'gbp', 'chf'].filter((one) => one !== currency),
    amounts: [{ currency, unitAmount }],
  })
  expect([price.status, price.body.code]).toEqual([201, undefined])
  await billing.setCard('acme', 'pm_card_visa')
  const { status, body } = await billing.subscribe('acme', { currency })
  expect([status, body.code]).toEqual([201, undefined])
  await billing.settle()
}
const firstInvoice = ({ testApp }: Own) =>
  testApp.database.db
    .selectFrom('invoices')
    .select(['stripe_invoice_id as id', 'number', 'total'])
    .orderBy('created_at')
    .executeTakeFirstOrThrow()
const idOf = (object: object) => String(Reflect.get(object, 'id'))
const monthOf = (at: Date) => at.toISOString().slice(0, 7)
const thisMonth = ({ testApp }: Own) => monthOf(testApp.app.services.clock.now())
const read = async ({ billing }: Own, month: string) =>
  (await billing.as('operator@atrium.test').get(`/billing/bookkeeping/${month}`)).body

async function exported({ testApp }: Own, month: string, query = ''): Promise<Response> {
  const token = await testApp.token('operator@atrium.test')
  return testApp.app.fetch(
    new Request(`http://api.test/billing/bookkeeping/${month}/export${query}`, {
      headers: { authorization: `Bearer ${token}` },
    }),
    {},
  )
}

/** The rows of the CSV by name of the column, with the totals and the trailer apart. */
async function csvOf(own: Own, month: string) {
  const text = await (await exported(own, month)).text()
  const [head = [], ...lines] = parseCsv(text)
  const named = lines.map((line) =>
    Object.fromEntries(head.map((name, index) => [name, line[index] ?? ''])),
  )
  return {
    rows: named.filter(({ date }) => !date?.startsWith('#')),
    totals: named.filter(({ date }) => date === '# total'),
    complete: named.at(-1)?.date === '# complete',
  }
}

/** What an account's balance changes by: debits less credits, per currency. */
function movement(rows: readonly Record<string, string>[], account: string) {
  const sums: Record<string, number> = {}
  for (const { debitAccount, creditAccount, currency = '', grossMinor } of rows) {
    const signed = (debitAccount === account ? 1 : 0) - (creditAccount === account ? 1 : 0)
    if (signed !== 0) sums[currency] = (sums[currency] ?? 0) + signed * Number(grossMinor)
  }
  return sums
}

const [clearing, receivables, conversion, bank] = ['1360', '1410', '1361', '1200']

interface Recorded {
  balanceTransactions: {
    id: string
    type: string
    amount: number
    fee: number
    currency: string
    created: number
  }[]
  payouts: { id: string; amount: number; currency: string; created: number }[]
}
/** What the processor itself wrote down. */
const recorded = ({ testApp }: Own) => testApp.sandbox.state().payments.records as Recorded

/** Something of everything, on one invoice. */
async function busyMonth(own: Own): Promise<void> {
  const { payments } = own.testApp.sandbox
  const { id: invoice } = await firstInvoice(own)
  payments.act({ action: 'refund', invoice, amount: 330 })
  const failed = idOf(payments.act({ action: 'refund', invoice, amount: 120, status: 'pending' }))
  payments.act({ action: 'settle_refund', refund: failed, status: 'failed' })
  payments.act({ action: 'credit_note', invoice, amount: 250, to: 'card' })
  payments.act({ action: 'credit_note', invoice, amount: 110, to: 'balance' })
  const dispute = idOf(payments.act({ action: 'dispute', invoice, amount: 700 }))
  payments.act({ action: 'close_dispute', dispute, outcome: 'won' })
  payments.act({ action: 'dispute', invoice, amount: 400 })
  await own.billing.settle()
}

/** No document is issued in these tests, and few refunds have a credit note. */
const unexplained = (shown: { differences: { kind: string }[] }) =>
  shown.differences.filter(
    ({ kind }) => kind !== 'document_missing' && kind !== 'refund_without_credit_note',
  )

describe.each(['eur', 'jpy', 'kwd'])('the books of a month in %s', (currency) => {
  it('sum to the balance of the processor, minor unit by minor unit', async () => {
    await using own = await opened()
    await subscribe(own, currency)
    await busyMonth(own)
    await readProcessorBalance(own.testApp.app.services)
    const month = thisMonth(own)
    const { rows, totals, complete } = await csvOf(own, month)
    expect(complete).toBe(true)
    const { balanceTransactions } = recorded(own)
    const net = balanceTransactions.reduce((sum, { amount, fee }) => sum + amount - fee, 0)
    expect(balanceTransactions.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['charge', 'refund', 'refund_failure', 'adjustment']),
    )
    expect(movement(rows, clearing)).toEqual({ eur: net })
    expect(totals.find(({ kind }) => kind === 'closing')).toMatchObject({
      currency: 'eur',
      grossMinor: String(net),
    })
    const shown = await read(own, month)
    expect(unexplained(shown)).toEqual([])
    expect(shown.balances).toEqual([
      expect.objectContaining({ currency: 'eur', openingMinor: 0, payoutsMinor: 0, otherMinor: 0 }),
    ])
    expect(shown.readError).toBeNull()
  })

  it('leave on the receivables what the customer owes or has in credit', async () => {
    await using own = await opened()
    await subscribe(own, currency)
    await busyMonth(own)
    await readProcessorBalance(own.testApp.app.services)
    const { rows } = await csvOf(own, thisMonth(own))
    const { total } = await firstInvoice(own)
    // Billed less credited, less paid, plus what went back: two refunds, one open dispute.
    const owed = Number(total) - 250 - 110 - Number(total) + 330 + 250 + 400
    expect(movement(rows, receivables)).toEqual({ [currency]: owed })
    const converted = movement(rows, conversion)
    if (currency === 'eur') expect(converted).toEqual({})
    else expect(converted[currency]).toBe(Number(total) - 330 - 250 - 400)
  })
})

describe('payouts', () => {
  it('are what the books credit to the clearing account, month by month', async () => {
    await using own = await opened()
    const { payments } = own.testApp.sandbox
    await subscribe(own, 'eur')
    payments.act({ action: 'refund', invoice: (await firstInvoice(own)).id, amount: 333 })
    for (let weeks = 0; weeks < 12; weeks += 1) {
      payments.setNow(new Date(payments.now().getTime() + 7 * day))
      await own.billing.settle()
    }
    const services = { ...own.testApp.app.services, clock: { now: () => payments.now() } }
    await readProcessorBalance(services)
    const { payouts, balanceTransactions } = recorded(own)
    expect(payouts.length).toBeGreaterThanOrEqual(3)
    const months = new Set(balanceTransactions.map((one) => monthOf(new Date(one.created * 1000))))
    let closing = 0
    for (const month of [...months].sort()) {
      const rows = await services.database.db.transaction().execute(async (trx) => {
        const bounds = bookedMonth(services, month)
        const pages = await Array.fromAsync(
          bookkeepingRows(trx, services.config, bounds, undefined),
        )
        return pages.flat()
      })
      const inMonth = <T extends { created: number }>(all: T[]) =>
        all.filter(({ created }) => monthOf(new Date(created * 1000)) === month)
      const sent = inMonth(payouts).reduce((sum, { amount }) => sum + amount, 0)
      const named = rows.map((row) => ({
        debitAccount: row.debit.number,
        creditAccount: row.credit.number,
        currency: row.currency,
        grossMinor: String(row.grossMinor),
      }))
      expect(movement(named, bank).eur ?? 0).toBe(sent)
      closing += movement(named, clearing).eur ?? 0
      const shown = await getBookkeeping(services, { month })
      expect(unexplained(shown)).toEqual([])
      expect(shown.balances[0]).toMatchObject({ payoutsMinor: 0 - sent, closingMinor: closing })
    }
  })

  it('that are not the sum of their transactions are named', async () => {
    await using own = await opened()
    const { payments } = own.testApp.sandbox
    await subscribe(own, 'eur')
    payments.setNow(new Date(payments.now().getTime() + 9 * day))
    const services = { ...own.testApp.app.services, clock: { now: () => payments.now() } }
    await readProcessorBalance(services)
    const [payout] = recorded(own).payouts
    await own.testApp.database.db
      .updateTable('processor_payouts')
      .set({ amount: 1 })
      .where('id', '=', payout?.id ?? '')
      .execute()
    const month = monthOf(new Date((payout?.created ?? 0) * 1000))
    const { differences } = await getBookkeeping(services, { month })
    expect(differences).toContainEqual({
      kind: 'payout_sum',
      reference: payout?.id,
      tenantSlug: null,
      currency: 'eur',
      booksMinor: payout?.amount,
      processorMinor: 1,
      document: null,
    })
  })
})

const named =
  (kind: string) =>
  (one: { kind: string }): boolean =>
    one.kind === kind
const ofDocuments = ({ kind }: { kind: string }) => kind.startsWith('document_')

interface Change {
  currency?: string
  netMinor?: number
  taxMinor?: number
}
/** Issues the document of the invoice, with these figures more than the books have. */
async function issue({ testApp }: Own, change: Change = {}): Promise<void> {
  const { currency = null, netMinor = 0, taxMinor = 0 } = change
  await sql`
    insert into billing_documents
      (tenant_id, invoice_id, source, kind, cancels, number, document, issued_at)
    select i.tenant_id, i.id, i.stripe_invoice_id, 'invoice', false, i.number,
      jsonb_build_object(
        'currency', coalesce(${currency}, i.currency),
        'taxes', jsonb_build_array(jsonb_build_object('category', 'S', 'ratePercent', 19,
          'netMinor', f.net, 'taxMinor', f.tax)),
        'totals', jsonb_build_object('netMinor', f.net, 'taxMinor', f.tax,
          'grossMinor', f.net + f.tax)),
      now()
    from invoices i, lateral (
      select i.total_excluding_tax + ${netMinor}::int as net,
        i.total - i.total_excluding_tax + ${taxMinor}::int as tax
    ) f
    on conflict (tenant_id, source) do update
      set number = excluded.number, document = excluded.document, issued_at = now()`.execute(
    testApp.database.db,
  )
}

describe('differences', () => {
  it('leave out what is newer than the last reading of the balance', async () => {
    await using own = await opened()
    const { payments } = own.testApp.sandbox
    await subscribe(own, 'eur')
    const { id: invoice } = await firstInvoice(own)
    await readProcessorBalance(own.testApp.app.services)
    payments.setNow(new Date(Date.now() + 60_000))
    const refund = idOf(payments.act({ action: 'refund', invoice, amount: 100 }))
    await reconcileBilling(own.testApp.app.services)
    const missing = async () =>
      (await read(own, thisMonth(own))).differences.filter(named('refund_without_transaction'))
    expect(await missing(), 'not read yet').toEqual([])
    await readProcessorBalance(own.testApp.app.services)
    expect(await missing(), 'read').toEqual([])
    await own.testApp.database.db
      .updateTable('balance_transactions')
      .set({ category: 'other' })
      .where('source_id', '=', refund)
      .execute()
    expect(await missing(), 'read, and not there').toMatchObject([
      { reference: refund, booksMinor: 100, processorMinor: null },
    ])
  })

  it('name what the processor has and the books have not, and the other way round', async () => {
    await using own = await opened()
    const { payments } = own.testApp.sandbox
    const { db } = own.testApp.database
    await subscribe(own, 'eur')
    const { id: invoice } = await firstInvoice(own)
    payments.webhooks.lose()
    const lost = idOf(payments.act({ action: 'refund', invoice, amount: 100 }))
    payments.webhooks.keep()
    await readProcessorBalance(own.testApp.app.services)
    expect(unexplained(await read(own, thisMonth(own)))).toMatchObject([
      { kind: 'refund_unknown', reference: lost, processorMinor: -100, booksMinor: null },
    ])
    await reconcileBilling(own.testApp.app.services)
    expect(unexplained(await read(own, thisMonth(own)))).toEqual([])

    await db.updateTable('balance_transactions').set({ stripe_invoice_id: null }).execute()
    expect(unexplained(await read(own, thisMonth(own)))).toMatchObject([
      { kind: 'payment_without_transaction', reference: invoice, tenantSlug: 'acme' },
      { kind: 'transaction_without_invoice', booksMinor: null },
    ])
    await db
      .updateTable('balance_transactions')
      .set({ amount: 0, net: 0 })
      .where('type', '=', 'refund')
      .execute()
    expect(unexplained(await read(own, thisMonth(own)))).toContainEqual(
      expect.objectContaining({ kind: 'processor_balance', reference: 'eur' }),
    )
    await db
      .updateTable('processor_balances')
      .set({ amount: 5 })
      .where('currency', '=', 'eur')
      .execute()
    expect(await read(own, thisMonth(own)).then(({ differences }) => differences)).toContainEqual(
      expect.objectContaining({ kind: 'processor_balance', processorMinor: 5 }),
    )
  })
})

describe('documents', () => {
  it('that refunds lack are named, until a credit note refunds them', async () => {
    await using own = await opened()
    const { payments } = own.testApp.sandbox
    await subscribe(own, 'eur')
    const { id: invoice } = await firstInvoice(own)
    const refund = idOf(payments.act({ action: 'refund', invoice, amount: 330 }))
    payments.act({ action: 'credit_note', invoice, amount: 250, to: 'card' })
    await own.billing.settle()
    const { differences } = await read(own, thisMonth(own))
    expect(differences.filter(named('refund_without_credit_note'))).toEqual([
      {
        kind: 'refund_without_credit_note',
        reference: refund,
        tenantSlug: 'acme',
        currency: 'eur',
        booksMinor: 330,
        processorMinor: null,
        document: null,
      },
    ])
    await own.testApp.database.db
      .updateTable('invoice_reversals')
      .set({ refund_ids: [refund] })
      .where('kind', '=', 'credit_note')
      .execute()
    const after = await read(own, thisMonth(own))
    // Now the refund of the credit note has none.
    expect(after.differences.filter(named('refund_without_credit_note'))).toEqual([
      expect.objectContaining({ booksMinor: 250 }),
    ])
  })

  it.each([
    ['document_currency', { currency: 'usd' }, 'usd'],
    ['document_amount', { netMinor: 1 }, 'eur'],
    ['document_tax', { netMinor: -1, taxMinor: 1 }, 'eur'],
  ] as const)('that disagree with the books are named as %s', async (kind, change, currency) => {
    await using own = await opened()
    await subscribe(own, 'eur')
    const { id, total } = await firstInvoice(own)
    await issue(own, change)
    const booksMinor = kind === 'document_tax' ? 0 : Number(total)
    expect((await read(own, thisMonth(own))).differences.filter(ofDocuments)).toEqual([
      {
        kind,
        reference: id,
        tenantSlug: 'acme',
        currency: 'eur',
        booksMinor,
        processorMinor: null,
        document: {
          currency,
          amountMinor: kind === 'document_currency' ? booksMinor : booksMinor + 1,
        },
      },
    ])
    const { rows } = await csvOf(own, thisMonth(own))
    expect(rows.find((row) => row.kind === 'invoice')).toMatchObject({
      currency: 'eur',
      grossMinor: String(total),
      taxPercent: '',
    })
  })

  it('that agree with the books give the row its rate', async () => {
    await using own = await opened()
    await subscribe(own, 'eur')
    await issue(own)
    expect((await read(own, thisMonth(own))).differences.filter(ofDocuments)).toEqual([])
    const { rows } = await csvOf(own, thisMonth(own))
    expect(rows.find((row) => row.kind === 'invoice')).toMatchObject({ taxPercent: '19' })
  })
})

describe('an export', () => {
  it('shows one moment, whatever comes in while it is read', async () => {
    await using own = await opened()
    const { db } = own.testApp.database
    const add = (first: number, last: number) =>
      sql`
        insert into balance_transactions (id, type, category, currency, amount, fee, net, created_at, available_at)
        select 'txn_' || n, 'charge', 'charge', 'eur', 1000, 0, 1000, '2021-05-05', '2021-05-12'
        from generate_series(${first}::int, ${last}::int) n`.execute(db)
    await add(1, 20_000)
    const response = await exported(own, '2021-05')
    const pieces: string[] = []
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      if (pieces.length === 0) await add(20_001, 20_010)
      pieces.push(piece)
    }
    const rows = parseCsv(pieces.join(''))
    expect(pieces.length).toBeGreaterThan(1)
    expect(rows.filter(([date]) => date === '2021-05-05')).toHaveLength(20_000)
    const closing = rows.find(([date, kind]) => date === '# total' && kind === 'closing')
    expect(closing).toContain(String(20_000 * 1_000))
  })

  it('gives its only connection back when its reader leaves', async () => {
    await using testApp = await startTestApp({ provisioned: false, poolSize: 1 })
    const { db } = testApp.database
    await sql`
      insert into balance_transactions (id, type, category, currency, amount, fee, net, created_at, available_at)
      select 'txn_' || n, 'charge', 'charge', 'eur', 1000, 0, 1000, '2021-05-05', '2021-05-12'
      from generate_series(1, 20000) n`.execute(db)
    const token = await testApp.token('operator@atrium.test')
    const leave = new AbortController()
    const response = await testApp.app.fetch(
      new Request('http://api.test/billing/bookkeeping/2021-05/export', {
        headers: { authorization: `Bearer ${token}` },
        signal: leave.signal,
      }),
      {},
    )
    expect(response.status).toBe(200)
    expect(testApp.database.connections()).toMatchObject({ open: 1, idle: 0 })
    leave.abort()
    const { status } = await testApp.request('GET', '/billing/bookkeeping/2021-05', { token })
    expect(status).toBe(200)
    expect(testApp.logLines.join('')).not.toContain('export failed')
  })
})

describe('reading the balance', () => {
  it('goes on where it broke off, and keeps everything once', async () => {
    await using own = await opened()
    await subscribe(own, 'eur')
    await busyMonth(own)
    const { services } = own.testApp.app
    const match = 'GET /v1/invoice_payments'
    own.testApp.sandbox.fault({ system: 'payments', mode: 'error', status: 400, match })
    await readProcessorBalance(services)
    expect((await read(own, thisMonth(own))).readError).toContain('findInvoiceOfPayment')
    own.testApp.sandbox.clearFaults()
    await Promise.all(Array.from({ length: 4 }, () => readProcessorBalance(services)))
    await readProcessorBalance(services)
    const shown = await read(own, thisMonth(own))
    expect(shown.readError).toBeNull()
    expect(unexplained(shown)).toEqual([])
    const kept = await own.testApp.database.db
      .selectFrom('balance_transactions')
      .select('id')
      .execute()
    expect(new Set(kept.map(({ id }) => id))).toEqual(
      new Set(recorded(own).balanceTransactions.map(({ id }) => id)),
    )
  })
})

describe('a DATEV batch', () => {
  it('is a file of category 21 in Windows-1252 that balances with the CSV', async () => {
    await using own = await opened()
    await subscribe(own, 'jpy')
    await busyMonth(own)
    await readProcessorBalance(own.testApp.app.services)
    const month = thisMonth(own)
    const { rows } = await csvOf(own, month)
    for (const currency of ['jpy', 'eur']) {
      const response = await exported(own, month, `?format=datev&currency=${currency}`)
      expect(response.headers.get('content-type')).toBe('text/csv; charset=windows-1252')
      expect(response.headers.get('content-disposition')).toContain(
        `filename="EXTF_bookkeeping-${month}-${currency}.csv"`,
      )
      const bytes = new Uint8Array(await response.arrayBuffer())
      const text = new TextDecoder('windows-1252').decode(bytes)
      const [head = '', columns = '', ...lines] = text.trimEnd().split('\r\n')
      expect(head).toMatch(/^"EXTF";700;21;"Buchungsstapel";13;\d{17};;"RE";"";"";1001;1;/)
      expect(head.split(';')).toHaveLength(31)
      expect(columns.split(';')).toHaveLength(125)
      expect(columns).toContain('BU-Schlüssel')
      expect(new TextDecoder('utf-8').decode(bytes)).toContain('\uFFFD')
      const expected = rows.filter((row) => row.currency === currency && row.grossMinor !== '0')
      expect(lines).toHaveLength(expected.length)
      const sums: Record<string, number> = {}
      for (const line of lines) {
        const [amount = '', side, wkz, , , , debit = '', credit = '', , date] = line.split(';')
        expect(line.split(';')).toHaveLength(125)
        expect(amount).toMatch(/^\d{1,10},\d\d$/)
        expect(wkz).toBe(`"${currency.toUpperCase()}"`)
        expect(date).toMatch(/^(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-2])$/)
        const minor = Number(amount.replace(',', '')) / (currency === 'jpy' ? 100 : 1)
        const signed = side === '"S"' ? minor : -minor
        sums[debit] = (sums[debit] ?? 0) + signed
        sums[credit] = (sums[credit] ?? 0) - signed
      }
      for (const account of [clearing, receivables, conversion])
        expect(sums[account] ?? 0).toBe(movement(rows, account)[currency] ?? 0)
    }
    const last = await exported(own, month, '?format=datev&currency=eur&part=2')
    expect(last.status).toBe(404)
  })

  it('is one of several where it would hold too many rows, and each is named', async () => {
    await using own = await opened()
    const { db } = own.testApp.database
    // Two bookings each, three more than a batch takes.
    await sql`
      insert into balance_transactions (id, type, category, currency, amount, fee, net, created_at, available_at)
      select 'txn_' || n, 'charge', 'charge', 'eur', 1000, 10, 990, '2021-05-05', '2021-05-12'
      from generate_series(1, 50001) n`.execute(db)
    await sql`
      insert into balance_transactions (id, type, category, currency, amount, fee, net, created_at, available_at)
      values ('txn_few', 'charge', 'charge', 'jpy', 1000, 0, 1000, '2021-05-05', '2021-05-12'),
        ('txn_kwd', 'charge', 'charge', 'kwd', 1000, 0, 1000, '2021-05-05', '2021-05-12')`.execute(
      db,
    )
    const { currencies, datevBatches } = await read(own, '2021-05')
    expect(currencies).toEqual(['eur', 'jpy', 'kwd'])
    expect(datevBatches).toEqual([
      { currency: 'eur', parts: 2 },
      { currency: 'jpy', parts: 1 },
    ])
    const query = '?format=datev&currency=eur&part='
    const bookings = async (part: number) =>
      (await (await exported(own, '2021-05', query + part)).text()).trimEnd().split('\r\n').slice(2)
    const parts = [...(await bookings(1)), ...(await bookings(2))]
    expect([parts.length, new Set(parts).size]).toEqual([100_002, 100_002])
  }, 90_000)

  it('is rejected for a currency with three decimals, and for a month to come', async () => {
    await using own = await opened()
    const kwd = await exported(own, thisMonth(own), '?format=datev&currency=kwd')
    expect(kwd.status).toBe(400)
    expect(await kwd.json()).toMatchObject({ issues: [{ path: 'currency' }] })
    expect((await exported(own, '2199-01')).status).toBe(400)
    expect(await own.testApp.auditActions()).not.toContain('billing.exported')
    await (await exported(own, thisMonth(own))).text()
    expect(await own.testApp.auditActions()).toContain('billing.exported')
  })
})
