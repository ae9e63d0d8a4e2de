import { translations } from '@atrium/ui/messages'
import { Select, type SelectProps, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'

const t = translations('operator.partners')

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
  // The field shows the label of the chosen partner, which is not searched for again.
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
      placeholder={t('input.placeholder')}
      searchable
      clearable
      autoComplete="off"
      nothingFoundMessage={t(partners.isFetching ? 'input.searching' : 'input.none')}
      comboboxProps={{ withinPortal: false }}
      data={found.map(({ id, name, slug }) => ({
        value: id,
        label: t('input.option', { name, slug }),
      }))}
      // The server also matches by other fields. Filtering by label here would hide those matches.
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
