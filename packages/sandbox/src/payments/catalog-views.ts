import Stripe from 'stripe'
import type { Price, Product, TaxRate } from './records.ts'

export function productView(product: Product): Stripe.Product {
  return {
    id: product.id,
    object: 'product',
    active: product.active,
    created: product.created,
    default_price: null,
    description: null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: product.metadata,
    name: product.name,
    package_dimensions: null,
    shippable: null,
    tax_details: null,
    type: 'service',
    updated: product.created,
    url: null,
  }
}

/** `withTiers`: they are shown only when asked for. */
export function priceView(price: Price, withTiers: boolean): Stripe.Price {
  return {
    id: price.id,
    object: 'price',
    active: price.active,
    billing_scheme: price.unitAmount === null ? 'tiered' : 'per_unit',
    created: price.created,
    currency: price.currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: price.lookupKey,
    metadata: price.metadata,
    nickname: null,
    product: price.product,
    recurring: {
      interval: price.interval,
      interval_count: 1,
      meter: null,
      trial_period_days: null,
      usage_type: 'licensed',
    },
    tax_behavior: price.taxBehavior,
    ...(withTiers && price.tiersMode !== null && { tiers: price.tiers.map(tierView) }),
    tiers_mode: price.tiersMode,
    transform_quantity: null,
    type: 'recurring',
    unit_amount: price.unitAmount,
    unit_amount_decimal: decimal(price.unitAmount),
  }
}

export function taxRateView(rate: TaxRate): Stripe.TaxRate {
  return {
    id: rate.id,
    object: 'tax_rate',
    active: rate.active,
    country: rate.country,
    created: rate.created,
    description: null,
    display_name: rate.displayName,
    effective_percentage: rate.percentage,
    flat_amount: null,
    inclusive: rate.inclusive,
    jurisdiction: rate.jurisdiction,
    jurisdiction_level: rate.country === null ? null : 'country',
    livemode: false,
    metadata: rate.metadata,
    percentage: rate.percentage,
    rate_type: 'percentage',
    state: null,
    tax_type: rate.taxType as Stripe.TaxRate.TaxType | null,
  }
}

function tierView({ upTo, unitAmount, flatAmount }: Price['tiers'][number]): Stripe.Price.Tier {
  return {
    flat_amount: flatAmount,
    flat_amount_decimal: decimal(flatAmount),
    unit_amount: unitAmount,
    unit_amount_decimal: decimal(unitAmount),
    up_to: upTo,
  }
}

/** The older format of an item's price; the API still sends it. */
export function planView(price: Price): Stripe.Plan {
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unitAmount,
    amount_decimal: decimal(price.unitAmount),
    billing_scheme: price.unitAmount === null ? 'tiered' : 'per_unit',
    created: price.created,
    currency: price.currency,
    interval: price.interval,
    interval_count: 1,
    livemode: false,
    metadata: price.metadata,
    meter: null,
    nickname: null,
    product: price.product,
    tiers_mode: price.tiersMode,
    transform_usage: null,
    trial_period_days: null,
    usage_type: 'licensed',
  }
}

export function decimal(amount: number | null) {
  return amount === null ? null : Stripe.Decimal.from(amount)
}
