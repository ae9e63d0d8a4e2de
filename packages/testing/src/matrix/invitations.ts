import { type Caller, callers, type Expected, type Rows } from './rows.ts'

/** Nobody's access token is the token of a mailed link, and nobody is told more than that. */
const noLink = Object.fromEntries(
  callers.map((caller): [Caller, string] => [caller, 'not_found']),
) as Expected

export const invitationsRows: Rows = {
  'invitations.accept': [{ input: () => ({}), expected: noLink }],
}
