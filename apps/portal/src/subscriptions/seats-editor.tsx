import { mostSeats, type TenantSubscription } from '@atrium/core/billing/subscriptions'
import { translations } from '@atrium/ui/messages'
import { ActionIcon, Button, Group, NumberInput, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconMinus, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { QuotedChange } from './quoted-change.tsx'

const t = translations('portal.subscriptions')

interface Props {
  slug: string
  subscription: TenantSubscription
  onClose: () => void
}

/** More or fewer seats, with what that costs as it is typed. */
export function SeatsEditor({ slug, subscription, onClose }: Props) {
  const { seats: current, assignedSeats } = subscription
  const [seats, setSeats] = useState<number | string>(current)
  const [settled] = useDebouncedValue(seats, 350)
  const least = Math.max(1, assignedSeats)
  const requested = typeof seats === 'number' ? seats : undefined
  const step = (by: number) =>
    setSeats(Math.min(mostSeats, Math.max(least, (requested ?? current) + by)))
  const target =
    typeof settled === 'number' && settled >= 1 && settled !== current ? settled : undefined
  return (
    <Stack>
      <div>
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <ActionIcon
            variant="default"
            size="input-sm"
            aria-label={t('seats.less')}
            disabled={(requested ?? 0) <= least}
            onClick={() => step(-1)}
          >
            <IconMinus size={16} aria-hidden />
          </ActionIcon>
          <NumberInput
            label={t('seats.label')}
            w={120}
            min={1}
            max={mostSeats}
            allowDecimal={false}
            allowNegative={false}
            hideControls
            styles={{ input: { textAlign: 'center' } }}
            value={seats}
            onChange={setSeats}
            data-autofocus
          />
          <ActionIcon
            variant="default"
            size="input-sm"
            aria-label={t('seats.more')}
            disabled={requested === mostSeats}
            onClick={() => step(1)}
          >
            <IconPlus size={16} aria-hidden />
          </ActionIcon>
        </Group>
        <Text size="sm" c="dimmed" mt={6}>
          {assignedSeats === 0 ? t('seats.noneTaken') : t('seats.taken', { count: assignedSeats })}
        </Text>
      </div>
      {target === undefined ? (
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('dismiss')}
          </Button>
        </Group>
      ) : (
        <QuotedChange
          slug={slug}
          change={{ seats: target }}
          typing={seats !== settled}
          onDone={onClose}
          onCancel={onClose}
        />
      )}
    </Stack>
  )
}
