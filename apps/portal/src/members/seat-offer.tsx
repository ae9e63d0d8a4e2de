import type { SeatRaise } from '@atrium/core/members/members'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ProblemAlert } from '@atrium/ui/data-states'
import { formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { problemOf } from '@atrium/ui/problem'
import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Quote, requoteMs } from '../subscriptions/quoted-change.tsx'
import { useTRPC } from '../trpc.ts'

const t = translations('portal.members')

interface Props {
  tenant: TenantView
  adding: boolean
  onConfirm: (raise: SeatRaise) => void
}

/** What one seat more costs, and the button that buys it and adds the member. */
export function SeatOffer({ tenant, adding, onConfirm }: Props) {
  const trpc = useTRPC()
  const seats = Math.max(tenant.seats, tenant.memberCount) + 1
  const preview = useQuery(
    trpc.subscriptions.preview.queryOptions(
      { slug: tenant.slug, seats },
      { staleTime: 0, gcTime: 0, retry: false, refetchInterval: requoteMs },
    ),
  )
  if (preview.isError) {
    return (
      <ProblemAlert
        title={t('seats.taken')}
        error={preview.error}
        message={problemOf(preview.error).issues[0]?.message}
      />
    )
  }
  const { data } = preview
  return (
    <Alert color="gray" title={t('seats.takenCount', { count: tenant.seats })} role="status">
      <Stack gap="sm">
        <Text size="sm">{t('seats.hint')}</Text>
        {data ? (
          <Quote preview={data} stale={preview.isFetching} />
        ) : (
          <Skeleton height={96} aria-label={t('seats.computing')} role="status" />
        )}
        <Group justify="flex-end">
          <Button
            loading={adding}
            disabled={!data || preview.isFetching}
            onClick={() => data && onConfirm({ seats, quote: data.quote })}
          >
            {data?.exact
              ? t('seats.pay', { amount: formatMoney(data.totalMinor, data.currency) })
              : t('seats.add')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
