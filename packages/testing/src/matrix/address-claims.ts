import { randomBytes } from 'node:crypto'
import { claimedAddress, personElsewhere } from '../address-claims.ts'
import {
  adminsOrOperators,
  type Caller,
  callers,
  type Expected,
  everybody,
  others,
  type Rows,
} from './rows.ts'

/** No access token is the token of a mailed link, and no actor learns more than that. */
const noLink = Object.fromEntries(
  callers.map((caller): [Caller, string] => [caller, 'not_found']),
) as Expected

export const addressClaimsRows: Rows = {
  'addressClaims.list': [
    {
      input: async (world) => {
        const { domain } = await personElsewhere(world.testApp, world)
        return { slug: world.slug, domain }
      },
      expected: adminsOrOperators,
    },
  ],
  'addressClaims.start': [
    {
      input: async (world) => ({
        slug: world.slug,
        ...(await personElsewhere(world.testApp, world)),
      }),
      expected: adminsOrOperators,
    },
  ],
  'addressClaims.withdraw': [
    {
      input: async (world) => ({
        slug: world.slug,
        ...(await claimedAddress(world.testApp, world)),
      }),
      expected: adminsOrOperators,
    },
  ],
  'addressClaims.own': [{ input: () => ({}), expected: everybody }],
  // Nobody claims the addresses of these people.
  'addressClaims.change': [
    { input: () => ({ email: 'new@elsewhere.example' }), expected: others('not_found') },
  ],
  'addressClaims.confirm': [
    {
      input: () => ({ token: randomBytes(32).toString('base64url') }),
      expected: others('not_found'),
    },
  ],
  'addressClaims.move': [{ input: () => ({}), expected: noLink }],
}
