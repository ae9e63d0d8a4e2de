import { TextInput, type TextInputProps } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useAddressChange } from './address-change.ts'

type Props = Omit<TextInputProps, 'value' | 'onChange' | 'defaultValue'> & {
  value: string | undefined
  /** Called 250 ms after the last key, with undefined for an empty field. */
  onChange: (value: string | undefined) => void
}

/** A text field whose value lives in the address. */
export function DebouncedInput({ value, onChange, ...props }: Props) {
  const [text, setText] = useState(value ?? '')
  const sent = useRef(value)
  // The address changed by other hands (Back, "Clear filters"). An echo of what was typed here must
  // not undo later keys.
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setText(value ?? '')
  }, [value])
  const send = useAddressChange((next: string) => {
    sent.current = next.trim() || undefined
    onChange(sent.current)
  })
  return (
    <TextInput
      {...props}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        send(event.currentTarget.value)
      }}
    />
  )
}
