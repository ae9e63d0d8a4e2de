import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Alert, Loader, Stack, Text } from '@mantine/core'
import { loadStripe } from '@stripe/stripe-js/pure'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import * as links from '../links.ts'

const t = translations('portal.billing')

interface Props {
  slug: string
  publishableKey: string
  clientSecret: string
}

/** Lets the bank of the card ask its holder about the first payment (3-D Secure). */
export default function ConfirmPayment({ slug, publishableKey, clientSecret }: Props) {
  const navigate = useNavigate()
  const confirmation = useQuery({
    queryKey: ['confirm-payment', clientSecret],
    queryFn: async () => {
      const stripe = await loadStripe(publishableKey)
      if (!stripe) throw new Error(t('stripe.missing'))
      const { error } = await stripe.handleNextAction({ clientSecret })
      if (error) throw new Error(error.message ?? t('confirm.failed'))
      await navigate({ ...links.billing(slug), replace: true })
      return true
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  if (confirmation.error) {
    return (
      <Stack align="flex-start">
        <Alert color="red" role="alert" title={t('confirm.failed')}>
          {confirmation.error.message}
        </Alert>
        <LinkButton {...links.billing(slug)}>{t('cardPage.back')}</LinkButton>
      </Stack>
    )
  }
  return (
    <Stack align="flex-start" role="status">
      <Loader size="sm" aria-hidden />
      <Text>{t('confirm.waiting')}</Text>
    </Stack>
  )
}
