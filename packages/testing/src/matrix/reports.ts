import { operatorsOnly, type Row, type Rows, who } from './rows.ts'

const month = '2026-01'
const inputs = {
  mrr: {},
  growth: {},
  revenueByPlan: {},
  signupCohorts: {},
  churnCohorts: {},
  invoicedRevenue: {},
  mrrRows: { currency: 'eur' },
  growthRows: { month, currency: 'eur', movement: 'new' },
  revenueByPlanRows: { currency: 'eur', plan: 'starter', cycle: 'month' },
  signupCohortRows: { month },
  churnCohortRows: { month },
} as const
const forOperators = (input: Record<string, unknown>): Row[] => [
  { input: () => input, expected: operatorsOnly },
]
const forPartners = (input: Record<string, unknown>): Row[] => [
  {
    input: ({ partnerSlug }) => ({ slug: partnerSlug, ...input }),
    expected: who(['partnerStaff', 'operator'], 'operator_required', {
      foreignPartnerStaff: 'not_found',
      operatorTokenWithoutFlag: 'not_platform_admin',
    }),
  },
]
const rowsOf = (area: string, rows: (input: Record<string, unknown>) => Row[]): Rows =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [`${area}.${name}`, rows(input)]),
  )

export const reportsRows: Rows = {
  ...rowsOf('reports', forOperators),
  ...rowsOf('partnerReports', forPartners),
  'reports.topTenants': forOperators({}),
  'partnerReports.topCustomers': forPartners({}),
}
