import { Select, type SelectProps, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'

type Props = Pick<
  SelectProps,
  'label' | 'description' | 'withAsterisk' | 'error' | 'onFocus' | 'onBlur'
> & {
  /** Id of the chosen partner; empty for none. */
  value?: string
  onChange: (id: string) => void
}

const suggested = 20

/** An active partner, found by name or slug while it is typed. */
export function PartnerInput({ value = '', onChange, ...props }: Props) {
  const [typed, setTyped] = useState('')
  // A chosen partner's own label stands in the field; it is not asked for once more.
  const [q] = useDebouncedValue(typed.replace(/ \([a-z0-9-]+\)$/, '').trim(), 250)
  const partners = useQuery(
    useTRPC().partners.list.queryOptions(
      { status: 'active', limit: suggested, ...(q === '' ? {} : { q }) },
      { placeholderData: keepPreviousData, staleTime: 60_000 },
    ),
  )
  const found = partners.data?.items ?? []
  return (
    <Select
      {...props}
      placeholder="Name or slug"
      searchable
      clearable
      autoComplete="off"
      nothingFoundMessage={partners.isFetching ? 'Searching…' : 'No active partner fits.'}
      comboboxProps={{ withinPortal: false }}
      data={found.map(({ id, name, slug }) => ({ value: id, label: `${name} (${slug})` }))}
      // The server has matched by other fields as well; matching the label once more here would
      // hide those.
      filter={({ options }) => options}
      onSearchChange={setTyped}
      value={value || null}
      onChange={(id) => onChange(id ?? '')}
      renderOption={({ option }) => {
        const partner = found.find(({ id }) => id === option.value)
        return (
          <div>
            <Text size="sm">{partner?.name}</Text>
            <Text size="xs" c="dimmed">
              {partner?.slug}
            </Text>
          </div>
        )
      }}
    />
  )
}
