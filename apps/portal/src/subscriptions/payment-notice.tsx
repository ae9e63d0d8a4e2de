import type { StartResult, TenantSubscription } from '@atrium/core/billing/subscriptions'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertCircle } from '@tabler/icons-react'
import { orderParam } from '../billing/search.ts'
import { useCancelSubscription, useStartSubscription } from './mutations.ts'

const t = translations('portal.subscriptions')

interface Props {
  slug: string
  subscription: TenantSubscription
  mayChange: boolean
  /** Whether a card is on file, which the bank may ask its holder about. */
  hasCard: boolean
}

/**
 * An order whose first payment is not made: the bank asks its holder, or has declined the card.
 * Nothing has begun, and nothing is owed.
 */
export function PaymentNotice({ slug, subscription, mayChange, hasCard }: Props) {
  const start = useStartSubscription(slug)
  const cancel = useCancelSubscription(slug)
  const [dropping, drop] = useDisclosure(false)
  const { plan, cycle, currency, seats } = subscription
  const order = { plan, cycle, currency, seats }
  return (
    <Alert color="yellow" icon={<IconAlertCircle aria-hidden />} title={t('notices.unpaid')}>
      <Stack gap="xs" align="flex-start">
        <Text inherit>{t(hasCard ? 'notices.unpaidHint' : 'notices.unpaidNoCard')}</Text>
        {start.error && <ProblemAlert error={start.error} />}
        {mayChange && (
          <Group gap="xs">
            {hasCard && (
              <Button
                size="xs"
                loading={start.isPending}
                onClick={() =>
                  start.mutate(
                    { slug, ...order },
                    { onSuccess: (result) => confirmPayment(slug, orderParam(order), result) },
                  )
                }
              >
                {t('notices.confirmPayment')}
              </Button>
            )}
            <Button variant="default" size="xs" onClick={drop.open}>
              {t('notices.dropOrder')}
            </Button>
          </Group>
        )}
      </Stack>
      <ConfirmDialog
        opened={dropping}
        onClose={drop.close}
        title={t('notices.dropTitle')}
        confirmLabel={t('notices.dropOrder')}
        onConfirm={async () => {
          await cancel.mutateAsync({ slug })
          done(t('cancel.doneUnpaid'))
        }}
      >
        {t('cancel.nothingPaid')}
      </ConfirmDialog>
    </Alert>
  )
}

/**
 * Leads to where the payment is confirmed: in the local workplace to the sandbox's page, else to
 * our own page, the only document that may load the payment processor's script.
 */
function confirmPayment(
  slug: string,
  order: string,
  { confirmationUrl, clientSecret }: StartResult,
) {
  // Paid meanwhile.
  if (clientSecret === null) return
  const billing = `/t/${encodeURIComponent(slug)}/billing`
  if (confirmationUrl === null) {
    window.location.assign(`${billing}/card?order=${order}&confirm=payment`)
    return
  }
  const page = new URL(confirmationUrl)
  page.searchParams.set('return_url', `${window.location.origin}${billing}`)
  window.location.assign(page.href)
}
