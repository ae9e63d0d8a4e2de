import type { MemberView } from '@atrium/core/members/members'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { useMutation } from '@atrium/ui/use-mutation'
import { ActionIcon, Button, Group, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { useTRPC } from '../trpc.ts'
import { AddressForm } from './address-form.tsx'
import classes from './members.module.css'
import { useMembersCache } from './mutations.ts'

interface Props {
  tenant: TenantView
  member: MemberView
  /** Whether addresses can be added and taken away here. */
  changing: boolean
}

/** The further addresses of a member's mailbox. */
export function AliasList({ tenant, member, changing }: Props) {
  const path = { slug: tenant.slug, userId: member.id }
  const trpc = useTRPC()
  const query = useQuery(trpc.members.listAliases.queryOptions(path))
  const [adding, setAdding] = useState(false)
  const [leaving, setLeaving] = useState<string>()
  const { add, remove } = useAliasChanges(tenant.slug, member.id)
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={6}>
        <Text size="sm" fw={550}>
          Aliases
        </Text>
        {changing && !adding && (
          <Button size="xs" variant="default" onClick={() => setAdding(true)}>
            Add alias
          </Button>
        )}
      </Group>
      {query.isPending && <LoadingRows label="Loading aliases" rows={1} />}
      {query.error && (
        <ErrorState
          title="The aliases could not be read from the mail server."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.data?.items.length === 0 && (
        <Text size="sm" c="dimmed">
          None. Mail to an alias arrives in the same mailbox.
        </Text>
      )}
      {query.data && query.data.items.length > 0 && (
        <ul className={classes.addresses}>
          {query.data.items.map(({ address }) => (
            <li key={address} className={classes.address}>
              {address}
              {changing && (
                <ActionIcon
                  variant="subtle"
                  color="red"
                  aria-label={`Remove alias ${address}`}
                  onClick={() => setLeaving(address)}
                >
                  <IconTrash size={17} aria-hidden />
                </ActionIcon>
              )}
            </li>
          ))}
        </ul>
      )}
      {adding && (
        <AddressForm
          label="New alias"
          description={`A name alone is completed with ${tenant.primaryDomain ?? 'the primary domain'}.`}
          submitLabel="Add alias"
          onCancel={() => setAdding(false)}
          onSubmit={async (address) => {
            const added = await add.mutateAsync({ ...path, address })
            setAdding(false)
            done(`Mail to ${added.address} arrives at ${member.name} now.`)
          }}
        />
      )}
      <ConfirmDialog
        opened={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={`Remove the alias ${leaving ?? ''}?`}
        confirmLabel="Remove alias"
        explain={explain}
        onConfirm={async () => {
          await remove.mutateAsync({ ...path, address: leaving ?? '' })
          done(`${leaving} is no longer an address of ${member.name}.`)
        }}
      >
        Mail to <strong>{leaving}</strong> no longer reaches {member.name} and is refused, until
        somebody else gets the address.
      </ConfirmDialog>
    </div>
  )
}

function useAliasChanges(slug: string, userId: string) {
  const trpc = useTRPC()
  const cache = useMembersCache(slug)
  const settled = () => cache.invalidateAliases(userId)
  return {
    add: useMutation(trpc.members.addAlias.mutationOptions({ onSettled: settled })),
    remove: useMutation(trpc.members.removeAlias.mutationOptions({ onSettled: settled })),
  }
}
