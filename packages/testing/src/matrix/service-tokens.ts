import type { TokenOwner } from '@atrium/db/service-tokens/service-tokens'
import { insertServiceToken } from '../service-tokens.ts'
import {
  adminsOrOperators,
  operatorsOnly,
  others,
  partnersOrOperators,
  type Rows,
  slug,
  type World,
  who,
} from './rows.ts'

const admins = who(['admin', 'owner'], 'not_found', {
  member: 'not_admin',
  partnerStaff: 'not_admin',
  operator: 'not_admin',
})

const created = { name: 'Directory sync', scopes: ['members:read'], expiresInDays: 30 }
const ofTenant = ({ tenantId }: World): TokenOwner => ({ kind: 'tenant', tenantId })
const ofPartner = ({ partnerId }: World): TokenOwner => ({ kind: 'partner', partnerId })
const ofPlatform = (): TokenOwner => ({ kind: 'platform' })
const atPartner = ({ partnerSlug }: World) => ({ slug: partnerSlug })

/** The id of a new token of the owner. */
async function token(world: World, owner: (world: World) => TokenOwner): Promise<{ id: string }> {
  const { id } = await insertServiceToken(world.testApp, owner(world))
  return { id }
}

export const serviceTokensRows: Rows = {
  'serviceTokens.current': [{ input: () => ({}), expected: others('not_found') }],
  'serviceTokens.list': [{ input: slug, expected: adminsOrOperators }],
  'serviceTokens.create': [
    { input: (world) => ({ ...slug(world), ...created }), expected: admins },
  ],
  'serviceTokens.rotate': [
    {
      input: async (world) => ({ ...slug(world), ...(await token(world, ofTenant)) }),
      expected: admins,
    },
  ],
  'serviceTokens.revoke': [
    {
      input: async (world) => ({ ...slug(world), ...(await token(world, ofTenant)) }),
      expected: adminsOrOperators,
    },
  ],
  'serviceTokens.listOfPartner': [{ input: atPartner, expected: partnersOrOperators }],
  'serviceTokens.createOfPartner': [
    { input: (world) => ({ ...atPartner(world), ...created }), expected: partnersOrOperators },
  ],
  'serviceTokens.rotateOfPartner': [
    {
      input: async (world) => ({ ...atPartner(world), ...(await token(world, ofPartner)) }),
      expected: partnersOrOperators,
    },
  ],
  'serviceTokens.revokeOfPartner': [
    {
      input: async (world) => ({ ...atPartner(world), ...(await token(world, ofPartner)) }),
      expected: partnersOrOperators,
    },
  ],
  'serviceTokens.listOfPlatform': [{ input: () => ({}), expected: operatorsOnly }],
  'serviceTokens.createOfPlatform': [{ input: () => created, expected: operatorsOnly }],
  'serviceTokens.rotateOfPlatform': [
    { input: (world) => token(world, ofPlatform), expected: operatorsOnly },
  ],
  'serviceTokens.revokeOfPlatform': [
    { input: (world) => token(world, ofPlatform), expected: operatorsOnly },
  ],
}
