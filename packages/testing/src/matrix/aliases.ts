import { randomBytes } from 'node:crypto'
import { giveMailbox, mailOf } from '../mailboxes.ts'
import { adminsOrOperators, membersOrOperators, type Rows, slug, type World } from './rows.ts'

/**
 * Gives the colleague a mailbox. Returns an address that is free, or with `taken` one that the
 * mailbox has as an alias.
 */
async function aliasOf(
  { testApp, slug: name, colleague }: World,
  { taken = false } = {},
): Promise<string> {
  const made = randomBytes(4).toString('hex')
  const { accountId, domainId } = await giveMailbox(testApp, {
    slug: name,
    userId: colleague,
    localPart: `colleague-${made}`,
  })
  if (taken) await mailOf(testApp).addAlias({ accountId, localPart: `sales-${made}`, domainId })
  return `sales-${made}@${name}.tenants.local`
}

export const aliasesRows: Rows = {
  'aliases.list': [{ input: slug, expected: membersOrOperators }],
  'aliases.add': [
    {
      input: async (world) => ({
        ...slug(world),
        address: await aliasOf(world),
        userId: world.colleague,
      }),
      expected: adminsOrOperators,
    },
  ],
  'aliases.remove': [
    {
      input: async (world) => ({ ...slug(world), address: await aliasOf(world, { taken: true }) }),
      expected: adminsOrOperators,
    },
  ],
}
