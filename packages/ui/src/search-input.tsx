import { IconSearch } from '@tabler/icons-react'
import type { ComponentProps } from 'react'
import { DebouncedInput } from './debounced-input.tsx'

type Props = Pick<
  ComponentProps<typeof DebouncedInput>,
  'label' | 'placeholder' | 'value' | 'onChange'
>

/** A search field whose text lives in the address. */
export function SearchInput(props: Props) {
  return (
    <DebouncedInput type="search" leftSection={<IconSearch size={16} aria-hidden />} {...props} />
  )
}
