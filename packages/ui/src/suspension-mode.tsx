import { suspensionModes } from '@atrium/core/platform/choices'
import type { SuspensionMode } from '@atrium/core/tenants/tenants'
import { Radio, Stack } from '@mantine/core'
import { translations } from './messages.ts'
import { suspensionLabel } from './suspension-labels.ts'

const t = translations('ui.labels')

interface Props {
  value: SuspensionMode
  onChange: (mode: SuspensionMode) => void
}

/** Asks for the mode of a suspension. */
export default function SuspensionModeChoice({ value, onChange }: Props) {
  return (
    <Radio.Group
      label={t('suspensionModes.label')}
      value={value}
      onChange={(chosen) => onChange(suspensionModes.find((mode) => mode === chosen) ?? value)}
    >
      <Stack gap="xs" mt="xs">
        {(['no_sign_in', 'read_only'] as const).map((mode) => (
          <Radio
            key={mode}
            value={mode}
            label={suspensionLabel(mode).name}
            description={suspensionLabel(mode).effect}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}
