import { priceView, productView, taxRateView } from './catalog-views.ts'
import { invalid, StripeFault } from './faults.ts'
import {
  type Form,
  flag,
  group,
  list,
  mergedMetadata,
  oneOf,
  required,
  text,
  whole,
} from './form.ts'
import type { Price, Tier } from './records.ts'
import { firstId, type Handlers, insideData, pageOf } from './request.ts'
import { newId } from './store.ts'
import type { PaymentsWorld } from './world.ts'

export const catalogRoutes: Handlers = {
  'POST /v1/products': (world, { form }) => {
    const id = text(form, 'id') ?? newId('prod', 14)
    if (world.store.products.find(id)) {
      throw new StripeFault(400, {
        type: 'invalid_request_error',
        code: 'resource_already_exists',
        message: 'Product already exists.',
      })
    }
    const product = {
      id,
      name: required(form, 'name'),
      metadata: mergedMetadata(form),
      active: true,
      created: world.now(),
    }
    world.store.products.add(product)
    world.emit('product.created', productView(product))
    return productView(product)
  },
  'GET /v1/products/:id': (world, request) =>
    productView(world.store.products.get(firstId(request))),
  'POST /v1/prices': (world, { form, expand }) => {
    const price: Price = {
      id: newId('price'),
      ...amounts(form),
      product: productOf(world, form),
      currency: currencyOf(form),
      interval: intervalOf(form),
      active: flag(form, 'active') ?? true,
      lookupKey: null,
      taxBehavior:
        oneOf(form, 'tax_behavior', ['exclusive', 'inclusive', 'unspecified']) ?? 'unspecified',
      metadata: mergedMetadata(form),
      created: world.now(),
    }
    takeLookupKey(world, price, form)
    world.store.prices.add(price)
    world.emit('price.created', priceView(price, false))
    return priceView(price, expand.includes('tiers'))
  },
  'GET /v1/prices/:id': (world, { ids, expand }) =>
    priceView(world.store.prices.get(ids[0] ?? ''), expand.includes('tiers')),
  'POST /v1/prices/:id': (world, request) => {
    const price = world.store.prices.get(firstId(request))
    price.active = flag(request.form, 'active') ?? price.active
    price.metadata = mergedMetadata(request.form, price.metadata)
    takeLookupKey(world, price, request.form)
    world.emit('price.updated', priceView(price, false))
    return priceView(price, request.expand.includes('tiers'))
  },
  'GET /v1/tax_rates/:id': (world, request) =>
    taxRateView(world.store.taxRates.get(firstId(request))),
  'GET /v1/tax_rates': (world, request) => {
    const active = flag(request.form, 'active')
    const rows = world.store.taxRates
      .all()
      .filter((one) => active === undefined || one.active === active)
    return pageOf(rows, request, '/v1/tax_rates', taxRateView)
  },
  'POST /v1/tax_rates': (world, { form }) => {
    const inclusive = flag(form, 'inclusive')
    if (inclusive === undefined)
      throw invalid('Missing required param: inclusive.', {
        code: 'parameter_missing',
        param: 'inclusive',
      })
    const rate = world.store.taxRates.add({
      id: newId('txr'),
      displayName: required(form, 'display_name'),
      percentage: percentageOf(form),
      inclusive,
      country: text(form, 'country') ?? null,
      jurisdiction: text(form, 'jurisdiction') ?? null,
      taxType: text(form, 'tax_type') ?? null,
      active: true,
      metadata: mergedMetadata(form),
      created: world.now(),
    })
    world.emit('tax_rate.created', taxRateView(rate))
    return taxRateView(rate)
  },
  'GET /v1/prices': (world, request) => {
    const keys = list(request.form, 'lookup_keys')
    const active = flag(request.form, 'active')
    const rows = world.store.prices
      .all()
      .filter((one) => active === undefined || one.active === active)
      .filter(
        (one) => keys.length === 0 || (one.lookupKey !== null && keys.includes(one.lookupKey)),
      )
    const withTiers = insideData(request.expand).includes('tiers')
    return pageOf(rows, request, '/v1/prices', (one) => priceView(one, withTiers))
  },
}

