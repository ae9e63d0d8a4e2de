import { formatDay } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Alert } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { termsLabel } from './labels.ts'

const t = translations('portal.approvals')

/** For the partner: what waits for the owner of its customer, or was declined last. */
export function WaitingApproval({ slug }: { slug: string }) {
  const { data } = useQuery(useTRPC().approvals.list.queryOptions({ slug, limit: 1 }))
  const [request] = data?.items ?? []
  if (request?.status === 'pending') {
    return (
      <Alert mb="lg" icon={<IconClock aria-hidden />} title={t('waiting.title')}>
        {t('waiting.hint', {
          terms: termsLabel(request.after, request.currency),
          day: formatDay(request.expiresAt),
        })}
      </Alert>
    )
  }
  if (request?.status !== 'declined') return null
  return (
    <Alert mb="lg" color="yellow" title={t('waiting.declined')}>
      {termsLabel(request.after, request.currency)}.{' '}
      {request.reason
        ? t('waiting.declinedReason', { reason: request.reason })
        : t('waiting.declinedNoReason')}
    </Alert>
  )
}
