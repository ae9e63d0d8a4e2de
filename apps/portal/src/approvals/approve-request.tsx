import type { ApprovalResult, ApprovalView } from '@atrium/core/billing/approvals'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { problemOf } from '@atrium/ui/problem'
import { Button, Group, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { OrderCosts } from '../subscriptions/order-panel.tsx'
import { Quote, requoteMs } from '../subscriptions/quoted-change.tsx'
import { useTRPC } from '../trpc.ts'
import { requestedChange } from './labels.ts'
import { useApprove } from './mutations.ts'

const t = translations('portal.approvals')

interface Props {
  slug: string
  request: ApprovalView
  onClose: () => void
}

/** What the request costs now, and the button that carries it out for exactly that. */
export function ApproveRequest(props: Props) {
  return props.request.kind === 'change' ? (
    <ApproveChange {...props} />
  ) : (
    <ApproveStart {...props} />
  )
}

function ApproveChange({ slug, request, onClose }: Props) {
  const preview = useQuery(
    useTRPC().subscriptions.preview.queryOptions(
      { slug, ...requestedChange(request) },
      { staleTime: 0, gcTime: 0, retry: false, refetchInterval: requoteMs },
    ),
  )
  const { data } = preview
  const approve = useApprove()
  const { id, version } = request
  async function confirm() {
    if (!data) return
    try {
      tell(await approve.mutateAsync({ slug, id, version, quote: data.quote }))
      onClose()
    } catch (error) {
      // The form shows the failure itself.
      if (problemOf(error).code === 'quote_expired') await preview.refetch()
    }
  }
  return (
    <Stack>
      {preview.isError ? (
        <ProblemAlert error={preview.error} message={problemOf(preview.error).issues[0]?.message} />
      ) : data ? (
        <Quote preview={data} stale={preview.isFetching} />
      ) : (
        <Skeleton height={96} radius="md" aria-label={t('approve.loading')} role="status" />
      )}
      {approve.error && <ProblemAlert error={approve.error} />}
      <Group justify="flex-end">
        <Button
          loading={approve.isPending}
          disabled={!data || preview.isError || preview.isFetching}
          onClick={() => void confirm()}
        >
          {data && data.totalMinor > 0
            ? t('approve.pay', { amount: formatMoney(data.totalMinor, data.currency) })
            : t('approve.submit')}
        </Button>
      </Group>
    </Stack>
  )
}

function ApproveStart({ slug, request, onClose }: Props) {
  const { id, version, after, currency } = request
  const { plan, cycle, seats } = after
  const preview = useQuery(
    useTRPC().subscriptions.previewStart.queryOptions(
      { slug, plan, cycle, seats, currency },
      { staleTime: 0, gcTime: 0, retry: false },
    ),
  )
  const { data } = preview
  const approve = useApprove()
  async function confirm() {
    try {
      tell(await approve.mutateAsync({ slug, id, version }))
      onClose()
    } catch (error) {
      // The form shows the failure itself.
      if (problemOf(error).code === 'quote_expired') await preview.refetch()
    }
  }
  return (
    <Stack>
      {preview.isError ? (
        <ProblemAlert error={preview.error} message={problemOf(preview.error).issues[0]?.message} />
      ) : data ? (
        <OrderCosts preview={data} />
      ) : (
        <Skeleton height={96} radius="md" aria-label={t('approve.loading')} role="status" />
      )}
      {approve.error && <ProblemAlert error={approve.error} />}
      <Group justify="flex-end">
        <Button
          loading={approve.isPending}
          disabled={!data || preview.isError || preview.isFetching}
          onClick={() => void confirm()}
        >
          {data && data.amountDueMinor > 0
            ? t('approve.pay', { amount: formatMoney(data.amountDueMinor, data.currency) })
            : t('approve.submit')}
        </Button>
      </Group>
    </Stack>
  )
}

function tell({ outcome }: ApprovalResult): void {
  if (outcome === 'awaiting_payment') done(t('approve.awaiting_payment'))
  else done(t(outcome === 'scheduled' ? 'approve.scheduled' : 'approve.done'))
}
