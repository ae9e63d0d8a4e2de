import type { TenantView } from '@atrium/core/tenants/tenants'
import { DetailItem } from '@atrium/ui/detail-list'
import { formatDay } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { StatusBadge } from '@atrium/ui/status-badge'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

const t = translations('operator.tenants')

/** What the VAT register answered about the tenant's number; nothing where it is not asked. */
export function VatCheck({ tenant }: { tenant: TenantView }) {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.billingInfo.get.queryOptions({ slug: tenant.slug }))
  if (!data?.vatCheck) return null
  const { result, failure } = data.vatCheck
  return (
    <>
      <DetailItem label={t('vatCheck.title')}>
        {result ? (
          <StatusBadge
            label={result.valid ? t('vatCheck.valid') : t('vatCheck.invalid')}
            tone={result.valid ? 'good' : 'bad'}
          />
        ) : (
          <StatusBadge label={t('vatCheck.pending')} tone="waiting" />
        )}
      </DetailItem>
      {result && (
        <>
          <DetailItem label={t('vatCheck.name')}>{result.name}</DetailItem>
          <DetailItem label={t('vatCheck.address')}>{result.address}</DetailItem>
          <DetailItem label={t('vatCheck.answeredAt')}>{formatDay(result.answeredAt)}</DetailItem>
          <DetailItem label={t('vatCheck.consultationNumber')}>
            {result.consultationNumber}
          </DetailItem>
        </>
      )}
      {failure && (
        <DetailItem label={t('vatCheck.failure', { day: formatDay(failure.at) })}>
          {failure.message}
        </DetailItem>
      )}
    </>
  )
}
