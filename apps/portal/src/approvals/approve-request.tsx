import type { ApprovalResult, ApprovalView } from '@atrium/core/billing/approvals'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { problemOf } from '@atrium/ui/problem'
import { Button, Group, Skeleton, Stack } from '@mantine/core'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
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
    <ApprovalForm
      preview={preview}
      dueMinor={data?.totalMinor ?? 0}
      approve={approve}
      onConfirm={() => void confirm()}
    >
      {data && <Quote preview={data} stale={preview.isFetching} />}
    </ApprovalForm>
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
    <ApprovalForm
      preview={preview}
      dueMinor={data?.amountDueMinor ?? 0}
      approve={approve}
      onConfirm={() => void confirm()}
    >
      {data && <OrderCosts preview={data} />}
    </ApprovalForm>
  )
}

interface ApprovalFormProps {
  preview: Pick<
    UseQueryResult<{ currency: string }, unknown>,
    'data' | 'error' | 'isError' | 'isFetching'
  >
  /** What approving charges now. */
  dueMinor: number
  approve: ReturnType<typeof useApprove>
  onConfirm: () => void
  /** The costs, once they are known. */
  children: ReactNode
}

function ApprovalForm({ preview, dueMinor, approve, onConfirm, children }: ApprovalFormProps) {
  const { data, error, isError, isFetching } = preview
  return (
    <Stack>
      {isError ? (
        <ProblemAlert error={error} message={problemOf(error).issues[0]?.message} />
      ) : (
        (children ?? (
          <Skeleton height={96} radius="md" aria-label={t('approve.loading')} role="status" />
        ))
      )}
      {approve.error && <ProblemAlert error={approve.error} />}
      <Group justify="flex-end">
        <Button
          loading={approve.isPending}
          disabled={!data || isError || isFetching}
          onClick={onConfirm}
        >
          {data && dueMinor > 0
            ? t('approve.pay', { amount: formatMoney(dueMinor, data.currency) })
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
