import { membersOrOperators, type Rows, slug } from './rows.ts'

export const mfaRows: Rows = { 'mfa.status': [{ input: slug, expected: membersOrOperators }] }
