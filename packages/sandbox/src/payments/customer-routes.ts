import { findCard } from './cards.ts'
import {
  customerView,
  paymentMethodView,
  portalSessionView,
  setupIntentView,
  taxIdView,
} from './customer-views.ts'
import { invalid, missing } from './faults.ts'
import { type Form, group, list, mergedMetadata, oneOf, required, text } from './form.ts'
import { attachCard, removeCustomer, tellCustomer } from './people.ts'
import type { Address, Customer } from './records.ts'
import { firstId, type Handlers, pageOf } from './request.ts'
import { newId, newSecret } from './store.ts'
import { requireLocation } from './taxes.ts'
import type { PaymentsWorld } from './world.ts'

export const customerRoutes: Handlers = {
  'POST /v1/customers': (world, { form, expand }) => {
    const customer: Customer = {
      id: newId('cus', 14),
      name: null,
      email: null,
      address: null,
      metadata: mergedMetadata(form),
      defaultPaymentMethod: null,
      balance: 0,
      currency: null,
      taxExempt: 'none',
      created: world.now(),
      deleted: false,
    }
    applyFields(world, customer, form)
    world.store.customers.add(customer)
    tellCustomer(world, 'customer.created', customer)
    return customerView(world.store, customer, expand)
  },
  'GET /v1/customers/:id': (world, request) =>
    customerView(world.store, world.store.customers.get(firstId(request)), request.expand),
  'POST /v1/customers/:id': (world, request) => {
    const customer = living(world, firstId(request))
    const address = addressOf(request.form, customer.address)
    if (address !== customer.address) requireLocation(world, { ...customer, address })
    applyFields(world, customer, request.form)
    customer.metadata = mergedMetadata(request.form, customer.metadata)
    tellCustomer(world, 'customer.updated', customer)
    return customerView(world.store, customer, request.expand)
  },
  'DELETE /v1/customers/:id': (world, request) => {
    const customer = living(world, firstId(request))
    removeCustomer(world, customer)
    return { id: customer.id, object: 'customer', deleted: true }
  },
  'GET /v1/customers': (world, request) => {
    const email = text(request.form, 'email')
    const rows = world.store.customers
      .all()
      .filter((one) => !one.deleted && (email === undefined || one.email === email))
    return pageOf(rows, request, '/v1/customers', (one) => customerView(world.store, one, []))
  },
  'POST /v1/customers/:id/tax_ids': (world, request) => {
    const customer = living(world, firstId(request))
    const type = required(request.form, 'type')
    const value = required(request.form, 'value')
    const fits = /^[A-Z]{2}[A-Z0-9]{2,13}$/.test(value) || (type === 'ch_vat' && /^CHE/.test(value))
    if (!fits || (type === 'eu_vat' && value.startsWith('GR'))) {
      throw invalid(`Invalid value for ${type}.`, { code: 'tax_id_invalid', param: 'value' })
    }
    const taxId = world.store.taxIds.add({
      id: newId('txi'),
      customer: customer.id,
      type,
      value,
      status: 'pending',
      created: world.now(),
    })
    world.emit('customer.tax_id.created', taxIdView(taxId))
    return taxIdView(taxId)
  },
  'GET /v1/customers/:id/tax_ids': (world, request) => {
    const customer = living(world, firstId(request))
    const rows = world.store.taxIds.all().filter((one) => one.customer === customer.id)
    return pageOf(rows, request, `/v1/customers/${customer.id}/tax_ids`, taxIdView)
  },
  'GET /v1/customers/:id/tax_ids/:id': (world, { ids }) => taxIdView(ownTaxId(world, ids)),
  'DELETE /v1/customers/:id/tax_ids/:id': (world, { ids }) => {
    const taxId = ownTaxId(world, ids)
    world.store.taxIds.remove(taxId.id)
    world.emit('customer.tax_id.deleted', taxIdView(taxId))
    return { id: taxId.id, object: 'tax_id', deleted: true }
  },
  'POST /v1/setup_intents': (world, { form }) => {
    const customer = text(form, 'customer')
    if (customer !== undefined) living(world, customer, 'customer')
    const types = list(form, 'allowed_payment_method_types').filter(
      (type) => typeof type === 'string',
    )
    const id = newId('seti')
    const intent = world.store.setupIntents.add({
      id,
      customer: customer ?? null,
      secret: newSecret(id),
      status: 'requires_payment_method',
      paymentMethod: null,
      metadata: mergedMetadata(form),
      usage: oneOf(form, 'usage', ['off_session', 'on_session']) ?? 'off_session',
      allowedTypes: types.length > 0 ? types : null,
      failure: null,
      created: world.now(),
    })
    world.emit('setup_intent.created', setupIntentView(world.store, intent))
    return setupIntentView(world.store, intent)
  },
  'GET /v1/setup_intents/:id': (world, request) =>
    setupIntentView(world.store, world.store.setupIntents.get(firstId(request))),
  'GET /v1/payment_methods/:id': (world, request) =>
    paymentMethodView(world.store.paymentMethods.get(firstId(request))),
  'GET /v1/payment_methods': (world, request) => {
    const customer = required(request.form, 'customer')
    const rows = world.store.paymentMethods.all().filter((one) => one.customer === customer)
    return pageOf(rows, request, '/v1/payment_methods', paymentMethodView)
  },
  'POST /v1/payment_methods/:id/attach': (world, request) => {
    const id = firstId(request)
    const customer = living(world, required(request.form, 'customer'), 'customer')
    const card = findCard(world.store.paymentMethods.find(id)?.number ?? id)
    if (!card) throw missing('PaymentMethod', id)
    return paymentMethodView(attachCard(world, customer, card))
  },
  'POST /v1/payment_methods/:id/detach': (world, request) => {
    const method = world.store.paymentMethods.get(firstId(request))
    if (method.customer === null) {
      throw invalid(
        'The payment method you provided is not attached to a customer so detachment is impossible.',
      )
    }
    for (const customer of world.store.customers.all())
      if (customer.defaultPaymentMethod === method.id) customer.defaultPaymentMethod = null
    for (const one of world.store.subscriptions.all())
      if (one.defaultPaymentMethod === method.id) one.defaultPaymentMethod = null
    method.customer = null
    world.emit('payment_method.detached', paymentMethodView(method))
    return paymentMethodView(method)
  },
  'POST /v1/billing_portal/sessions': (world, { form }) => {
    const customer = living(world, required(form, 'customer'), 'customer')
    const session = world.store.portalSessions.add({
      id: newId('bps'),
      customer: customer.id,
      returnUrl: text(form, 'return_url') ?? null,
      created: world.now(),
    })
    return portalSessionView(session, world.origin())
  },
}

