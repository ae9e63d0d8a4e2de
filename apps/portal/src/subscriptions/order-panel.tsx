import type { StartPreview, StartResult } from '@atrium/core/billing/subscriptions'
import { ErrorState, LoadingRows, ProblemAlert } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { planName, seatsLabel } from '@atrium/ui/subscription-status-meta'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconCreditCard } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { OrderTerms } from '../billing/search.ts'
import * as links from '../links.ts'
import { useTRPC } from '../trpc.ts'
import { perPeriod } from './labels.ts'
import { useStartSubscription } from './mutations.ts'
import classes from './subscriptions.module.css'
import { TaxRows } from './tax-rows.tsx'

const t = translations('portal.subscriptions')

interface Props {
  slug: string
  order: OrderTerms
  /** The name of the card that is charged; undefined where the reader may not see it. */
  card: string | null | undefined
  /** The order was placed, or another plan is to be chosen. */
  onClose: () => void
}

/** What an order costs and from when, and the button that places it. */
export function OrderPanel(props: Props) {
  const { slug, order, onClose } = props
  const preview = useQuery(
    useTRPC().subscriptions.previewStart.queryOptions(
      { slug, ...order },
      { staleTime: 0, gcTime: 0, retry: false },
    ),
  )
  return (
    <Panel
      title={t('order.title')}
      actions={
        <Button variant="default" size="xs" onClick={onClose}>
          {t('order.back')}
        </Button>
      }
    >
      {preview.isPending && <LoadingRows label={t('quote.loading')} rows={4} />}
      {preview.isError && (
        <Stack>
          <ErrorState
            title={t('order.failed')}
            error={preview.error}
            onRetry={() => void preview.refetch()}
            retrying={preview.isFetching}
          />
          {problemOf(preview.error).code === 'billing_address_incomplete' && (
            <>
              <Text size="sm">{problemOf(preview.error).issues[0]?.message}</Text>
              <LinkButton {...links.billingInfo(slug)}>{t('order.address')}</LinkButton>
            </>
          )}
        </Stack>
      )}
      {preview.data && !preview.isError && <Summary {...props} preview={preview.data} />}
    </Panel>
  )
}

function Summary({ slug, order, card, onClose, preview }: Props & { preview: StartPreview }) {
  const start = useStartSubscription(slug)
  const { trialEnd, amountDueMinor, currency, needsApproval } = preview
  const needsCard = card === null && trialEnd === null && amountDueMinor > 0
  async function place() {
    try {
      tell(await start.mutateAsync({ slug, ...order }))
    } catch {
      // The panel shows the failure itself.
      return
    }
    onClose()
  }
  return (
    <Stack>
      <OrderCosts preview={preview} />
      {needsCard ? (
        <Alert icon={<IconCreditCard aria-hidden />} title={t('order.cardFirst')}>
          {t('order.cardFirstHint')}
        </Alert>
      ) : (
        <Text size="sm" c="dimmed">
          {chargeText(card, needsApproval)}
        </Text>
      )}
      {start.error && <ProblemAlert error={start.error} />}
      {!needsCard && (
        <Group justify="space-between">
          <Text size="sm">
            {t(needsApproval ? 'order.dueOnApproval' : 'order.dueToday', {
              amount: formatMoney(amountDueMinor, currency),
            })}
          </Text>
          <Button size="md" loading={start.isPending} onClick={() => void place()}>
            {t(needsApproval ? 'change.askOwner' : 'order.submit')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** Plan, seats, term and dates of an order, and its first invoice with tax. */
export function OrderCosts({ preview }: { preview: StartPreview }) {
  const { plan, seats, cycle, currency, trialEnd, recurring, nextInvoiceAt, taxes } = preview
  const money = (minor: number) => formatMoney(minor, currency)
  return (
    <Stack gap="sm">
      <DetailList>
        <DetailItem label={t('plans.plan')}>{planName(plan)}</DetailItem>
        <DetailItem label={t('seats.label')}>{seatsLabel(seats)}</DetailItem>
        <DetailItem label={t('order.price')}>
          {recurring.taxes.length === 0
            ? perPeriod(recurring.totalMinor, currency, cycle)
            : t('order.priceWithTax', {
                net: perPeriod(recurring.netMinor, currency, cycle),
                gross: money(recurring.totalMinor),
              })}
        </DetailItem>
        <DetailItem label={t('order.term')}>{t(`order.terms.${cycle}`)}</DetailItem>
        <DetailItem label={t('order.firstInvoice')}>
          {trialEnd
            ? t('order.firstAfterTrial', { day: formatDay(trialEnd) })
            : t('order.firstToday', { amount: money(preview.totalMinor) })}
        </DetailItem>
        <DetailItem label={t('order.nextInvoice')}>
          {t('order.nextInvoiceOn', {
            day: formatDay(nextInvoiceAt),
            amount: money(recurring.totalMinor),
          })}
        </DetailItem>
        <DetailItem label={t('order.renewal')}>
          {t('order.renewsOn', { day: formatDay(nextInvoiceAt) })}
        </DetailItem>
      </DetailList>
      <table className={classes.lines}>
        <caption className={classes.hidden}>{t('order.caption')}</caption>
        <tbody>
          <TaxRows taxes={taxes} netMinor={preview.netMinor} currency={currency} />
          {preview.creditMinor > 0 && (
            <>
              <tr>
                <th scope="row">{t('order.total')}</th>
                <td>{money(preview.totalMinor)}</td>
              </tr>
              <tr>
                <th scope="row">{t('order.credit')}</th>
                <td>{money(-preview.creditMinor)}</td>
              </tr>
            </>
          )}
          <tr data-total>
            <th scope="row">{t('quote.dueNow')}</th>
            <td>{money(preview.amountDueMinor)}</td>
          </tr>
        </tbody>
      </table>
    </Stack>
  )
}

/** Who is charged for the order. A partner does not see the card of its customer. */
function chargeText(card: string | null | undefined, needsApproval: boolean): string {
  if (needsApproval) return t('change.askOwnerHint')
  if (card === undefined) return t('order.customerCharged')
  return card === null ? t('order.noCardYet') : t('order.charged', { card })
}

function tell({ subscription }: StartResult): void {
  if (!subscription) done(t('outcomes.awaiting_approval'))
  else if (subscription.status !== 'incomplete') done(t('start.done'))
}
