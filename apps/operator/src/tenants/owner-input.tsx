import { Autocomplete, type AutocompleteProps, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

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
      label="Owner"
      description="An address. Unless its owner has proved it already, an invitation is sent there. Left empty, you become the owner yourself."
      placeholder="Name or address"
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      withScrollArea={false}
      data={found.map((user) => user.email)}
      // The server has matched by name as well; matching the address once more here would hide
      // those.
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
