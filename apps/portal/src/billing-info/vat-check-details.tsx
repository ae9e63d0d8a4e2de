import type { VatCheckView } from '@atrium/core/billing/billing-info'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatDay } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Stack, Text } from '@mantine/core'

const t = translations('portal.billing-info')

/** The response of the VAT register, as proof of the check. */
export function VatCheckDetails({ check }: { check: VatCheckView }) {
  const { result, failure } = check
  return (
    <Stack gap="xs" mt="xs">
      {result?.valid && (
        <DetailList>
          <DetailItem label={t('check.name')}>{result.name}</DetailItem>
          <DetailItem label={t('check.address')}>{result.address}</DetailItem>
          <DetailItem label={t('check.answeredAt')}>{formatDay(result.answeredAt)}</DetailItem>
          <DetailItem label={t('check.consultationNumber')}>{result.consultationNumber}</DetailItem>
        </DetailList>
      )}
      {failure && (
        <Text size="sm" c="dimmed">
          {t('check.failed', { day: formatDay(failure.at) })}
        </Text>
      )}
    </Stack>
  )
}
