import { type Caller, callers, type Expected, type Rows } from './rows.ts'

/** No access token is the token of a mailed link, and no actor learns more than that. */
const noLink = Object.fromEntries(
  callers.map((caller): [Caller, string] => [caller, 'not_found']),
) as Expected

export const invitationsRows: Rows = {
  'invitations.accept': [{ input: () => ({}), expected: noLink }],
}
