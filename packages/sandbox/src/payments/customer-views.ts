import type Stripe from 'stripe'
import { findCard } from './cards.ts'
import type {
  Address,
  Customer,
  PaymentMethod,
  PortalSession,
  SetupIntent,
  TaxId,
} from './records.ts'
import type { PaymentsStore } from './store.ts'

/** `expand` names the references to be shown whole, as Stripe's parameter of that name. */
export function customerView(
  store: PaymentsStore,
  customer: Customer,
  expand: readonly string[],
): Stripe.Customer | Stripe.DeletedCustomer {
  if (customer.deleted) return { id: customer.id, object: 'customer', deleted: true }
  const method =
    customer.defaultPaymentMethod === null
      ? undefined
      : store.paymentMethods.find(customer.defaultPaymentMethod)
  const whole = expand.includes('invoice_settings.default_payment_method')
  const delinquent = store.invoices
    .all()
    .some((one) => one.customer === customer.id && one.status === 'open' && one.attemptCount > 0)
  return {
    id: customer.id,
    object: 'customer',
    address: customer.address && addressView(customer.address),
    balance: customer.balance,
    created: customer.created,
    currency: customer.currency,
    default_source: null,
    delinquent,
    description: null,
    discount: null,
    email: customer.email,
    ...(expand.includes('invoice_credit_balance') && {
      invoice_credit_balance:
        customer.currency === null ? {} : { [customer.currency]: 0 - customer.balance },
    }),
    invoice_prefix: customer.id.slice(4, 12).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: method ? (whole ? paymentMethodView(method) : method.id) : null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: customer.metadata,
    name: customer.name,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: customer.taxExempt,
    test_clock: null,
  }
}

export function addressView(address: Address): Stripe.Address {
  const { line1, line2, postalCode, city, state, country } = address
  return { line1, line2, postal_code: postalCode, city, state, country }
}

export function paymentMethodView(method: PaymentMethod): Stripe.PaymentMethod {
  const card = findCard(method.number)
  return {
    id: method.id,
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: {
      address: {
        city: null,
        country: null,
        line1: null,
        line2: null,
        postal_code: null,
        state: null,
      },
      email: null,
      name: null,
      phone: null,
      tax_id: null,
    },
    card: {
      brand: card?.brand ?? 'unknown',
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: card?.country ?? null,
      display_brand: card?.brand ?? null,
      exp_month: method.expMonth,
      exp_year: method.expYear,
      fingerprint: `fp${method.number.slice(-10)}`,
      funding: card?.funding ?? 'unknown',
      generated_from: null,
      last4: method.number.slice(-4),
      networks: { available: [card?.brand ?? 'unknown'], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: method.created,
    customer: method.customer,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  }
}

export function setupIntentView(store: PaymentsStore, intent: SetupIntent): Stripe.SetupIntent {
  const method =
    intent.paymentMethod === null ? undefined : store.paymentMethods.find(intent.paymentMethod)
  return {
    id: intent.id,
    object: 'setup_intent',
    allowed_payment_method_types: intent.allowedTypes,
    application: null,
    automatic_payment_methods: { allow_redirects: 'always', enabled: true },
    cancellation_reason: null,
    client_secret: intent.secret,
    created: intent.created,
    customer: intent.customer,
    description: null,
    excluded_payment_method_types: null,
    last_setup_error:
      intent.failure === null
        ? null
        : {
            type: 'card_error',
            code: 'card_declined',
            decline_code: intent.failure,
            message: 'Your card was declined.',
          },
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: intent.metadata,
    next_action: intent.status === 'requires_action' ? { type: 'redirect_to_url' } : null,
    on_behalf_of: null,
    payment_method: method?.id ?? null,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ['card'],
    single_use_mandate: null,
    status: intent.status,
    usage: intent.usage,
  }
}

export function taxIdView(taxId: TaxId): Stripe.TaxId {
  return {
    id: taxId.id,
    object: 'tax_id',
    country: taxId.value.slice(0, 2),
    created: taxId.created,
    customer: taxId.customer,
    customer_account: null,
    livemode: false,
    owner: { type: 'customer', customer: taxId.customer, customer_account: null },
    type: taxId.type,
    value: taxId.value,
    verification: { status: taxId.status, verified_address: null, verified_name: null },
  }
}

export function portalSessionView(
  session: PortalSession,
  origin: string,
): Stripe.BillingPortal.Session {
  return {
    id: session.id,
    object: 'billing_portal.session',
    configuration: 'bpc_sandbox',
    created: session.created,
    customer: session.customer,
    customer_account: null,
    flow: null,
    livemode: false,
    locale: null,
    on_behalf_of: null,
    return_url: session.returnUrl,
    url: `${origin}/portal/${session.id}`,
  }
}
