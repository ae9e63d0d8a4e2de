import { randomBytes } from 'node:crypto'
import { insertLedgerEntry } from '@atrium/db/billing/ledger'
import { insertAdjustment, insertPayout, lockPayouts } from '@atrium/db/billing/payouts'
import { operatorsOnly, partnersOrOperators, type Rows, type World } from './rows.ts'

/**
 * A partner created for the call would have no staff, so the entries go to the one of the world,
 * each in a currency of its own.
 */
export async function payout(
  { testApp, partnerId }: Pick<World, 'testApp' | 'partnerId'>,
  status: 'draft' | 'approved' | 'in_transit' | 'held' = 'draft',
  currency = newCurrency(),
) {
  const now = new Date()
  const { db } = testApp.database
  await db
    .updateTable('partners')
    .set({ self_billing_consent_at: now })
    .where('id', '=', partnerId)
    .execute()
  const id = await db.transaction().execute(async (trx) => {
    await lockPayouts(trx, partnerId)
    await insertLedgerEntry(trx, {
      partnerId,
      currency,
      type: 'adjustment',
      amount: 10_000_000n,
      sourceType: 'manual',
      sourceId: randomBytes(8).toString('hex'),
      availableAt: now,
      createdAt: now,
    })
    return insertPayout(trx, {
      partnerId,
      currency,
      status: 'draft',
      heldReason: null,
      requestedBy: null,
      cutOff: now,
      minimum: 1n,
      mostEntries: 10,
      now,
    })
  })
  if (!id) throw new Error('no payout was made')
  await db.updateTable('payouts').set({ status }).where('id', '=', id).execute()
  return { id, currency }
}

let made = 0
/**
 * aaa, aab, …: a partner has one open payout per currency. Calls that name the currency take one of
 * `listedCurrencies`.
 */
function newCurrency(): string {
  const letters = (made++).toString(26).padStart(3, '0')
  return [...letters].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('')
}

/** From the end of the alphabet, which `newCurrency` does not reach. */
const listedCurrencies = Intl.supportedValuesOf('currency').map((code) => code.toLowerCase())

async function partnerSlug({ testApp, partnerId }: World): Promise<string> {
  const { slug } = await testApp.database.db
    .selectFrom('partners')
    .select('slug')
    .where('id', '=', partnerId)
    .executeTakeFirstOrThrow()
  return slug
}

async function adjustment({ testApp, partnerId }: World) {
  const requested = {
    partnerId,
    currency: 'eur',
    amount: 1n,
    reason: 'Goodwill for all',
    state: 'pending',
    requestedBy: 'somebody',
    now: new Date(),
  } as const
  return {
    id: await testApp.database.db.transaction().execute((trx) => insertAdjustment(trx, requested)),
  }
}

const moved = (status: Parameters<typeof payout>[1], fields: Record<string, unknown> = {}) => [
  {
    input: async (world: World) => ({ id: (await payout(world, status)).id, ...fields }),
    expected: operatorsOnly,
  },
]
const ofPartner = (fields: Record<string, unknown> = {}) => [
  {
    input: async (world: World) => ({ slug: await partnerSlug(world), ...fields }),
    expected: partnersOrOperators,
  },
]
const itsPayout = [
  {
    input: async (world: World) => ({
      slug: await partnerSlug(world),
      payoutId: (await payout(world)).id,
    }),
    expected: partnersOrOperators,
  },
]

export const payoutsRows: Rows = {
  'payouts.list': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'payouts.get': moved('draft'),
  'payouts.approve': moved('draft'),
  'payouts.hold': moved('draft', { reason: 'Under review.' }),
  'payouts.reopen': moved('held'),
  'payouts.send': moved('approved'),
  'payouts.pay': moved('in_transit', { reference: 'SEPA 1' }),
  'payouts.fail': moved('in_transit', { reason: 'It came back.' }),
  'payouts.void': moved('draft', { reason: 'Not wanted.' }),
  'payouts.statement': moved('draft'),
  'payouts.adjustments': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'payouts.adjust': [
    {
      input: async (world) => ({
        partnerSlug: await partnerSlug(world),
        currency: 'eur',
        amountMinor: 1,
        reason: 'Goodwill for all',
      }),
      expected: operatorsOnly,
    },
  ],
  'payouts.approveAdjustment': [{ input: adjustment, expected: operatorsOnly }],
  'payouts.refuseAdjustment': [{ input: adjustment, expected: operatorsOnly }],
  'payouts.partnerBilling': ofPartner(),
  'payouts.ledger': ofPartner(),
  'payouts.exportLedger': ofPartner(),
  'payouts.partnerList': ofPartner(),
  'payouts.partnerGet': itsPayout,
  'payouts.partnerStatement': itsPayout,
  'payouts.request': [
    {
      async input(world) {
        const { id, currency } = await payout(world, 'draft', listedCurrencies.pop())
        // Freed again, so that something is payable.
        await world.testApp.database.db.transaction().execute(async (trx) => {
          await trx.deleteFrom('payout_entries').where('payout_id', '=', id).execute()
          await trx
            .updateTable('payouts')
            .set({ status: 'canceled' })
            .where('id', '=', id)
            .execute()
        })
        return { slug: await partnerSlug(world), currency }
      },
      expected: partnersOrOperators,
    },
  ],
  'payouts.consent': ofPartner({ agreed: true }),
  'documents.partnerAddress': ofPartner(),
  'documents.setPartnerAddress': [
    {
      // Another address than before: the same one again changes nothing.
      input: async (world) => ({
        slug: await partnerSlug(world),
        line1: `Main Street ${randomBytes(4).toString('hex')}`,
        city: 'Berlin',
      }),
      expected: partnersOrOperators,
    },
  ],
}
