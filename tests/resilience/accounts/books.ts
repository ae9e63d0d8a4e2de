import { sql } from 'kysely'
import type { Books, DocumentBook } from './checker/books.ts'
import { type Person, type SimulatedService, taxModes } from './service.ts'
import type { PlayedYear } from './year.ts'

/** Reads everything that the service says of a year, through its own procedures; legal documents as
 * they are stored. */
export async function readBooks(
  service: SimulatedService,
  { customers, partners, events, decisions }: PlayedYear,
): Promise<Books> {
  const [operator] = service.operators
  const { config } = service.testApp
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
  const { refunds, disputes } = service.testApp.sandbox.state().payments.records as Record<
    'refunds' | 'disputes',
    { id: string; invoice: string }[]
  >
  const tenants: Books['tenants'] = []
  for (const { slug, id, country } of customers) {
    const path = `/tenants/${slug}`
    const { plan, seats, status } = await read<Books['tenants'][number]>(path)
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
  const moments = momentsOf(service.now())
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
  const payouts: Books['payouts'] = []
  for (const { id } of await readAll<{ id: string }>('/billing/payouts'))
    payouts.push({
      ...(await read<Omit<Books['payouts'][number], 'documents'>>(`/billing/payouts/${id}`)),
      documents: await statementsOf(service, id),
    })
  return {
    end: service.now().toISOString(),
    rules: {
      graceDays: config.billing.graceDays,
      freeSeats: config.billing.freeSeats,
      trial: config.billing.trial,
      taxPercents: taxModes[service.taxMode].percents,
      holdDays: config.billing.partnerHoldDays,
    },
    events: events.map(({ type, created, body }) => ({
      type,
      created,
      object: JSON.parse(body).data.object,
    })),
    invoiceOf: Object.fromEntries(
      [...refunds, ...disputes].map(({ id, invoice }) => [id, invoice]),
    ),
    decisions: [...decisions],
    prices: await readAll('/prices'),
    tenants,
    partners: await Promise.all(
      partners.map(async ({ slug }) => ({
        slug,
        billing: await read<Books['partners'][number]['billing']>(`/partners/${slug}/billing`),
        ledger: await readAll<Books['partners'][number]['ledger'][number]>(
          `/partners/${slug}/ledger`,
        ),
      })),
    ),
    payouts,
    adjustments: await readAll('/billing/ledger-adjustments'),
    scopes,
    overview: await read('/billing/overview'),
  }
}

type Totals = DocumentBook['totals']

/** As they are stored: PDF and XML are made from that, and have tests of their own. */
async function documentsOf(service: SimulatedService, tenantId: string): Promise<DocumentBook[]> {
  const rows = await service.testApp.database.db
    .selectFrom('billing_documents')
    .select(['source', 'kind', 'cancels', 'number'])
    .select(sql<Totals>`document -> 'totals'`.as('totals'))
    .where('tenant_id', '=', tenantId)
    .orderBy('id')
    .execute()
  return rows
}

function statementsOf(
  service: SimulatedService,
  payoutId: string,
): Promise<Omit<DocumentBook, 'source' | 'kind'>[]> {
  return service.testApp.database.db
    .selectFrom('partner_documents')
    .select(['cancels', 'number'])
    .select(sql<Totals>`document -> 'totals'`.as('totals'))
    .where('payout_id', '=', payoutId)
    .orderBy('cancels')
    .execute()
}

/** The start of each month of the year that ends then, and every sixth day in between. */
function momentsOf(end: Date): string[] {
  const [year, month] = [end.getUTCFullYear(), end.getUTCMonth()]
  return Array.from({ length: 13 }, (_, n) => month - 12 + n)
    .flatMap((of) => [1, 7, 13, 19, 25].map((day) => new Date(Date.UTC(year, of, day))))
    .filter((at) => at <= end)
    .map((at) => at.toISOString())
}
