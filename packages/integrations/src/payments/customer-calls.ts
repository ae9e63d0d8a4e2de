import type { PaymentCard } from '@atrium/core/billing/payment-records'
import type Stripe from 'stripe'
import type { StripeCalls } from './client.ts'
import type { PaymentCustomer, Payments, PostalAddress } from './port.ts'
import { idOf, objectOf, optionalId, text, whole } from './shapes.ts'

type CustomerCalls = Pick<
  Payments,
  | 'createCustomer'
  | 'updateCustomer'
  | 'findCustomer'
  | 'addTaxId'
  | 'findTaxId'
  | 'removeTaxId'
  | 'createSetupIntent'
  | 'findSetupIntent'
  | 'findPaymentMethod'
  | 'setDefaultPaymentMethod'
  | 'detachPaymentMethod'
  | 'createPortalSession'
>

export function customerCalls({ call }: StripeCalls): CustomerCalls {
  return {
    createCustomer: (
      { tenantId, tenantSlug, name, email, address, taxExempt },
      { idempotencyKey, ...options },
    ) =>
      call('createCustomer', options, ({ send }) =>
        send(
          'POST /v1/customers',
          (stripe) =>
            stripe.customers.create(
              {
                name,
                metadata: { tenantId, tenantSlug },
                ...(email !== null && { email }),
                ...(address !== null && { address: newAddress(address) }),
                ...(taxExempt !== undefined && { tax_exempt: taxExempt }),
              },
              { idempotencyKey },
            ),
          (customer) => ({ id: text(objectOf(customer, 'customer').id, 'id') }),
        ),
      ),

    updateCustomer: (id, { name, email, address, taxExempt }, { idempotencyKey, ...options }) =>
      call('updateCustomer', options, async ({ send }) => {
        await send(
          'POST /v1/customers/:id',
          (stripe) =>
            stripe.customers.update(
              id,
              {
                ...(name !== undefined && { name }),
                // An empty value unsets it.
                ...(email !== undefined && { email: email ?? '' }),
                ...(address !== undefined && {
                  address: address === null ? '' : wholeAddress(address),
                }),
                ...(taxExempt !== undefined && { tax_exempt: taxExempt }),
              },
              { idempotencyKey },
            ),
          (customer) => objectOf(customer, 'customer'),
        )
      }),

    findCustomer: (id, options) =>
      call('findCustomer', options, ({ find }) =>
        find(
          'GET /v1/customers/:id',
          (stripe) =>
            stripe.customers.retrieve(id, {
              expand: ['invoice_settings.default_payment_method', 'invoice_credit_balance'],
            }),
          customerOf,
        ),
      ),

    addTaxId: (customerId, value, { idempotencyKey, ...options }) =>
      call('addTaxId', options, ({ send }) =>
        send(
          'POST /v1/customers/:id/tax_ids',
          (stripe) =>
            stripe.customers.createTaxId(
              customerId,
              { type: taxIdType(value), value },
              { idempotencyKey },
            ),
          taxIdOf,
        ),
      ),

    findTaxId: (customerId, id, options) =>
      call('findTaxId', options, ({ find }) =>
        find(
          'GET /v1/customers/:id/tax_ids/:id',
          (stripe) => stripe.customers.retrieveTaxId(customerId, id),
          taxIdOf,
        ),
      ),

    removeTaxId: (customerId, id, { idempotencyKey, ...options }) =>
      call('removeTaxId', options, async ({ find }) => {
        await find(
          'DELETE /v1/customers/:id/tax_ids/:id',
          (stripe) => stripe.customers.deleteTaxId(customerId, id, {}, { idempotencyKey }),
          (gone) => objectOf(gone, 'tax_id'),
        )
      }),

    createSetupIntent: (customerId, { idempotencyKey, ...options }) =>
      call('createSetupIntent', options, ({ send }) =>
        send(
          'POST /v1/setup_intents',
          (stripe) =>
            stripe.setupIntents.create(
              {
                customer: customerId,
                usage: 'off_session',
                automatic_payment_methods: { enabled: true },
                // Invoices are charged off-session, which the other methods allow in some countries
                // only.
                allowed_payment_method_types: ['card'],
                metadata: { purpose: 'default_card' },
              },
              { idempotencyKey },
            ),
          (intent) => ({
            id: text(objectOf(intent, 'setup_intent').id, 'id'),
            clientSecret: text(intent.client_secret ?? '', 'client_secret'),
          }),
        ),
      ),

    findSetupIntent: (id, options) =>
      call('findSetupIntent', options, ({ find }) =>
        find(
          'GET /v1/setup_intents/:id',
          (stripe) => stripe.setupIntents.retrieve(id),
          (intent) => ({
            id: text(objectOf(intent, 'setup_intent').id, 'id'),
            customerId: optionalId(intent.customer, 'customer'),
            status: text(intent.status, 'status'),
            paymentMethodId: optionalId(intent.payment_method, 'payment_method'),
            metadata: { ...intent.metadata },
          }),
        ),
      ),

    findPaymentMethod: (id, options) =>
      call('findPaymentMethod', options, ({ find }) =>
        find(
          'GET /v1/payment_methods/:id',
          (stripe) => stripe.paymentMethods.retrieve(id),
          (method) => ({
            id: text(objectOf(method, 'payment_method').id, 'id'),
            customerId: optionalId(method.customer, 'customer'),
            card: cardOf(method),
          }),
        ),
      ),

    setDefaultPaymentMethod: (
      { customerId, paymentMethodId, subscriptionId },
      { idempotencyKey, ...options },
    ) =>
      call('setDefaultPaymentMethod', options, async ({ send }) => {
        await send(
          'POST /v1/customers/:id',
          (stripe) =>
            stripe.customers.update(
              customerId,
              { invoice_settings: { default_payment_method: paymentMethodId } },
              { idempotencyKey: `${idempotencyKey}:customer` },
            ),
          (customer) => objectOf(customer, 'customer'),
        )
        if (subscriptionId === null) return
        await send(
          'POST /v1/subscriptions/:id',
          (stripe) =>
            stripe.subscriptions.update(
              subscriptionId,
              { default_payment_method: '' },
              { idempotencyKey: `${idempotencyKey}:subscription` },
            ),
          (subscription) => objectOf(subscription, 'subscription'),
        )
      }),

    detachPaymentMethod: (id, { idempotencyKey, ...options }) =>
      call('detachPaymentMethod', options, async ({ send }) => {
        await send(
          'POST /v1/payment_methods/:id/detach',
          (stripe) => stripe.paymentMethods.detach(id, {}, { idempotencyKey }),
          (method) => objectOf(method, 'payment_method'),
        )
      }),

    createPortalSession: (customerId, returnUrl, { idempotencyKey, ...options }) =>
      call('createPortalSession', options, ({ send }) =>
        send(
          'POST /v1/billing_portal/sessions',
          (stripe) =>
            stripe.billingPortal.sessions.create(
              { customer: customerId, return_url: returnUrl },
              { idempotencyKey },
            ),
          (session) => ({ url: text(objectOf(session, 'billing_portal.session').url, 'url') }),
        ),
      ),
  }
}

