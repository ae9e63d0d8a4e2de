import { translations } from '@atrium/ui/messages'
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTRPC } from '../trpc.ts'

const t = translations('portal.aliases')

interface Props {
  slug: string
  value: string | null
  error?: ReactNode
  onChange: (userId: string | null) => void
}

/** A member with a mailbox, found by name or address. Its path in forms is `userId`. */
export function MailboxPicker({ slug, value, error, onChange }: Props) {
  const trpc = useTRPC()
  const [words, setWords] = useState('')
  const [chosen, setChosen] = useState<{ value: string; label: string }>()
  const [search] = useDebouncedValue(words.trim(), 250)
  const q = search === '' || search === chosen?.label ? undefined : search
  const query = useQuery(
    trpc.tenants.users.queryOptions({ slug, q, limit: 50 }, { placeholderData: keepPreviousData }),
  )
  const found = (query.data?.items ?? []).flatMap(({ id, name, mailboxAddress }) =>
    mailboxAddress ? [{ value: id, label: `${name} (${mailboxAddress})` }] : [],
  )
  const data =
    chosen && !found.some(({ value: id }) => id === chosen.value) ? [chosen, ...found] : found
  return (
    <Select
      label={t('add.mailbox')}
      placeholder={t('add.mailboxPlaceholder')}
      required
      searchable
      data={data}
      // The server has already searched, also by words that are not in the label.
      filter={({ options }) => options}
      value={value}
      error={error}
      onChange={(id, option) => {
        setChosen(id === null || option === null ? undefined : { value: id, label: option.label })
        onChange(id)
      }}
      searchValue={words}
      onSearchChange={setWords}
      nothingFoundMessage={t(query.isFetching ? 'add.searching' : 'add.noMatch')}
      comboboxProps={{ withinPortal: true }}
      data-path="userId"
    />
  )
}
