import { randomUUID } from 'node:crypto'
import { everybody, operatorsOnly, other, type Rows, who } from './rows.ts'

export const usersRows: Rows = {
  'users.me': [{ input: () => ({}), expected: everybody }],
  'users.list': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'users.create': [
    {
      input: () => ({
        idpSubjectId: randomUUID(),
        email: `${randomUUID()}@example.test`,
        name: 'New',
      }),
      expected: operatorsOnly,
    },
  ],
  'users.invite': [
    {
      input: () => ({ name: 'New', email: `${randomUUID()}@example.test` }),
      expected: operatorsOnly,
    },
  ],
  'users.get': [
    { input: other, expected: who(['operator'], 'not_found') },
    {
      input: ({ self, other: id }) => ({ id: self ?? id }),
      expected: { ...everybody, withoutRecord: 'not_found' },
    },
  ],
  'users.update': [
    {
      input: (world) => ({ ...other(world), phone: '+49 30 1234' }),
      expected: who(['operator'], 'not_found'),
    },
    {
      input: ({ self, other: id }) => ({ id: self ?? id, phone: '+49 30 1234' }),
      expected: { ...everybody, withoutRecord: 'not_found' },
    },
    {
      input: ({ self, other: id }) => ({ id: self ?? id, partnerId: null }),
      expected: { ...operatorsOnly, withoutRecord: 'not_found' },
    },
    {
      input: ({ self, other: id }) => ({ id: self ?? id, platformAdmin: true }),
      expected: { ...operatorsOnly, withoutRecord: 'not_found' },
    },
  ],
  'users.delete': [{ input: other, expected: operatorsOnly }],
  'users.deactivate': [{ input: other, expected: operatorsOnly }],
  'users.reactivate': [{ input: other, expected: operatorsOnly }],
}