function customerOf(
  response: Stripe.Customer | Stripe.DeletedCustomer,
): PaymentCustomer | undefined {
  const customer = objectOf(response, 'customer')
  if (customer.deleted) return undefined
  const method = customer.invoice_settings?.default_payment_method
  return {
    id: text(customer.id, 'id'),
    email: customer.email,
    credits: creditsOf(customer),
    defaultCard: typeof method === 'object' && method !== null ? cardOf(method) : null,
  }
}

/**
 * `balance` is that of the default currency, and below 0 where the customer has credit.
 * `invoice_credit_balance` has every currency, with the other sign.
 */
function creditsOf({
  balance,
  currency,
  invoice_credit_balance: others = {},
}: Stripe.Customer): Record<string, number> {
  const all = Object.entries({ ...others, ...(currency && { [currency]: 0 - balance }) })
  return Object.fromEntries(
    all
      .map(([code, amount]) => [code, whole(amount, 'invoice_credit_balance')] as const)
      .filter(([, amount]) => amount !== 0),
  )
}

/** Null for a method that is no card. The fingerprint stays where it is. */
export function cardOf(method: Stripe.PaymentMethod): PaymentCard | null {
  const { card } = method
  if (!card) return null
  return {
    paymentMethodId: idOf(method, 'id'),
    brand: text(card.brand, 'brand'),
    displayBrand: card.display_brand,
    last4: text(card.last4, 'last4'),
    expMonth: whole(card.exp_month, 'exp_month'),
    expYear: whole(card.exp_year, 'exp_year'),
    funding: text(card.funding, 'funding'),
    country: card.country,
    wallet: card.wallet?.type ?? null,
  }
}

/** Of a new customer: only what is there. */
export function newAddress(address: PostalAddress): Stripe.AddressParam {
  return Object.fromEntries(
    Object.entries(wholeAddress(address)).filter(([, value]) => value !== ''),
  )
}

/** An empty value unsets a part that the customer had. */
function wholeAddress(address: PostalAddress): Stripe.AddressParam {
  return {
    line1: address.line1 ?? '',
    line2: address.line2 ?? '',
    postal_code: address.postalCode ?? '',
    city: address.city ?? '',
    state: address.state ?? '',
    country: address.country ?? '',
  }
}

function taxIdOf(response: Stripe.TaxId): { id: string; value: string; status: string | null } {
  const taxId = objectOf(response, 'tax_id')
  return {
    id: text(taxId.id, 'id'),
    value: text(taxId.value, 'value'),
    status: taxId.verification?.status ?? null,
  }
}

/**
 * By the prefix of the number; that of Northern Ireland (`XI`) and of Greece (`EL`) are of the
 * Union.
 */
export function taxIdType(value: string): Stripe.CustomerCreateTaxIdParams.Type {
  const outside: Readonly<Record<string, Stripe.CustomerCreateTaxIdParams.Type>> = {
    GB: 'gb_vat',
    CH: 'ch_vat',
    NO: 'no_vat',
  }
  return outside[value.slice(0, 2)] ?? 'eu_vat'
}
