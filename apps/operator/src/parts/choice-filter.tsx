import { NativeSelect } from '@mantine/core'

interface Props<Value extends string> {
  label: string
  value: Value | undefined
  choices: readonly { value: Value; label: string }[]
  /** Undefined takes the filter away. */
  onChange: (value: Value | undefined) => void
}

/** A filter that is one of a few values, or any. */
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
      data={[{ value: '', label: 'Any' }, ...choices]}
      onChange={(event) =>
        onChange(choices.find((choice) => choice.value === event.currentTarget.value)?.value)
      }
    />
  )
}
