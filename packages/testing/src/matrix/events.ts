import { operatorsOnly, type Rows } from './rows.ts'

export const eventsRows: Rows = {
  'events.list': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'events.stream': [{ input: () => ({}), expected: operatorsOnly }],
}
