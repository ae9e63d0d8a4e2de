import type {
  PaymentMethodSet,
  PaymentOutcome,
  SetPaymentMethod,
  SetupIntent,
} from '@atrium/core/billing/billing'
import type { PaymentCard } from '@atrium/core/billing/payment-records'
import { isEnded } from '@atrium/core/billing/subscription-life'
import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { findSubscriptionSummary } from '@atrium/db/billing/billing'
import { findOldestOpenInvoice } from '@atrium/db/billing/invoices'
import { findPaymentCustomer, noteCardChoice, saveCard } from '@atrium/db/billing/payment-customers'
import { databaseNow } from '@atrium/db/platform/clock'
import type { Trx } from '@atrium/db/platform/connect'
import type { Payments } from '@atrium/integrations/payments/port'
import type { PageLanguage } from '@atrium/messages/languages'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'
import { onCurrentSubscription } from '../subscriptions/catch-up.ts'
import { resumePaused } from '../subscriptions/resume.ts'
import { deleteProcessorCustomer, ensureCustomer } from './customer.ts'
import { paymentDeadline, throughPayments } from './failures.ts'
import { requireOpenBilling } from './gate.ts'
import { rejectDeleted } from './open.ts'
import { payAtOnce } from './pay.ts'
import { toCardView } from './view.ts'

/**
 * Begins the entry of a card, which goes to the payment processor directly. AppError
 * `billing_disabled`, `payments_not_configured`, `upstream_failed`.
 */
export async function createSetupIntent(
  { services, request }: Context,
  access: Access,
): Promise<SetupIntent> {
  rejectDeleted(access)
  const payments = await requireOpenBilling(services, access.tenant)
  const clientSecret = await throughPayments(async (signal) => {
    const customerId = await ensureCustomer(services, payments, access.tenant.id, signal)
    const idempotencyKey = `setup-intent:${access.tenant.id}:${request.requestId}`
    const intent = await payments.createSetupIntent(customerId, { idempotencyKey, signal })
    return intent.clientSecret
  })
  return {
    clientSecret,
    publishableKey: services.config.billing.publishableKey,
    cardFormUrl: cardFormUrl(services, clientSecret),
  }
}

/**
 * The card form of the local workplace, which has no form of the processor to show in the page;
 * null with the real processor.
 */
export function cardFormUrl(
  { config }: Pick<Services, 'config'>,
  clientSecret: string,
): string | null {
  if (!config.payments?.apiUrl) return null
  const url = new URL('/elements', config.payments.apiUrl)
  url.searchParams.set('client_secret', clientSecret)
  return url.href
}

/**
 * Sets an entered card as the one that invoices are charged to, and pays the oldest open invoice
 * with it when the subscription is past due. The card stays set when that payment fails, and the
 * response says so. AppError `invalid_input` for another customer's card.
 */
export async function setPaymentMethod(
  ctx: Context,
  access: Access,
  input: SetPaymentMethod,
): Promise<PaymentMethodSet> {
  const { services } = ctx
  rejectDeleted(access)
  const payments = await requireOpenBilling(services, access.tenant)
  const signal = paymentDeadline()
  const record = (stored: PaymentCard | null, trx?: Trx) => {
    const entry = cardEntry('billing.card_set', access.tenant, stored)
    return services.audit.record(ctx, access.caller, entry, trx)
  }
  const card = await throughPayments(async () => {
    const customerId = await ensureCustomer(services, payments, access.tenant.id, signal)
    const paymentMethodId = await ownCard(payments, customerId, input, signal)
    await noteCardChoice(services.database.db, customerId, services.clock.now())
    const key = `default-card:${ctx.request.requestId}`
    return chooseCard(services, payments, access.tenant.id, {
      customerId,
      paymentMethodId,
      key,
      signal,
      record,
    })
  }, signal)
  const payment = await payWhatIsBehind(services, payments, access.tenant.id, {
    language: ctx.request.language,
    signal,
  })
  return { card: card && toCardView(card, services.clock.now()), payment }
}

/**
 * The card that is meant, once it is shown to be this customer's. Throws AppError `invalid_input`.
 */
async function ownCard(
  payments: Payments,
  customerId: string,
  input: SetPaymentMethod,
  signal: AbortSignal,
): Promise<string> {
  const { setupIntentId } = input
  const intent =
    setupIntentId === undefined
      ? undefined
      : await payments.findSetupIntent(setupIntentId, { signal })
  if (
    setupIntentId !== undefined &&
    (intent?.customerId !== customerId || intent.status !== 'succeeded')
  ) {
    throw wrongField('setupIntentId', errorText('setupIntentOfOther'))
  }
  const paymentMethodId = intent?.paymentMethodId ?? input.paymentMethodId
  const found =
    paymentMethodId === undefined
      ? undefined
      : await payments.findPaymentMethod(paymentMethodId, { signal })
  if (!found || found.customerId !== customerId) {
    throw wrongField(
      setupIntentId === undefined ? 'paymentMethodId' : 'setupIntentId',
      errorText('paymentMethodOfOther'),
    )
  }
  return found.id
}