/** A customer that may be changed. Throws 404 also for one that was deleted. */
function living(world: PaymentsWorld, id: string, param = 'id'): Customer {
  const customer = world.store.customers.get(id, param)
  if (customer.deleted) throw missing('customer', id, param)
  return customer
}

function ownTaxId(world: PaymentsWorld, [customer = '', id = '']: readonly string[]) {
  living(world, customer)
  const taxId = world.store.taxIds.get(id)
  if (taxId.customer !== customer) throw missing('tax_id', id)
  return taxId
}

function applyFields(world: PaymentsWorld, customer: Customer, form: Form): void {
  const value = (name: string, now: string | null) => {
    const provided = text(form, name)
    return provided === undefined ? now : provided === '' ? null : provided
  }
  customer.name = value('name', customer.name)
  customer.email = value('email', customer.email)
  if (customer.email !== null && !/^[^\s@]+@[^\s@]+$/.test(customer.email)) {
    throw invalid(`Invalid email address: ${customer.email}`, {
      code: 'email_invalid',
      param: 'email',
    })
  }
  customer.address = addressOf(form, customer.address)
  customer.taxExempt =
    oneOf(form, 'tax_exempt', ['none', 'exempt', 'reverse']) ?? customer.taxExempt
  const settings = group(form, 'invoice_settings')
  const method = settings && text(settings, 'default_payment_method')
  if (method === undefined) return
  if (
    method !== '' &&
    world.store.paymentMethods.get(method, 'invoice_settings[default_payment_method]').customer !==
      customer.id
  ) {
    throw invalid(
      'The customer does not have a payment method with that ID. The payment method must be attached to the customer first.',
      {
        code: 'resource_missing',
        param: 'invoice_settings[default_payment_method]',
      },
    )
  }
  customer.defaultPaymentMethod = method === '' ? null : method
}

/** An address is replaced as a whole; an empty one is removed. */
export function addressOf(form: Form, before: Address | null): Address | null {
  if (text(form, 'address') === '') return null
  const address = group(form, 'address')
  if (!address) return before
  return {
    line1: text(address, 'line1') || null,
    line2: text(address, 'line2') || null,
    postalCode: text(address, 'postal_code') || null,
    city: text(address, 'city') || null,
    state: text(address, 'state') || null,
    country: text(address, 'country') || null,
  }
}
