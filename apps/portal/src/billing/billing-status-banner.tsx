import type { BillingSummary } from '@atrium/core/billing/billing'
import { FailureText } from '@atrium/ui/failure-text'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { Alert } from '@mantine/core'
import { IconAlertCircle, IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react'

/**
 * What somebody should know before anything else: a payment that is missing, or why nothing can be
 * paid here.
 */
export function BillingStatusBanner({ billing }: { billing: BillingSummary }) {
  return (
    <>
      <Overdue billing={billing} />
      {billing.gate === 'disabled' && (
        <Alert
          mb="lg"
          color="blue"
          icon={<IconInfoCircle aria-hidden />}
          title="Online billing is not switched on"
        >
          Your provider bills this workplace in another way. What was billed here before can still
          be read.
        </Alert>
      )}
      {billing.gate === 'not_configured' && (
        <Alert
          mb="lg"
          color="blue"
          icon={<IconInfoCircle aria-hidden />}
          title="Online payment is being set up"
        >
          Your provider has not connected the payment processor yet. Nothing is due before that.
        </Alert>
      )}
      {billing.stale !== null && (
        <Alert
          mb="lg"
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          title="This may be a little old"
        >
          <FailureText text={billing.stale} /> This page shows the last known state.
        </Alert>
      )}
    </>
  )
}

function Overdue({ billing }: { billing: BillingSummary }) {
  const { state, limitedFrom, due, card, subscription } = billing
  if (state === 'ok') return <WithoutDebts billing={billing} />
  const owed = due
    .map(({ amountMinor, currency }) => formatMoney(amountMinor, currency))
    .join(' and ')
  const what = owed === '' ? 'The last payment' : `The payment of ${owed}`
  const next =
    card === null
      ? 'Add a card below; it is charged at once.'
      : 'Set another card below, or pay the open invoice; both are charged at once.'
  return state === 'limited' ? (
    <Alert
      mb="lg"
      color="red"
      variant="filled"
      icon={<IconAlertCircle aria-hidden />}
      title="A payment is overdue and this workplace is limited"
      role="alert"
    >
      {what} is missing. {billing.entitlements.explanation} That is members, domains and
      applications; mail and files go on. {next}
    </Alert>
  ) : (
    <Alert
      mb="lg"
      color="red"
      icon={<IconAlertCircle aria-hidden />}
      title="A payment did not go through"
      role="alert"
    >
      {what} is missing
      {subscription?.pastDueSince ? ` since ${formatDay(subscription.pastDueSince)}` : ''}. {next}
      {limitedFrom !== null &&
        ` From ${formatDay(limitedFrom)} no members, domains and applications can be added.`}
    </Alert>
  )
}

function WithoutDebts({ billing }: { billing: BillingSummary }) {
  const { subscription, entitlements } = billing
  if (subscription?.status === 'incomplete') return <FirstPayment billing={billing} />
  if (subscription?.status === 'paused') return <Paused billing={billing} />
  if (entitlements.reason === 'ended') {
    return (
      <Alert
        mb="lg"
        color="yellow"
        icon={<IconInfoCircle aria-hidden />}
        title="The subscription has ended"
      >
        {entitlements.explanation} Choose a plan below to go on.
      </Alert>
    )
  }
  return <TrialEnd billing={billing} />
}

/**
 * The way out of a pause: a card resumes it, whether it never had one or another one is to be
 * charged.
 */
function Paused({ billing: { card, entitlements } }: { billing: BillingSummary }) {
  return (
    <Alert
      mb="lg"
      color="yellow"
      icon={<IconAlertTriangle aria-hidden />}
      title="The subscription is paused"
    >
      {entitlements.explanation}{' '}
      {card === null
        ? 'Add a card below to resume it: a new period begins at once and is charged to the card.'
        : 'Use another card below, or pay the open invoice, to resume it: a new period begins at once.'}{' '}
      You can change plan and seats before that.
    </Alert>
  )
}

/** A first payment that is not through within 23 hours ends the subscription before it began. */
function FirstPayment({ billing: { card } }: { billing: BillingSummary }) {
  return (
    <Alert
      mb="lg"
      color="red"
      icon={<IconAlertCircle aria-hidden />}
      title="The first payment did not go through"
      role="alert"
    >
      The plan begins once it is paid.{' '}
      {card === null
        ? 'Add a card below; it is charged at once.'
        : 'Set another card below, which is charged at once; or open the invoice, if your bank wants you to confirm the payment.'}
    </Alert>
  )
}

function TrialEnd({ billing: { subscription, card, entitlements } }: { billing: BillingSummary }) {
  if (subscription?.status !== 'trialing' || subscription.trialEnd === null) return null
  return (
    <Alert
      mb="lg"
      color="blue"
      icon={<IconInfoCircle aria-hidden />}
      title={`The trial runs until ${formatDay(subscription.trialEnd)}`}
    >
      {entitlements.explanation}{' '}
      {card === null
        ? 'Add a card before that day. Without one the subscription is paused then, and the free plan follows.'
        : 'Then the card below is charged for the first time. Until then you can cancel without cost.'}
    </Alert>
  )
}
