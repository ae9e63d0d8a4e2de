import { adminsOrOperators, membersOrOperators, type Rows, slug } from './rows.ts'

export const securityPolicyRows: Rows = {
  'securityPolicy.get': [{ input: slug, expected: membersOrOperators }],
  'securityPolicy.update': [
    { input: (world) => ({ ...slug(world), mfaMode: 'off' }), expected: adminsOrOperators },
  ],
  'securityPolicy.preview': [
    { input: (world) => ({ ...slug(world), mfaMode: 'required' }), expected: adminsOrOperators },
  ],
}
