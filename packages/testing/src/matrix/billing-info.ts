import { adminsOrOperators, membersOrOperators, type Rows, slug } from './rows.ts'

export const billingInfoRows: Rows = {
  'billingInfo.get': [{ input: slug, expected: membersOrOperators }],
  'billingInfo.update': [
    { input: (world) => ({ ...slug(world), company: 'Acme GmbH' }), expected: adminsOrOperators },
  ],
}
