import { translations } from '@atrium/ui/messages'
import { Group, NativeSelect, Skeleton, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'

const t = translations('ui.labels')

/** An address on a domain of the workplace as it is typed. */
export interface OwnAddressValue {
  localPart: string
  domain: string
}

/** The whole address; text typed with an `@` is used unchanged, so that the rules can check it. */
export function wholeAddress({ localPart, domain }: OwnAddressValue): string {
  const text = localPart.trim()
  return text === '' || text.includes('@') || domain === '' ? text : `${text}@${domain}`
}

/** The domains on which addresses can be made, the main one first; undefined while they load. */
export function useAddressDomains(): string[] | undefined {
  const { slug } = useTenant()
  const trpc = useTRPC()
  const { data } = useQuery(trpc.domains.list.queryOptions({ slug }))
  return data?.items
    .filter(({ verified }) => verified)
    .sort((one, other) => Number(other.primary) - Number(one.primary))
    .map(({ name }) => name)
}

interface Props {
  label: string
  description?: ReactNode
  value: OwnAddressValue
  domains: readonly string[] | undefined
  error?: ReactNode
  autoFocus?: boolean
  onChange: (value: OwnAddressValue) => void
}

/**
 * The part before the `@` and, where there are several, the domain after it. Its path in forms is
 * `address`.
 */
export function OwnAddressField({
  label,
  description,
  value,
  domains,
  error,
  autoFocus = false,
  onChange,
}: Props) {
  if (!domains) return <Skeleton height={62} aria-hidden />
  const [only] = domains
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <TextInput
        flex={1}
        label={label}
        description={description}
        required
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={254}
        data-path="address"
        data-autofocus={autoFocus || undefined}
        inputContainer={(input) => (
          <Group gap="xs" align="flex-end">
            <div style={{ flex: '1 1 140px', minWidth: 0 }}>{input}</div>
            {domains.length > 1 ? (
              <NativeSelect
                flex="1 1 210px"
                miw={0}
                aria-label={t('ownAddress.domain', { field: label })}
                leftSection="@"
                data={[...domains]}
                value={value.domain || only}
                onChange={(event) => onChange({ ...value, domain: event.currentTarget.value })}
              />
            ) : (
              <Text span c="dimmed" pb={8} truncate>
                @{only ?? t('ownAddress.none')}
              </Text>
            )}
          </Group>
        )}
        value={value.localPart}
        error={error}
        onChange={(event) =>
          onChange({ localPart: event.currentTarget.value, domain: value.domain || only || '' })
        }
      />
    </Group>
  )
}
