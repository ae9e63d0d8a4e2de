import { translations } from '@atrium/ui/messages'
import { TagsInput, type TagsInputProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTenantSuggestions } from '../parts/tenant-suggestions.ts'
import { useTRPC } from '../trpc.ts'

const t = translations('operator.flags')

type Props = Omit<TagsInputProps, 'data' | 'searchValue' | 'onSearchChange'>

const suggested = 8
const typing: Partial<TagsInputProps> = {
  splitChars: [',', ' '],
  acceptValueOnBlur: true,
  autoCapitalize: 'none',
  spellCheck: false,
  withScrollArea: false,
}

/** Slugs of tenants, suggested while they are typed. */
export function TenantSlugsInput(props: Props) {
  const [typed, setTyped] = useState('')
  const found = useTenantSuggestions(typed)
  return (
    <TagsInput
      placeholder={hint(props, t('form.tenantSlug'))}
      {...typing}
      {...props}
      searchValue={typed}
      onSearchChange={setTyped}
      data={found.map((tenant) => tenant.slug)}
      // The server has matched by name and domain as well; matching the slug once more here would
      // hide those.
      filter={({ options }) => options}
      renderOption={({ option }) =>
        `${option.value} · ${found.find((tenant) => tenant.slug === option.value)?.name ?? ''}`
      }
    />
  )
}

/** Slugs of partners, suggested while they are typed. */
export function PartnerSlugsInput(props: Props) {
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), 250)
  const partners = useQuery(
    useTRPC().partners.list.queryOptions(
      { q, limit: suggested },
      { enabled: q !== '', placeholderData: keepPreviousData, staleTime: 60_000 },
    ),
  )
  const found = q === '' ? [] : (partners.data?.items ?? [])
  return (
    <TagsInput
      placeholder={hint(props, t('form.partnerSlug'))}
      {...typing}
      {...props}
      searchValue={typed}
      onSearchChange={setTyped}
      data={found.map((partner) => partner.slug)}
      filter={({ options }) => options}
      renderOption={({ option }) =>
        `${option.value} · ${found.find((partner) => partner.slug === option.value)?.name ?? ''}`
      }
    />
  )
}

/** Keys of flags, suggested while they are typed. */
export function FlagKeysInput(props: Props) {
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), 250)
  const flags = useQuery(
    useTRPC().flags.list.queryOptions(
      { q, limit: suggested },
      { enabled: q !== '', placeholderData: keepPreviousData, staleTime: 60_000 },
    ),
  )
  return (
    <TagsInput
      placeholder={hint(props, t('form.flagKey'))}
      {...typing}
      {...props}
      searchValue={typed}
      onSearchChange={setTyped}
      data={q === '' ? [] : (flags.data?.items ?? []).map((flag) => flag.key)}
      filter={({ options }) => options}
    />
  )
}

/** Only while nothing is chosen: next to chosen values it would look like one of them. */
function hint({ value }: Props, text: string): string | undefined {
  return value === undefined || value.length === 0 ? text : undefined
}
