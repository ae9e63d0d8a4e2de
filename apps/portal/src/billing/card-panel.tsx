import type { BillingSummary, SetupIntent } from '@atrium/core/billing/billing'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { FailureText } from '@atrium/ui/failure-text'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconCreditCard, IconCreditCardPay, IconTrash } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { useTenant } from '../tenants/use-tenant.ts'
import { cardMeta, cardName, expiryOf } from './card-labels.ts'
import { useCreateSetupIntent, useRemovePaymentMethod } from './mutations.ts'

const t = translations('portal.billing')

// The processor's own script comes with it: loaded only when a card is entered.
const CardForm = lazy(() => import('./card-form.tsx').then((part) => ({ default: part.CardForm })))

interface Props {
  billing: BillingSummary
  editable: boolean
  /** The order to come back to. */
  order?: string | undefined
}

/** The card that invoices are charged to, and the way to another one. */
export function CardPanel({ billing, editable, order }: Props) {
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
      title={t('card.title')}
      description={t('card.hint')}
      actions={
        open &&
        !intent && (
          <Button
            variant={card ? 'default' : 'filled'}
            leftSection={<IconCreditCardPay size={18} aria-hidden />}
            loading={start.isPending}
            onClick={enter}
          >
            {card ? t('card.other') : t('card.add')}
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
                {t('card.expires', { month: expiryOf(card) })}
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
                {t('card.remove')}
              </Button>
            )}
          </Group>
        ) : (
          <Text c="dimmed">{t(editable ? 'card.none' : 'card.noneReader')}</Text>
        )}
        {cardFailure && (
          <Alert color="yellow" title={t('card.notTaken')}>
            <FailureText text={cardFailure.reason} />
          </Alert>
        )}
        {start.error && <ProblemAlert title={t('card.openFailed')} error={start.error} />}
        {intent && (
          <Suspense fallback={<Text c="dimmed">{t('card.opening')}</Text>}>
            <CardForm intent={intent} order={order} onCancel={() => setIntent(undefined)} />
          </Suspense>
        )}
      </Stack>
      <ConfirmDialog
        opened={removing}
        onClose={() => setRemoving(false)}
        title={t('card.removeTitle')}
        confirmLabel={t('card.removeConfirm')}
        onConfirm={async () => {
          await remove.mutateAsync({ slug })
          done(t('card.removed'))
        }}
      >
        {card && t('card.removeHint', { card: cardName(card) })}
      </ConfirmDialog>
    </Panel>
  )
}
