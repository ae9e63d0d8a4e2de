import { translations } from '@atrium/ui/messages'
import { Alert, Button, Group, Stack, Text, useComputedColorScheme } from '@mantine/core'
import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js'
import type { Appearance } from '@stripe/stripe-js'
import { loadStripe } from '@stripe/stripe-js/pure'
import { type FormEvent, useEffect, useMemo, useState } from 'react'

const t = translations('portal.billing')

interface Props {
  publishableKey: string
  clientSecret: string
  /** Where a bank leads back to that wants to see the person on a page of its own. */
  returnAddress: string
  onEntered: (setupIntentId: string) => void
}

/** Stripe's own fields in frames of Stripe: the number never reaches this page. */
export default function StripeForm({
  publishableKey,
  clientSecret,
  returnAddress,
  onEntered,
}: Props) {
  const stripe = useMemo(() => loadStripe(publishableKey), [publishableKey])
  const [missing, setMissing] = useState(false)
  const scheme = useComputedColorScheme('light')
  useEffect(() => {
    // What waits for the script stays silent when it does not come.
    stripe.catch(() => setMissing(true))
  }, [stripe])
  if (missing) {
    return (
      <Alert color="red" role="alert" title={t('stripe.missing')}>
        {t('stripe.missingHint')}
      </Alert>
    )
  }
  return (
    <Elements stripe={stripe} options={{ clientSecret, appearance: appearances[scheme] }}>
      <Fields returnAddress={returnAddress} onEntered={onEntered} />
    </Elements>
  )
}

// The frames cannot see our styles, so they get the theme's colours by value
// (packages/ui/src/theme.ts).
const variables = { borderRadius: '8px', fontFamily: 'system-ui, sans-serif', spacingUnit: '4px' }
const appearances: Readonly<Record<'light' | 'dark', Appearance>> = {
  light: {
    theme: 'stripe',
    variables: {
      ...variables,
      colorPrimary: '#1a6b82',
      colorBackground: '#ffffff',
      colorText: '#22201d',
      colorDanger: '#b3261e',
    },
  },
  dark: {
    theme: 'night',
    variables: {
      ...variables,
      colorPrimary: '#55a1b5',
      colorBackground: '#1e252b',
      colorText: '#e7e9eb',
      colorDanger: '#f3b8b1',
    },
  },
}

function Fields({ returnAddress, onEntered }: Pick<Props, 'returnAddress' | 'onEntered'>) {
  const stripe = useStripe()
  const elements = useElements()
  const [ready, setReady] = useState(false)
  const [pending, setPending] = useState(false)
  const [problem, setProblem] = useState<string>()

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!stripe || !elements || pending) return
    setPending(true)
    setProblem(undefined)
    const result = await stripe
      .confirmSetup({
        elements,
        confirmParams: { return_url: returnAddress },
        redirect: 'if_required',
      })
      .catch(() => ({ error: { message: undefined } }))
    setPending(false)
    if ('setupIntent' in result && result.setupIntent) onEntered(result.setupIntent.id)
    else setProblem(result.error?.message ?? t('stripe.unreachable'))
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <PaymentElement
          onReady={() => setReady(true)}
          onLoadError={() => setProblem(t('stripe.loadFailed'))}
        />
        {problem !== undefined && (
          <Alert color="red" role="alert">
            {problem}
          </Alert>
        )}
        <Text size="sm" c="dimmed">
          {t('stripe.hint')}
        </Text>
        <Group>
          <Button type="submit" loading={pending} disabled={!stripe || !ready}>
            {t('stripe.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
