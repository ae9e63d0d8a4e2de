import type { MemberView } from '@atrium/core/members/members'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { useTRPC } from '../trpc.ts'
import { useMembersCache } from './mutations.ts'
import { roleLock } from './role-lock.ts'

const t = translations('portal.members')

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
  const step = next === 'admin' ? 'promote' : 'demote'
  const whom = {
    member: member.name,
    email: member.email,
    strong: (chunks: ReactNode) => <strong>{chunks}</strong>,
  }
  const change = useChangeRole(tenant.slug)
  const transfer = useTransfer(tenant.slug)
  const mayOwn = member.role !== 'owner' && member.status === 'active'
  return (
    <Stack gap="sm">
      <Text size="sm">{t(`roles.text.${member.role}`)}</Text>
      {lock && (
        <Text size="sm" c="dimmed">
          {lock}
        </Text>
      )}
      <Group gap="xs">
        {!lock && (
          <Button size="xs" variant="default" onClick={() => setAsking('role')}>
            {t(`roles.${step}.action`)}
          </Button>
        )}
        {mayOwn && (
          <Button size="xs" variant="default" onClick={() => setAsking('ownership')}>
            {t('roles.transfer.action')}
          </Button>
        )}
      </Group>
      <ConfirmDialog
        opened={asking === 'role'}
        onClose={() => setAsking(undefined)}
        title={t(`roles.${step}.question`, { member: member.name })}
        confirmLabel={t(`roles.${step}.submit`)}
        destructive={next === 'member'}
        explain={explain}
        onConfirm={async () => {
          await change.mutateAsync({ slug: tenant.slug, userId: member.id, role: next })
          done(t(`roles.${step}.done`, { member: member.name }))
        }}
      >
        {step === 'promote'
          ? t('roles.promote.effects', { tenant: tenant.name })
          : t('roles.demote.effects', { member: member.name, tenant: tenant.name })}
      </ConfirmDialog>
      <ConfirmDialog
        opened={asking === 'ownership'}
        onClose={() => setAsking(undefined)}
        title={t('roles.transfer.question', { tenant: tenant.name, member: member.name })}
        confirmLabel={t('roles.transfer.action')}
        typedWord={tenant.slug}
        explain={explain}
        onConfirm={async () => {
          await transfer.mutateAsync({ slug: tenant.slug, userId: member.id })
          done(t('roles.transfer.done', { member: member.name, tenant: tenant.name }))
        }}
      >
        {tenant.owner
          ? t.rich('roles.transfer.effectsWithOwner', { ...whom, owner: tenant.owner.name })
          : t.rich('roles.transfer.effects', whom)}
      </ConfirmDialog>
    </Stack>
  )
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
        if (previousOwner) cache.learn(previousOwner)
        cache.forget()
        // The caller's own role may have changed, and navigation and buttons go by it.
        await queryClient.invalidateQueries(trpc.users.me.pathFilter())
      },
    }),
  )
}
