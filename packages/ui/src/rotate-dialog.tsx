import { secretOverlapHours } from '@atrium/core/platform/secret-overlap'
import { NativeSelect, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from './confirm.tsx'
import { translations } from './messages.ts'

const t = translations('ui.frame')

const overlaps = [0, 1, secretOverlapHours.proposed, 72, secretOverlapHours.most]

interface Props {
  opened: boolean
  onClose: () => void
  title: string
  confirmLabel: string
  /** What a rotation does. */
  effect: string
  /** What else is asked for. */
  children?: ReactNode
  onRotate: (overlapHours: number) => Promise<unknown>
}

/** Asks how long the present secret of a program stays valid beside a new one. */
export function RotateDialog({ effect, children, onRotate, ...dialog }: Props) {
  const [overlap, setOverlap] = useState(String(secretOverlapHours.proposed))
  return (
    <ConfirmDialog {...dialog} destructive={false} onConfirm={() => onRotate(Number(overlap))}>
      <Stack gap="sm">
        <Text size="sm">{effect}</Text>
        <NativeSelect
          label={t('rotation.overlap')}
          value={overlap}
          onChange={(event) => setOverlap(event.currentTarget.value)}
          data={overlaps.map((hours) => ({
            value: String(hours),
            label: t('rotation.hours', { hours }),
          }))}
        />
        {children}
      </Stack>
    </ConfirmDialog>
  )
}
