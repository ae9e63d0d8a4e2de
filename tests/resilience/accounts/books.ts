import { parseCsv } from '@atrium/testing/csv'
import { sql } from 'kysely'
import type { Accounts, BookedMonth, Books, DocumentBook, Movement } from './checker/books.ts'
import type { Partner, PlayedYear } from './play/simulation.ts'
import { type Person, type SimulatedService, taxModes } from './service.ts'

/** Reads with the service's own procedures, as an operator unless somebody else is named. */
function readerOf(service: SimulatedService) {
  const [operator] = service.operators
  async function read<Body>(path: string, person: Person = operator): Promise<Body> {
    const { status, body } = await service.call(person, 'GET', path)
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`)
    return body
  }
  async function readAll<Item>(path: string): Promise<Item[]> {
    const items: Item[] = []
    for (let cursor = ''; ; ) {
      const page = await read<{ items: Item[]; nextCursor: string | null }>(
        `${path}${path.includes('?') ? '&' : '?'}limit=200${cursor}`,
      )
      items.push(...page.items)
      if (page.nextCursor === null) return items
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
    }
  }
  return { read, readAll }
}

/**
 * Reads what the service says of customers and partners now, through its own procedures; legal
 * documents as they are stored.
 */
export async function readAccounts(
  service: SimulatedService,
  { customers, partners }: Pick<PlayedYear, 'customers' | 'partners'>,
): Promise<Accounts> {
  const { read, readAll } = readerOf(service)
  const tenants: Accounts['tenants'] = []
  for (const { slug, id, country } of customers) {
    const path = `/tenants/${slug}`
    const { plan, seats, status } = await read<Accounts['tenants'][number]>(path)
    tenants.push({
      slug,
      id,
      country,
      plan,
      seats,
      status,
      invoices: await readAll(`${path}/invoices`),
      documents: await documentsOf(service, id),
      billing: await read(`${path}/billing`),
      nextInvoice: await read(`${path}/billing/next-invoice`),
    })
  }
  const payouts: Accounts['payouts'] = []
  for (const { id } of await readAll<{ id: string }>('/billing/payouts'))
    payouts.push({
      ...(await read<Omit<Accounts['payouts'][number], 'documents'>>(`/billing/payouts/${id}`)),
      documents: await statementsOf(service, id),
    })
  return {
    tenants,
    partners: await Promise.all(
      partners.map(async ({ slug }) => ({
        slug,
        billing: await read<Accounts['partners'][number]['billing']>(`/partners/${slug}/billing`),
        ledger: await readAll<Accounts['partners'][number]['ledger'][number]>(
          `/partners/${slug}/ledger`,
        ),
      })),
    ),
    payouts,
    adjustments: await readAll('/billing/ledger-adjustments'),
    overview: await read('/billing/overview'),
  }
}

/** Reads everything that the service says of a year that was played to its end. */
export async function readBooks(service: SimulatedService, year: PlayedYear): Promise<Books> {
  const { config } = service.testApp
  const { readAll } = readerOf(service)
  const { refunds, disputes, balanceTransactions } = service.testApp.sandbox.state().payments
    .records as {
    refunds: { id: string; invoice: string }[]
    disputes: { id: string; invoice: string }[]
    balanceTransactions: Movement[]
  }
  const moments = momentsOf(service.now())
  const { percents, reverseCharged } = taxModes[service.taxMode]
  return {
    ...(await readAccounts(service, year)),
    end: service.now().toISOString(),
    rules: {
      graceDays: config.billing.graceDays,
      freeSeats: config.billing.freeSeats,
      trial: config.billing.trial,
      taxPercents: percents,
      reverseCharged: [...reverseCharged],
      holdDays: config.billing.partnerHoldDays,
    },
    events: year.events.map(({ type, created, object }) => ({ type, created, object })),
    invoiceOf: Object.fromEntries(
      [...refunds, ...disputes].map(({ id, invoice }) => [id, invoice]),
    ),
    decisions: [...year.decisions],
    prices: await readAll('/prices'),
    scopes: await readReports(service, year.partners, moments),
    closings: [...year.closings],
    mails: await mailsOf(service),
    movements: balanceTransactions,
    bookkeeping: await readBookkeeping(service, moments),
  }
}

/** Reports of the platform and of each partner. */
async function readReports(
  service: SimulatedService,
  partners: readonly Partner[],
  moments: readonly string[],
): Promise<Books['scopes']> {
  const { read } = readerOf(service)
  const scopes: Books['scopes'] = []
  for (const partner of [null, ...partners.map(({ slug }) => slug)]) {
    const reports = partner === null ? '/reports' : `/partners/${partner}/reports`
    scopes.push({
      partner,
      mrr: await Promise.all(
        moments.map(async (at) => ({
          at,
          currencies: (
            await read<Books['scopes'][number]['mrr'][number]>(`${reports}/mrr?asOf=${at}`)
          ).currencies,
        })),
      ),
      byPlan: (await read<{ rows: [] }>(`${reports}/revenue-by-plan`)).rows,
      growth: (await read<{ months: [] }>(`${reports}/growth`)).months,
      invoiced: (
        await read<{ months: [] }>(`${reports}/invoiced-revenue?from=${moments[0]?.slice(0, 7)}`)
      ).months,
    })
  }
  return scopes
}

async function readBookkeeping(
  service: SimulatedService,
  moments: readonly string[],
): Promise<Books['bookkeeping']> {
  const { read } = readerOf(service)
  const { clearing, bank, receivables } = service.testApp.config.bookkeeping.accounts
  const names = [...new Set(moments.map((at) => at.slice(0, 7)))]
  const months: BookedMonth[] = []
  for (const month of names) {
    const path = `/billing/bookkeeping/${month}`
    const { balances, differences } =
      await read<Pick<BookedMonth, 'balances' | 'differences'>>(path)
    const csv = await read<string>(`${path}/export?format=csv`)
    months.push({ month, balances, differences, rows: rowsOf(csv) })
  }
  return {
    accounts: {
      clearing: clearing.number,
      bank: bank.number,
      receivables: receivables.number,
    },
    months,
  }
}

/** Without the totals at the end and the line that says that the file is complete. */
function rowsOf(csv: string): BookedMonth['rows'] {
  const [head = [], ...lines] = parseCsv(csv)
  if (lines.at(-1)?.[0] !== '# complete') throw new Error('the export is not complete')
  return lines
    .map((cells) => Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ''])))
    .filter(({ date }) => !date?.startsWith('#'))
    .map(({ kind = '', document = '', currency = '', reference = '', ...row }) => ({
      kind,
      document,
      currency,
      netMinor: Number(row.netMinor),
      taxMinor: Number(row.taxMinor),
      grossMinor: Number(row.grossMinor),
      debit: row.debitAccount ?? '',
      credit: row.creditAccount ?? '',
      reference,
    }))
}

type Totals = DocumentBook['totals']

/** As they are stored: PDF and XML are made from that, and have tests of their own. */
async function documentsOf(service: SimulatedService, tenantId: string): Promise<DocumentBook[]> {
  const rows = await service.testApp.database.db
    .selectFrom('billing_documents')
    .select(['source', 'kind', 'cancels', 'number'])
    .select(sql<Totals>`document -> 'totals'`.as('totals'))
    .select(
      sql<string[] | null>`jsonb_path_query_array(document, '$.taxes[*].category')`.as(
        'taxCategories',
      ),
    )
    .where('tenant_id', '=', tenantId)
    .orderBy('id')
    .execute()
  return rows
}

function statementsOf(
  service: SimulatedService,
  payoutId: string,
): Promise<Accounts['payouts'][number]['documents']> {
  return service.testApp.database.db
    .selectFrom('partner_documents')
    .select(['cancels', 'number'])
    .select(sql<Totals>`document -> 'totals'`.as('totals'))
    .where('payout_id', '=', payoutId)
    .orderBy('cancels')
    .execute()
}

/** As they wait to be sent: the simulation has no mail server. */
async function mailsOf(service: SimulatedService): Promise<Books['mails']> {
  const rows = await service.testApp.database.db
    .selectFrom('outbox')
    .select(['tenant_id', 'template', 'values'])
    .where('template', 'in', ['invoice.paid', 'invoice.refunded', 'invoice.credited'])
    .execute()
  return rows.map(({ tenant_id: tenantId, template, values }) => ({
    tenantId: tenantId ?? '',
    template,
    number: String(values['invoice.number']),
    digits: Number(String(values['invoice.amount']).replaceAll(/\D/g, '')),
  }))
}

/** The start of each month of the year that ends then, and every sixth day in between. */
function momentsOf(end: Date): string[] {
  const [year, month] = [end.getUTCFullYear(), end.getUTCMonth()]
  return Array.from({ length: 13 }, (_, n) => month - 12 + n)
    .flatMap((of) => [1, 7, 13, 19, 25].map((day) => new Date(Date.UTC(year, of, day))))
    .filter((at) => at <= end)
    .map((at) => at.toISOString())
}
