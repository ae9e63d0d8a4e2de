import { membersOrOperators, type Rows, slug } from './rows.ts'

export const storageRows: Rows = { 'storage.get': [{ input: slug, expected: membersOrOperators }] }