/**
 * Takes the card away. AppError `payment_method_in_use` while a subscription is charged to it,
 * `not_found` without one.
 */
export async function removePaymentMethod(ctx: Context, access: Access): Promise<void> {
  const { services } = ctx
  const { db } = services.database
  rejectDeleted(access)
  const payments = await requireOpenBilling(services, access.tenant)
  const [customer, subscription] = await Promise.all([
    findPaymentCustomer(db, access.tenant.id),
    findSubscriptionSummary(db, access.tenant.id),
  ])
  if (!customer?.customerId) throw noCard()
  const { customerId } = customer
  if (
    subscription?.stripeSubscriptionId &&
    !['canceled', 'incomplete_expired'].includes(subscription.status)
  ) {
    throw new AppError('payment_method_in_use', errorText('cardInUse'))
  }
  await throughPayments(async (signal) => {
    const readAt = await databaseNow(db)
    const card = await readCard(services, payments, customerId, readAt, { signal })
    if (!card) throw noCard()
    await payments.detachPaymentMethod(card.paymentMethodId, {
      idempotencyKey: `detach:${card.paymentMethodId}`,
      signal,
    })
    await db.transaction().execute(async (trx) => {
      await saveCard(trx, customerId, { card: null }, await databaseNow(trx))
      const entry = cardEntry('billing.card_removed', access.tenant, card)
      await services.audit.record(ctx, access.caller, entry, trx)
    })
  })
}

/** Records what was read, in the transaction that keeps it; without one where nothing is kept. */
type RecordCard = (card: PaymentCard | null, trx?: Trx) => Promise<void>

/**
 * Reads the default card and the credits, and keeps them as of `readAt`. A customer that is gone is
 * forgotten. Rejects with `UpstreamError`.
 */
export async function readCard(
  services: Services,
  payments: Payments,
  customerId: string,
  readAt: Date,
  { signal, record }: { signal?: AbortSignal | undefined; record?: RecordCard | undefined } = {},
): Promise<PaymentCard | null> {
  const customer = await payments.findCustomer(customerId, { signal })
  if (!customer) {
    await deleteProcessorCustomer(services, customerId)
    await record?.(null)
    return null
  }
  const { defaultCard: card, credits } = customer
  await services.database.db.transaction().execute(async (trx) => {
    await saveCard(trx, customerId, { card, credits }, readAt)
    await record?.(card, trx)
  })
  return card
}

/** Sets the default card at the processor and stores its response. */
export async function chooseCard(
  services: Services,
  payments: Payments,
  tenantId: string,
  {
    customerId,
    paymentMethodId,
    key,
    signal,
    record,
  }: {
    customerId: string
    paymentMethodId: string
    key: string
    signal?: AbortSignal
    record: RecordCard
  },
): Promise<PaymentCard | null> {
  const { db } = services.database
  await onCurrentSubscription(services, tenantId, async () => {
    const subscription = await findSubscriptionSummary(db, tenantId)
    const live = subscription && !isEnded(subscription.status)
    await payments.setDefaultPaymentMethod(
      {
        customerId,
        paymentMethodId,
        subscriptionId: live ? subscription.stripeSubscriptionId : null,
      },
      { idempotencyKey: key, signal },
    )
  })
  return readCard(services, payments, customerId, await databaseNow(db), { signal, record })
}

/**
 * Charges the oldest open invoice while the subscription is behind, and resumes one that is paused;
 * null when nothing is due. A failure is told in `language`.
 */
export async function payWhatIsBehind(
  services: Services,
  payments: Payments,
  tenantId: string,
  { language, signal }: { language: PageLanguage; signal?: AbortSignal | undefined },
): Promise<PaymentOutcome | null> {
  const { db } = services.database
  const subscription = await findSubscriptionSummary(db, tenantId)
  if (subscription?.status === 'paused')
    return resumePaused(services, payments, tenantId, { language, signal })
  const indebted = subscription && isEnded(subscription.status)
  if (
    !subscription ||
    (!indebted && !['past_due', 'unpaid', 'incomplete'].includes(subscription.status))
  )
    return null
  const invoice = await findOldestOpenInvoice(db, tenantId)
  return invoice ? payAtOnce(services, payments, invoice, { language, signal }) : null
}

/** What the audit log may know of a card: its brand and its last four digits. */
export function cardEntry(
  action: 'billing.card_set' | 'billing.card_removed',
  tenant: { id: string; slug: string; partnerSlug: string | null },
  card: PaymentCard | null,
) {
  return {
    action,
    resourceType: 'tenant',
    resourceId: tenant.id,
    resourceName: tenant.slug,
    tenantSlug: tenant.slug,
    partnerSlug: tenant.partnerSlug,
    metadata: card ? { brand: card.brand, last4: card.last4 } : {},
  }
}

const noCard = () => new AppError('not_found', errorText('noPaymentMethod'))
const wrongField = (path: string, message: ErrorText) =>
  new AppError('invalid_input', undefined, { issues: [{ path, message }] })
