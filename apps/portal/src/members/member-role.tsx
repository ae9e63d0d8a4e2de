import type { MemberView } from '@atrium/core/members/members'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { useTRPC } from '../trpc.ts'
import { useMembersCache } from './mutations.ts'
import { roleLock } from './role-lock.ts'

interface Props {
  tenant: TenantView
  member: MemberView
  /** The member is the person who looks. */
  own: boolean
}

/** The role of a member, the other one that can be given, and the ownership. */
export function MemberRole({ tenant, member, own }: Props) {
  const [asking, setAsking] = useState<'role' | 'ownership'>()
  const lock = roleLock(member, own)
  const next = member.role === 'admin' ? 'member' : 'admin'
  const change = useChangeRole(tenant.slug)
  const transfer = useTransfer(tenant.slug)
  const mayOwn = member.role !== 'owner' && member.status === 'active'
  return (
    <Stack gap="sm">
      <Text size="sm">{roleTexts[member.role]}</Text>
      {lock && (
        <Text size="sm" c="dimmed">
          {lock}
        </Text>
      )}
      <Group gap="xs">
        {!lock && (
          <Button size="xs" variant="default" onClick={() => setAsking('role')}>
            {next === 'admin' ? 'Make admin' : 'Take the admin role away'}
          </Button>
        )}
        {mayOwn && (
          <Button size="xs" variant="default" onClick={() => setAsking('ownership')}>
            Transfer ownership
          </Button>
        )}
      </Group>
      <ConfirmDialog
        opened={asking === 'role'}
        onClose={() => setAsking(undefined)}
        title={
          next === 'admin'
            ? `Make ${member.name} an admin?`
            : `Take the admin role from ${member.name}?`
        }
        confirmLabel={next === 'admin' ? 'Make admin' : 'Take role away'}
        destructive={next === 'member'}
        explain={explain}
        onConfirm={async () => {
          await change.mutateAsync({ slug: tenant.slug, userId: member.id, role: next })
          done(
            next === 'admin'
              ? `${member.name} is an admin now.`
              : `${member.name} is no longer an admin.`,
          )
        }}
      >
        {next === 'admin'
          ? `Admins manage members, domains, apps and rules of ${tenant.name}. They can also remove people.`
          : `${member.name} stays a member of ${tenant.name} with mailbox and files, and can no longer manage it.`}
      </ConfirmDialog>
      <ConfirmDialog
        opened={asking === 'ownership'}
        onClose={() => setAsking(undefined)}
        title={`Transfer ${tenant.name} to ${member.name}?`}
        confirmLabel="Transfer ownership"
        typedWord={tenant.slug}
        explain={explain}
        onConfirm={async () => {
          await transfer.mutateAsync({ slug: tenant.slug, userId: member.id })
          done(`${member.name} owns ${tenant.name} now.`)
        }}
      >
        <strong>{member.name}</strong> ({member.email}) becomes the owner and alone can delete the
        workplace. {tenant.owner ? `${tenant.owner.name} stays on as an admin.` : ''} Only the new
        owner or an admin can transfer it again.
      </ConfirmDialog>
    </Stack>
  )
}

const roleTexts: Readonly<Record<MemberView['role'], string>> = {
  member: 'Member: uses the workplace, and manages nothing.',
  admin: 'Admin: manages members, domains, apps and rules.',
  owner: 'Owner: as an admin, and alone may delete the workplace.',
}

function useChangeRole(slug: string) {
  const trpc = useTRPC()
  const cache = useMembersCache(slug)
  return useMutation(
    trpc.members.update.mutationOptions({ onSuccess: ({ member }) => cache.learn(member) }),
  )
}

function useTransfer(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const cache = useMembersCache(slug)
  return useMutation(
    trpc.members.transferOwnership.mutationOptions({
      onSuccess: async ({ owner, previousOwner }) => {
        cache.learn(owner)
        cache.learn(previousOwner)
        cache.forget()
        // The caller's own role may have changed, and navigation and buttons go by it.
        await queryClient.invalidateQueries(trpc.users.me.pathFilter())
      },
    }),
  )
}
