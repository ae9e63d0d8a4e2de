import type { MemberView } from '@atrium/core/members/members'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { QueryState } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
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

const t = translations('portal.members')

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
          {t('aliases.title')}
        </Text>
        {changing && !adding && (
          <Button size="xs" variant="default" onClick={() => setAdding(true)}>
            {t('aliases.add')}
          </Button>
        )}
      </Group>
      <QueryState
        query={query}
        loading={t('aliases.loading')}
        failed={t('aliases.loadFailed')}
        rows={1}
      />
      {query.data?.items.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('aliases.none')}
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
                  aria-label={t('aliases.remove', { address })}
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
          label={t('aliases.new')}
          description={completedHint(tenant)}
          submitLabel={t('aliases.add')}
          onCancel={() => setAdding(false)}
          onSubmit={async (address) => {
            const added = await add.mutateAsync({ ...path, address })
            setAdding(false)
            done(t('aliases.added', { address: added.address, member: member.name }))
          }}
        />
      )}
      <ConfirmDialog
        opened={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={t('aliases.question', { address: leaving ?? '' })}
        confirmLabel={t('aliases.submit')}
        explain={explain}
        onConfirm={async () => {
          await remove.mutateAsync({ ...path, address: leaving ?? '' })
          done(t('aliases.removed', { address: leaving ?? '', member: member.name }))
        }}
      >
        {t.rich('aliases.effects', {
          address: leaving ?? '',
          member: member.name,
          strong: (chunks) => <strong>{chunks}</strong>,
        })}
      </ConfirmDialog>
    </div>
  )
}

/** What becomes of a name that is typed without a domain. */
export function completedHint({ primaryDomain }: Pick<TenantView, 'primaryDomain'>): string {
  return t('addresses.completedHint', { domain: primaryDomain ?? t('addresses.primaryDomain') })
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
