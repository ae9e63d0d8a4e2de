import { operatorsOnly, partnersOrOperators, type Rows, slug, type World, who } from './rows.ts'

const ofPartner = [
  {
    async input({ testApp, partnerId }: World) {
      const row = await testApp.database.db
        .selectFrom('partners')
        .select('slug')
        .where('id', '=', partnerId)
        .executeTakeFirstOrThrow()
      return { slug: row.slug }
    },
    expected: partnersOrOperators,
  },
]

export const healthScoresRows: Rows = {
  'healthScores.get': [
    {
      input: slug,
      expected: who(['admin', 'owner', 'partnerStaff', 'operator'], 'not_found', {
        member: 'not_admin',
      }),
    },
  ],
  'healthScores.report': [{ input: () => ({}), expected: operatorsOnly }],
  'healthScores.reportTenants': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'healthScores.partnerReport': ofPartner,
  'healthScores.partnerReportTenants': ofPartner,
}
