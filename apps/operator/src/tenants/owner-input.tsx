import { translations } from '@atrium/ui/messages'
import { Autocomplete, type AutocompleteProps, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

const t = translations('operator.tenants')

type Props = Omit<AutocompleteProps, 'label' | 'description' | 'data' | 'renderOption'>

const suggested = 6

/** The address of the person who becomes owner, found among the users while it is typed. */
export function OwnerInput(props: Props) {
  const [q] = useDebouncedValue((props.value ?? '').trim(), 250)
  const users = useQuery(
    useTRPC().users.list.queryOptions(
      { q, status: 'active', limit: suggested },
      { enabled: q.length >= 2, placeholderData: keepPreviousData, staleTime: 60_000 },
    ),
  )
  const found = users.data?.items ?? []
  return (
    <Autocomplete
      {...props}
      label={t('fields.owner')}
      description={t('create.owner.hint')}
      placeholder={t('create.owner.placeholder')}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      withScrollArea={false}
      data={found.map((user) => user.email)}
      // The server also matches by name. Filtering by address here would hide those matches.
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{found.find((user) => user.email === option.value)?.name}</Text>
          <Text size="xs" c="dimmed">
            {option.value}
          </Text>
        </div>
      )}
    />
  )
}
