import {
  findCustomerTenant,
  findTenantOfCustomer,
  noteCardChoice,
  saveCardFailure,
} from '@atrium/db/billing/payment-customers'
import { PaymentDeclined } from '@atrium/integrations/payments/declined'
import { defaultLanguage } from '@atrium/messages/languages'
import { cardEntry, chooseCard, payWhatIsBehind, readCard } from '../invoices/card.ts'
import {
  applied,
  type EventWork,
  needsKeys,
  type Outcome,
  skipped,
  stale,
  textOf,
  unknownTenant,
} from './outcome.ts'

/**
 * A payment method came, went, or was renewed by its network: the customer's default card is read
 * again.
 */
export async function cardChanged({
  services,
  event,
  payments,
  object,
}: EventWork): Promise<Outcome> {
  const data = event.payload.data
  const previous: unknown =
    typeof data === 'object' && data !== null ? Reflect.get(data, 'previous_attributes') : undefined
  const former =
    typeof previous === 'object' && previous !== null
      ? textOf({ ...previous }, 'customer')
      : undefined
  const customerId = textOf(object, 'customer') ?? former
  if (customerId === undefined) return skipped('customerMissing')
  if ((await findTenantOfCustomer(services.database.db, customerId)) === undefined)
    return unknownTenant
  if (!payments) return needsKeys
  await readCard(services, payments, customerId, event.claimedAt)
  return applied
}

/**
 * The entry of a card is through: makes it the default when that was its purpose, and no other was
 * chosen since.
 */
export async function cardSetUp({ services, event, payments }: EventWork): Promise<Outcome> {
  if (!payments) return needsKeys
  const { db } = services.database
  const intent = await payments.findSetupIntent(event.objectId ?? '')
  if (intent?.status !== 'succeeded' || intent.metadata.purpose !== 'default_card')
    return skipped('noDefaultCard')
  const { customerId, paymentMethodId } = intent
  if (customerId === null || paymentMethodId === null) return skipped('paymentMethodMissing')
  const tenantId = await findTenantOfCustomer(db, customerId)
  if (tenantId === undefined) return unknownTenant
  if (!(await noteCardChoice(db, customerId, event.created))) return stale
  const method = await payments.findPaymentMethod(paymentMethodId)
  if (method?.customerId !== customerId) return skipped('paymentMethodRemoved')
  await chooseCard(services, payments, tenantId, {
    customerId,
    paymentMethodId,
    key: `default-card:${intent.id}`,
    async record(card, trx) {
      const tenant = await findCustomerTenant(trx ?? db, tenantId)
      if (!tenant) return
      const entry = cardEntry('billing.card_set', tenant, card)
      await services.audit.recordSystem({ ...entry, source: 'webhook' }, trx)
    },
  })
  await payWhatIsBehind(services, payments, tenantId, { language: defaultLanguage })
  return applied
}

/** Keeps why, in our words, until a card is set up. */
export async function cardFailed({ services, event, object }: EventWork): Promise<Outcome> {
  const customerId = textOf(object, 'customer')
  if (customerId === undefined) return skipped('customerMissing')
  if ((await findTenantOfCustomer(services.database.db, customerId)) === undefined)
    return unknownTenant
  const fault = object.last_setup_error
  const words = typeof fault === 'object' && fault !== null ? { ...fault } : {}
  const code = textOf(words, 'decline_code') ?? textOf(words, 'code')
  await saveCardFailure(
    services.database.db,
    customerId,
    new PaymentDeclined(code).message,
    event.created,
  )
  return applied
}
