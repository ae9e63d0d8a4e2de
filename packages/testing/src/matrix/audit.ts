import { operatorsOnly, type Rows } from './rows.ts'

export const auditRows: Rows = {
  'audit.query': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'audit.verify': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'audit.export': [{ input: () => ({ format: 'csv' }), expected: operatorsOnly }],
}
