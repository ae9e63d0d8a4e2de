import type { BillingSummary, SetupIntent } from '@atrium/core/billing/billing'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { FailureText } from '@atrium/ui/failure-text'
import { Panel } from '@atrium/ui/panel'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconCreditCard, IconCreditCardPay, IconTrash } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { useTenant } from '../tenants/use-tenant.ts'
import { useCreateSetupIntent, useRemovePaymentMethod } from './mutations.ts'
import { cardMeta, cardName, expiryOf } from './status-meta.ts'

// The processor's own script comes with it: loaded when somebody enters a card, and never
// otherwise.
const CardForm = lazy(() => import('./card-form.tsx').then((part) => ({ default: part.CardForm })))

/** The card that invoices are charged to, and the way to another one. */
export function CardPanel({ billing, editable }: { billing: BillingSummary; editable: boolean }) {
  const { slug } = useTenant()
  const start = useCreateSetupIntent()
  const remove = useRemovePaymentMethod()
  const [intent, setIntent] = useState<SetupIntent>()
  const [removing, setRemoving] = useState(false)
  const { card, cardFailure } = billing
  const open = editable && billing.gate === 'open'
  const enter = () => start.mutate({ slug }, { onSuccess: setIntent })
  return (
    <Panel
      title="Card"
      description="Entered on the form of the payment processor. The number never reaches this portal."
      actions={
        open &&
        !intent && (
          <Button
            variant={card ? 'default' : 'filled'}
            leftSection={<IconCreditCardPay size={18} aria-hidden />}
            loading={start.isPending}
            onClick={enter}
          >
            {card ? 'Use another card' : 'Add a card'}
          </Button>
        )
      }
    >
      <Stack>
        {card ? (
          <Group gap="md">
            <IconCreditCard size={28} stroke={1.5} aria-hidden />
            <div>
              <Text fw={550}>{cardName(card)}</Text>
              <Text size="sm" c="dimmed">
                Expires {expiryOf(card)}
              </Text>
            </div>
            <StatusBadge {...cardMeta(card)} />
            {open && (
              <Button
                variant="subtle"
                color="gray"
                size="xs"
                leftSection={<IconTrash size={16} aria-hidden />}
                onClick={() => setRemoving(true)}
              >
                Remove
              </Button>
            )}
          </Group>
        ) : (
          <Text c="dimmed">
            No card is on file.{editable ? '' : ' An admin of this workplace can add one.'}
          </Text>
        )}
        {cardFailure && (
          <Alert color="yellow" title="The last card was not taken">
            <FailureText text={cardFailure.reason} />
          </Alert>
        )}
        {start.error && (
          <ProblemAlert title="The card form could not be opened." error={start.error} />
        )}
        {intent && (
          <Suspense fallback={<Text c="dimmed">Opening the card form …</Text>}>
            <CardForm intent={intent} onCancel={() => setIntent(undefined)} />
          </Suspense>
        )}
      </Stack>
      <ConfirmDialog
        opened={removing}
        onClose={() => setRemoving(false)}
        title="Remove the card"
        confirmLabel="Remove card"
        onConfirm={async () => {
          await remove.mutateAsync({ slug })
          done('The card is removed.')
        }}
      >
        {card && `${cardName(card)} is taken off this workplace and is not charged again.`} While a
        subscription runs it needs a card: set another one instead.
      </ConfirmDialog>
    </Panel>
  )
}
