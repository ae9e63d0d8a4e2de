import type Stripe from 'stripe'
import { UpstreamError } from '../upstream-error.ts'
import type { Call, StripeCalls } from './client.ts'
import type { Payments, PriceInput } from './port.ts'
import { objectOf, text } from './shapes.ts'

export function priceCalls({ call }: StripeCalls): Pick<Payments, 'createPrice' | 'archivePrice'> {
  return {
    createPrice: (input, { idempotencyKey, ...options }) =>
      call('createPrice', options, async (current) => {
        const product = await ensureProduct(current, input.plan)
        return current.send(
          'POST /v1/prices',
          (stripe) =>
            stripe.prices.create({ product, ...priceParameters(input) }, { idempotencyKey }),
          (price) => ({ id: text(objectOf(price, 'price').id, 'id') }),
        )
      }),

    archivePrice: (id, { idempotencyKey, ...options }) =>
      call('archivePrice', options, async ({ send }) => {
        await send(
          'POST /v1/prices/:id',
          (stripe) => stripe.prices.update(id, { active: false }, { idempotencyKey }),
          (price) => objectOf(price, 'price'),
        )
      }),
  }
}

/** One product per plan, with an id of ours, so that we need not store its id. */
async function ensureProduct({ find, send }: Call, plan: string): Promise<string> {
  const id = `atrium_plan_${plan}`
  const read = (product: Stripe.Product) => text(objectOf(product, 'product').id, 'id')
  const found = await find('GET /v1/products/:id', (stripe) => stripe.products.retrieve(id), read)
  if (found !== undefined) return found
  try {
    return await send(
      'POST /v1/products',
      (stripe) =>
        stripe.products.create(
          { id, name: `${plan} plan`, metadata: { plan } },
          { idempotencyKey: `product:${id}` },
        ),
      read,
    )
  } catch (error) {
    // Two prices of one new plan at once: the other one made it.
    if (error instanceof UpstreamError && error.kind === 'conflict') return id
    throw error
  }
}

function priceParameters(input: PriceInput): Omit<Stripe.PriceCreateParams, 'product'> {
  const { plan, cycle, currency, scheme, unitAmount, tiers } = input
  const common = {
    currency,
    recurring: { interval: cycle },
    tax_behavior: input.taxBehavior,
    lookup_key: `${plan}:${cycle}:${currency}`,
    transfer_lookup_key: true,
    metadata: { plan, priceId: input.priceId, version: String(input.version) },
  } as const
  if (scheme === 'per_seat')
    return { ...common, billing_scheme: 'per_unit', unit_amount: unitAmount }
  if (scheme === 'flat') {
    return {
      ...common,
      billing_scheme: 'tiered',
      tiers_mode: 'volume',
      tiers: [{ up_to: 'inf', unit_amount: 0, flat_amount: unitAmount }],
    }
  }
  return {
    ...common,
    billing_scheme: 'tiered',
    tiers_mode: scheme,
    tiers: (tiers ?? []).map((tier) => ({
      up_to: tier.upTo ?? 'inf',
      unit_amount: tier.unitAmount,
      flat_amount: tier.flatAmount,
    })),
  }
}
