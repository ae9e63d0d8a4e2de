import { inSentence } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Group, NativeSelect, NumberInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Typed } from './event-type-form.ts'

const t = translations('portal.scheduling-event-types')

interface Props {
  label: string
  description?: ReactNode
  value: Typed
  error?: ReactNode
  disabled?: boolean
  /** Its path in the form. */
  path: string
  onChange: (minutes: Typed) => void
}

const units = () => [
  { value: '1', label: t('units.minutes') },
  { value: '60', label: t('units.hours') },
  { value: '1440', label: t('units.days') },
]

/** The largest unit in which the minutes are a whole number. */
function unitOf(minutes: Typed): number {
  if (minutes === '' || minutes === 0) return 60
  return minutes % 1_440 === 0 ? 1_440 : minutes % 60 === 0 ? 60 : 1
}

/** A span of time in minutes, hours or days, kept in minutes. */
export function MinutesField({
  label,
  description,
  value,
  error,
  disabled = false,
  path,
  onChange,
}: Props) {
  const [unit, setUnit] = useState(unitOf(value))
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <NumberInput
        label={label}
        description={description}
        flex={1}
        min={0}
        allowDecimal={false}
        allowNegative={false}
        disabled={disabled}
        value={value === '' ? '' : value / unit}
        error={error}
        data-path={path}
        onChange={(typed) => onChange(typeof typed === 'number' ? typed * unit : '')}
      />
      <NativeSelect
        aria-label={t('units.label', { field: inSentence(label) })}
        data={units()}
        value={String(unit)}
        disabled={disabled}
        w={112}
        onChange={(event) => {
          const next = Number(event.currentTarget.value)
          setUnit(next)
          if (value !== '') onChange((value / unit) * next)
        }}
      />
    </Group>
  )
}
