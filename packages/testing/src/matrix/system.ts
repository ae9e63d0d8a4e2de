import { operatorsOnly, type Rows } from './rows.ts'

export const systemRows: Rows = {
  'system.get': [{ input: () => ({}), expected: operatorsOnly }],
  'system.failures': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
}