/** With at most four decimals. */
function percentageOf(form: Form): number {
  const value = required(form, 'percentage')
  if (!/^\d{1,3}(\.\d{1,4})?$/.test(value) || Number(value) > 100)
    throw invalid(`Invalid decimal: ${value}`, { param: 'percentage' })
  return Number(value)
}

function amounts(form: Form): Pick<Price, 'unitAmount' | 'tiersMode' | 'tiers'> {
  const scheme = oneOf(form, 'billing_scheme', ['per_unit', 'tiered']) ?? 'per_unit'
  if (scheme === 'per_unit') {
    const unitAmount = whole(form, 'unit_amount')
    if (unitAmount === undefined)
      throw invalid('Missing required param: unit_amount.', {
        code: 'parameter_missing',
        param: 'unit_amount',
      })
    if (unitAmount < 0)
      throw invalid('Invalid non-negative integer', {
        code: 'parameter_invalid_integer',
        param: 'unit_amount',
      })
    return { unitAmount, tiersMode: null, tiers: [] }
  }
  const tiersMode = oneOf(form, 'tiers_mode', ['graduated', 'volume'])
  if (tiersMode === undefined)
    throw invalid('Missing required param: tiers_mode.', {
      code: 'parameter_missing',
      param: 'tiers_mode',
    })
  const tiers = list(form, 'tiers').map((tier, index) => tierOf(tier, index))
  if (tiers.length === 0 || tiers.at(-1)?.upTo !== null)
    throw invalid('The last tier must be up to inf.', { param: 'tiers' })
  return { unitAmount: null, tiersMode, tiers }
}

function tierOf(tier: Form[string], index: number): Tier {
  if (typeof tier === 'string') throw invalid('Invalid object', { param: `tiers[${index}]` })
  const upTo = required(tier, 'up_to', `tiers[${index}][up_to]`)
  return {
    upTo: upTo === 'inf' ? null : (whole(tier, 'up_to', `tiers[${index}][up_to]`) ?? null),
    unitAmount: whole(tier, 'unit_amount') ?? 0,
    flatAmount: whole(tier, 'flat_amount') ?? 0,
  }
}

function productOf(world: PaymentsWorld, form: Form): string {
  const named = text(form, 'product')
  if (named !== undefined) return world.store.products.get(named, 'product').id
  const data = group(form, 'product_data')
  if (!data)
    throw invalid('Missing required param: product.', {
      code: 'parameter_missing',
      param: 'product',
    })
  const product = {
    id: newId('prod', 14),
    name: required(data, 'name', 'product_data[name]'),
    metadata: {},
    active: true,
    created: world.now(),
  }
  return world.store.products.add(product).id
}

function currencyOf(form: Form): string {
  const currency = required(form, 'currency').toLowerCase()
  if (!/^[a-z]{3}$/.test(currency))
    throw invalid(`Invalid currency: ${currency}`, { param: 'currency' })
  return currency
}

function intervalOf(form: Form): Price['interval'] {
  const recurring = group(form, 'recurring')
  if (!recurring) throw invalid('The sandbox knows recurring prices only.', { param: 'recurring' })
  const count = whole(recurring, 'interval_count') ?? 1
  const interval = oneOf(recurring, 'interval', ['month', 'year'])
  if (interval === undefined || count !== 1)
    throw invalid('The sandbox knows one month and one year only.', {
      param: 'recurring[interval]',
    })
  return interval
}

function takeLookupKey(world: PaymentsWorld, price: Price, form: Form): void {
  const key = text(form, 'lookup_key')
  if (key === undefined) return
  const holder = world.store.prices
    .all()
    .find((one) => one.lookupKey === key && one.id !== price.id)
  if (holder && !flag(form, 'transfer_lookup_key')) {
    throw invalid(`A price (\`${holder.id}\`) already uses that lookup key.`, {
      code: 'resource_already_exists',
      param: 'lookup_key',
    })
  }
  if (holder) holder.lookupKey = null
  price.lookupKey = key
}
