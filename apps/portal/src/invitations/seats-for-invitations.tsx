import type { TenantView } from '@atrium/core/tenants/tenants'
import { translations } from '@atrium/ui/messages'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { QuotedChange } from '../subscriptions/quoted-change.tsx'
import { useTRPC } from '../trpc.ts'
import { useInvalidateInvitations } from './use-invalidate-invitations.ts'

const t = translations('ui.invitations')

/** Says that so many invitations need more seats than are free, and sells the missing ones. */
export function SeatsForInvitations({ tenant, count }: { tenant: TenantView; count: number }) {
  const { slug, seats, memberCount, seatMode, grant, custodian } = tenant
  const [buying, setBuying] = useState(false)
  // A price is asked for when the typing pauses.
  const [counted] = useDebouncedValue(count, 500)
  const forget = useInvalidateInvitations()
  const { data } = useQuery(useTRPC().invitations.ofTenant.queryOptions({ slug, limit: 1 }))
  if (!data || data.freeSeats === null || count <= data.freeSeats) return null
  const missing = count - data.freeSeats
  // Only the customer's own admins buy, and a fixed number of seats is changed on purpose.
  const mayBuy = grant === null && !custodian && seatMode === 'auto'
  return (
    <Alert color="yellow" title={t('seats.short', { free: data.freeSeats })} role="status">
      <Stack gap="sm">
        <Text size="sm">{t(mayBuy ? 'seats.buyHint' : 'seats.hint', { missing })}</Text>
        {mayBuy && buying && (
          <QuotedChange
            slug={slug}
            change={{ seats: Math.max(seats, memberCount + data.reservedSeats + counted) }}
            typing={counted !== count}
            onDone={() => {
              setBuying(false)
              forget()
            }}
            onCancel={() => setBuying(false)}
          />
        )}
        {mayBuy && !buying && (
          <Group justify="flex-end">
            <Button size="xs" variant="default" onClick={() => setBuying(true)}>
              {t('seats.buy', { missing })}
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  )
}
