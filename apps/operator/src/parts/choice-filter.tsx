import { translations } from '@atrium/ui/messages'
import { NativeSelect } from '@mantine/core'

const t = translations('operator.layout')

interface Props<Value extends string> {
  label: string
  value: Value | undefined
  choices: readonly { value: Value; label: string }[]
  /** Undefined removes the filter. */
  onChange: (value: Value | undefined) => void
}

/** A filter with a few values, or any. */
export function ChoiceFilter<Value extends string>({
  label,
  value,
  choices,
  onChange,
}: Props<Value>) {
  return (
    <NativeSelect
      label={label}
      value={value ?? ''}
      data={[{ value: '', label: t('any') }, ...choices]}
      onChange={(event) =>
        onChange(choices.find((choice) => choice.value === event.currentTarget.value)?.value)
      }
    />
  )
}
