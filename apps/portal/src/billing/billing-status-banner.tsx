import type { BillingSummary } from '@atrium/core/billing/billing'
import { FailureText } from '@atrium/ui/failure-text'
import { formatDay, formatList, formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Alert } from '@mantine/core'
import { IconAlertCircle, IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react'

const t = translations('portal.billing')

/** The most important notice: a missing payment, or why payments are unavailable here. */
export function BillingStatusBanner({ billing }: { billing: BillingSummary }) {
  return (
    <>
      <Overdue billing={billing} />
      {billing.gate === 'disabled' && (
        <Alert
          mb="lg"
          color="blue"
          icon={<IconInfoCircle aria-hidden />}
          title={t('banner.disabled.title')}
        >
          {t('banner.disabled.hint')}
        </Alert>
      )}
      {billing.gate === 'not_configured' && (
        <Alert
          mb="lg"
          color="blue"
          icon={<IconInfoCircle aria-hidden />}
          title={t('banner.notConfigured.title')}
        >
          {t('banner.notConfigured.hint')}
        </Alert>
      )}
      {billing.stale !== null && (
        <Alert
          mb="lg"
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          title={t('banner.stale.title')}
        >
          <FailureText text={billing.stale} /> {t('banner.stale.hint')}
        </Alert>
      )}
    </>
  )
}

function Overdue({ billing }: { billing: BillingSummary }) {
  const { state, limitedFrom, due, card, subscription } = billing
  if (state === 'ok') return <WithoutDebts billing={billing} />
  const outstanding = formatList(
    due.map(({ amountMinor, currency }) => formatMoney(amountMinor, currency)),
  )
  const next = t(card === null ? 'banner.addCard' : 'banner.otherCard')
  const since = subscription?.pastDueSince
  return state === 'limited' ? (
    <Alert
      mb="lg"
      color="red"
      variant="filled"
      icon={<IconAlertCircle aria-hidden />}
      title={t('banner.limited.title')}
      role="alert"
    >
      {t('banner.missing', { amount: outstanding || 'none', dated: 'no', since: '' })}{' '}
      {billing.entitlements.explanation} {t('banner.limited.hint')} {next}
    </Alert>
  ) : (
    <Alert
      mb="lg"
      color="red"
      icon={<IconAlertCircle aria-hidden />}
      title={t('banner.pastDue.title')}
      role="alert"
    >
      {t('banner.missing', {
        amount: outstanding || 'none',
        dated: since ? 'yes' : 'no',
        since: since ? formatDay(since) : '',
      })}{' '}
      {next}{' '}
      {limitedFrom !== null && t('banner.pastDue.limitedFrom', { day: formatDay(limitedFrom) })}
    </Alert>
  )
}

function WithoutDebts({ billing }: { billing: BillingSummary }) {
  const { subscription, entitlements } = billing
  // What is being ordered says so itself (payment-notice.tsx).
  if (subscription?.status === 'incomplete') return null
  if (subscription?.status === 'paused') return <Paused billing={billing} />
  if (entitlements.reason === 'ended') {
    return (
      <Alert
        mb="lg"
        color="yellow"
        icon={<IconInfoCircle aria-hidden />}
        title={t('banner.ended.title')}
      >
        {entitlements.explanation} {t('banner.ended.hint')}
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
      title={t('banner.paused.title')}
    >
      {entitlements.explanation}{' '}
      {t(card === null ? 'banner.paused.addCard' : 'banner.paused.otherCard')}
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
      title={t('banner.trial.title', { day: formatDay(subscription.trialEnd) })}
    >
      {entitlements.explanation}{' '}
      {t(card === null ? 'banner.trial.addCard' : 'banner.trial.charged')}
    </Alert>
  )
}
