import { invalid } from './faults.ts'
import { type Form, leaves } from './form.ts'

const created = ['created.gt', 'created.gte', 'created.lt', 'created.lte']
const paging = ['limit', 'starting_after', 'ending_before', 'expand[]']
const address = [
  'address',
  'address.city',
  'address.country',
  'address.line1',
  'address.line2',
  'address.postal_code',
  'address.state',
]
const customer = [
  ...[
    'name',
    'email',
    'description',
    'phone',
    'balance',
    'preferred_locales[]',
    'tax_exempt',
    'metadata.*',
    'expand[]',
    ...address,
  ],
  ...[
    'invoice_prefix',
    'invoice_settings.default_payment_method',
    'invoice_settings.footer',
    'business_name',
    'individual_name',
  ],
]
const tax = ['automatic_tax.enabled', 'default_tax_rates', 'default_tax_rates[]']
const items = [
  'items[].id',
  'items[].price',
  'items[].quantity',
  'items[].metadata.*',
  'items[].deleted',
]
const price = [
  'lookup_key',
  'transfer_lookup_key',
  'nickname',
  'active',
  'tax_behavior',
  'metadata.*',
  'expand[]',
]

/**
 * What each call takes, by hand from the SDK's type declarations (stripe 23.1.0, API
 * 2026-10-28.endive); `*` is any key, `[]` any index. The real API rejects what it does not know,
 * so a parameter that went away must not pass here.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'GET /v1/balance': ['expand[]'],
  'POST /v1/customers': [
    ...customer,
    'payment_method',
    'test_clock',
    'tax_id_data[].type',
    'tax_id_data[].value',
  ],
  'GET /v1/customers/:id': ['expand[]'],
  'POST /v1/customers/:id': [...customer, 'default_source'],
  'DELETE /v1/customers/:id': [],
  'GET /v1/customers': [...paging, 'email', 'created.gte', 'created.lte', 'test_clock'],
  'POST /v1/customers/:id/tax_ids': ['type', 'value', 'expand[]'],
  'GET /v1/customers/:id/tax_ids': paging,
  'GET /v1/customers/:id/tax_ids/:id': ['expand[]'],
  'DELETE /v1/customers/:id/tax_ids/:id': [],
  'POST /v1/setup_intents': [
    ...[
      'customer',
      'usage',
      'automatic_payment_methods.enabled',
      'automatic_payment_methods.allow_redirects',
      'metadata.*',
      'expand[]',
    ],
    ...[
      'allowed_payment_method_types[]',
      'excluded_payment_method_types[]',
      'description',
      'return_url',
      'payment_method',
      'confirm',
    ],
  ],
  'GET /v1/setup_intents/:id': ['client_secret', 'expand[]'],
  'GET /v1/payment_methods/:id': ['expand[]'],
  'GET /v1/payment_methods': [...paging, 'customer', 'type'],
  'POST /v1/payment_methods/:id/attach': ['customer', 'expand[]'],
  'POST /v1/payment_methods/:id/detach': ['expand[]'],
  'POST /v1/billing_portal/sessions': [
    'customer',
    'return_url',
    'locale',
    'configuration',
    'on_behalf_of',
    'expand[]',
    'flow_data.type',
  ],
  'POST /v1/products': [
    'id',
    'name',
    'active',
    'description',
    'metadata.*',
    'unit_label',
    'expand[]',
  ],
  'GET /v1/products/:id': ['expand[]'],
  'POST /v1/prices': [
    ...[
      ...price,
      'currency',
      'unit_amount',
      'product',
      'product_data.name',
      'billing_scheme',
      'tiers_mode',
      'recurring.interval',
    ],
    ...[
      'recurring.interval_count',
      'tiers[].up_to',
      'tiers[].unit_amount',
      'tiers[].flat_amount',
      'recurring.usage_type',
    ],
  ],
  'GET /v1/prices/:id': ['expand[]'],
  'POST /v1/prices/:id': price,
  'GET /v1/prices': [...paging, 'active', 'currency', 'lookup_keys[]', 'product', 'type'],
  'GET /v1/tax_rates/:id': ['expand[]'],
  'GET /v1/tax_rates': [...paging, 'active', 'inclusive', 'created.gte', 'created.lte'],
  'POST /v1/tax_rates': [
    ...['active', 'country', 'description', 'display_name', 'inclusive', 'jurisdiction'],
    ...['percentage', 'state', 'tax_type', 'metadata.*', 'expand[]'],
  ],
  'POST /v1/subscriptions': [
    ...tax,
    ...[
      'customer',
      ...items,
      'metadata.*',
      'expand[]',
      'payment_behavior',
      'trial_period_days',
      'trial_end',
      'off_session',
      'currency',
    ],
    ...[
      'billing_mode.type',
      'billing_mode.flexible.proration_discounts',
      'default_payment_method',
      'collection_method',
      'description',
    ],
    ...[
      'trial_settings.end_behavior.missing_payment_method',
      'payment_settings.save_default_payment_method',
      'cancel_at_period_end',
    ],
    ...[
      'proration_behavior',
      'billing_cycle_anchor',
      'cancel_at',
      'days_until_due',
      'backdate_start_date',
    ],
  ],
  'GET /v1/subscriptions/:id': ['expand[]'],
  'POST /v1/subscriptions/:id': [
    ...tax,
    ...[
      ...items,
      'metadata.*',
      'expand[]',
      'payment_behavior',
      'proration_behavior',
      'proration_date',
      'billing_cycle_anchor.type',
    ],
    ...[
      'cancel_at_period_end',
      'cancellation_details.comment',
      'cancellation_details.feedback',
      'default_payment_method',
      'off_session',
    ],
    ...[
      'pause_collection',
      'pause_collection.behavior',
      'pause_collection.resumes_at',
      'trial_end',
      'description',
      'cancel_at',
    ],
    ...[
      'trial_settings.end_behavior.missing_payment_method',
      'payment_settings.save_default_payment_method',
      'collection_method',
    ],
  ],
  'DELETE /v1/subscriptions/:id': [
    'invoice_now',
    'prorate',
    'cancellation_details.comment',
    'cancellation_details.feedback',
    'expand[]',
  ],
  'POST /v1/subscriptions/:id/resume': [
    'billing_cycle_anchor.type',
    'proration_behavior',
    'proration_date',
    'expand[]',
    'payment_behavior',
  ],
  'GET /v1/subscriptions': [
    ...paging,
    'customer',
    'status',
    'price',
    'collection_method',
    'created.gte',
    'created.lte',
  ],
  'POST /v1/subscription_schedules': ['from_subscription', 'expand[]', 'metadata.*'],
  'GET /v1/subscription_schedules/:id': ['expand[]'],
  'POST /v1/subscription_schedules/:id': [
    ...['end_behavior', 'expand[]', 'metadata.*', 'proration_behavior'],
    ...['billing_cycle_anchor', 'end_date', 'metadata.*', 'proration_behavior', 'start_date'].map(
      (name) => `phases[].${name}`,
    ),
    ...[
      'duration.interval',
      'duration.interval_count',
      'items[].price',
      'items[].quantity',
      ...tax,
    ].map((name) => `phases[].${name}`),
  ],
  'POST /v1/subscription_schedules/:id/release': ['expand[]', 'preserve_cancel_date'],
  'GET /v1/invoices/:id': ['expand[]'],
  'GET /v1/invoices': [
    ...paging,
    'customer',
    'subscription',
    'status',
    'collection_method',
    'created.gte',
    'created.lte',
  ],
  'GET /v1/invoices/:id/lines': paging,
  'POST /v1/invoices/:id/pay': [
    'forgive',
    'off_session',
    'paid_out_of_band',
    'payment_method',
    'source',
    'expand[]',
  ],
  'POST /v1/invoices/:id/void': ['expand[]'],
  'POST /v1/invoices/:id/mark_uncollectible': ['expand[]'],
  'POST /v1/credit_notes': [
    ...['invoice', 'amount', 'credit_amount', 'out_of_band_amount', 'refund_amount', 'reason'],
    ...['memo', 'metadata.*', 'email_type', 'effective_at', 'expand[]'],
  ],
  'POST /v1/invoices/create_preview': [
    'automatic_tax.enabled',
    ...[...address, 'tax_exempt', 'tax_ids[].type', 'tax_ids[].value'].map(
      (name) => `customer_details.${name}`,
    ),
    ...['default_tax_rates', 'default_tax_rates[]', 'billing_mode.type'].map(
      (name) => `subscription_details.${name}`,
    ),
    ...[
      'customer',
      'subscription',
      'schedule',
      'currency',
      'preview_mode',
      'expand[]',
      ...items.map((item) => `subscription_details.${item}`),
    ],
    ...[
      'subscription_details.proration_behavior',
      'subscription_details.proration_date',
      'subscription_details.billing_cycle_anchor.type',
    ],
    ...[
      'subscription_details.trial_end',
      'subscription_details.cancel_now',
      'subscription_details.cancel_at_period_end',
    ],
  ],
  'GET /v1/invoice_payments': [
    ...paging,
    'invoice',
    'status',
    'payment.type',
    'payment.payment_intent',
    'payment.payment_record',
  ],
  'GET /v1/refunds/:id': ['expand[]'],
  'GET /v1/credit_notes/:id': ['expand[]'],
  'GET /v1/credit_notes/:id/lines': paging,
  'GET /v1/credit_notes': [...paging, 'customer', 'invoice', 'created.gte', 'created.lte'],
  'GET /v1/disputes/:id': ['expand[]'],
  'GET /v1/balance_transactions': [
    ...paging,
    ...created,
    ...['currency', 'payout', 'source', 'type'],
  ],
  'GET /v1/balance_transactions/:id': ['expand[]'],
  'GET /v1/payouts': [...paging, ...created, 'destination', 'status'],
  'GET /v1/payouts/:id': ['expand[]'],
  'GET /v1/events/:id': ['expand[]'],
  'GET /v1/events': [...paging, 'type', 'types[]', ...created, 'delivery_success'],
}

const templates = Object.keys(allowed).map((name) => ({ name, parts: name.split(/[ /]/) }))

/**
 * The name of the call as the table knows it, or undefined for one that the sandbox does not serve.
 * A fixed name goes before an id.
 */
export function callName(method: string, path: string): string | undefined {
  const direct = `${method} ${path}`
  if (direct in allowed) return direct
  const parts = direct.split(/[ /]/)
  const fits = ({ parts: template }: (typeof templates)[number]) =>
    template.length === parts.length &&
    template.every((part, index) => part === ':id' || part === parts[index])
  return templates.find(fits)?.name
}

/** Throws 400 `parameter_unknown` for the first parameter that the call does not take. */
export function checkParameters(call: string, form: Form): void {
  const taken = allowed[call] ?? []
  for (const { path } of leaves(form)) {
    if (taken.some((pattern) => fits(pattern, path))) continue
    const shown = path.replaceAll('[]', '[0]').replace(/\.([^.[]+)/g, '[$1]')
    throw invalid(`Received unknown parameter: ${shown}`, {
      code: 'parameter_unknown',
      param: shown,
    })
  }
}

function fits(pattern: string, path: string): boolean {
  return pattern.endsWith('.*')
    ? path.startsWith(pattern.slice(0, -1)) && !path.includes('.', pattern.length - 1)
    : pattern === path
}
