import { adminsOrOperators, membersOrOperators, type Rows, slug } from './rows.ts'

export const brandingRows: Rows = {
  'branding.get': [{ input: slug, expected: membersOrOperators }],
  'branding.update': [
    { input: (world) => ({ ...slug(world), productName: 'Branded' }), expected: adminsOrOperators },
  ],
  'branding.preview': [
    {
      input: (world) => ({ ...slug(world), template: 'member.welcome' }),
      expected: adminsOrOperators,
    },
  ],
}
