import { type CreatedMember, type MemberView, memberAddress } from '@atrium/core/members/members'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { useTRPC } from '../trpc.ts'
import { AddressForm } from './address-form.tsx'
import { AliasList, completedHint } from './alias-list.tsx'
import FirstPassword from './first-password.tsx'
import { useMembersCache } from './mutations.ts'

const t = translations('portal.members')

interface Props {
  tenant: TenantView
  member: MemberView
}

/** The primary address, the mailbox, and the further addresses of a member. */
export function MemberAddresses({ tenant, member }: Props) {
  const [changing, setChanging] = useState(false)
  const [next, setNext] = useState<string>()
  const change = useChangeEmail(tenant.slug)
  return (
    <Stack gap="md">
      <div>
        <Group justify="space-between" gap="xs">
          <div>
            <Text size="sm" fw={550}>
              {t('addresses.primary')}
            </Text>
            <Text size="sm">{member.email}</Text>
          </div>
          {member.managed && !changing && (
            <Button size="xs" variant="default" onClick={() => setChanging(true)}>
              {t('addresses.change')}
            </Button>
          )}
        </Group>
        {changing && (
          <AddressForm
            label={t('addresses.new')}
            description={
              member.mailboxAddress
                ? t('addresses.ownDomainHint', {
                    domain: tenant.primaryDomain ?? t('addresses.primaryDomain'),
                  })
                : t('addresses.signInHint')
            }
            submitLabel={t('addresses.changeSubmit')}
            onCancel={() => setChanging(false)}
            onSubmit={async (address) => setNext(address)}
          />
        )}
      </div>
      <ConfirmDialog
        opened={next !== undefined}
        onClose={() => setNext(undefined)}
        title={t('addresses.question', { member: member.name })}
        confirmLabel={t('addresses.changeSubmit')}
        destructive={false}
        explain={explain}
        onConfirm={async () => {
          const saved = await change.mutateAsync({
            slug: tenant.slug,
            userId: member.id,
            email: next ?? '',
          })
          setChanging(false)
          done(t('addresses.done', { member: member.name, email: saved.email }))
        }}
      >
        {t.rich(member.mailboxAddress ? 'addresses.effectsMailbox' : 'addresses.effects', {
          member: member.name,
          next: next ?? '',
          email: member.email,
          strong: (chunks) => <strong>{chunks}</strong>,
        })}
      </ConfirmDialog>
      {member.mailboxAddress === null && member.outcomes.mail !== 'pending' && (
        <NoMailbox tenant={tenant} member={member} />
      )}
      {member.mailboxAddress !== null && <AliasList tenant={tenant} member={member} changing />}
    </Stack>
  )
}

function NoMailbox({ tenant, member }: Props) {
  const [opened, setOpened] = useState(false)
  const [created, setCreated] = useState<CreatedMember>()
  const create = useCreateMailbox(tenant.slug)
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <div>
          <Text size="sm" fw={550}>
            {t('mailbox.title')}
          </Text>
          <Text size="sm" c="dimmed">
            {t('mailbox.none')}
          </Text>
        </div>
        {!opened && (
          <Button size="xs" variant="default" onClick={() => setOpened(true)}>
            {t('mailbox.create')}
          </Button>
        )}
      </Group>
      {opened && (
        <AddressForm
          label={t('mailbox.address')}
          description={completedHint(tenant)}
          initial={localPartOf(member.email)}
          submitLabel={t('mailbox.create')}
          onCancel={() => setOpened(false)}
          onSubmit={async (address) => {
            const result = await create.mutateAsync({
              slug: tenant.slug,
              userId: member.id,
              address,
            })
            setOpened(false)
            setCreated(result)
          }}
        />
      )}
      <FirstPassword slug={tenant.slug} member={created} onClose={() => setCreated(undefined)} />
    </div>
  )
}

/** The part before the `@`, when the API accepts it as a local part. */
function localPartOf(email: string): string {
  const local = email.slice(0, email.lastIndexOf('@'))
  return memberAddress.safeParse(local).success ? local : ''
}

function useChangeEmail(slug: string) {
  const trpc = useTRPC()
  const cache = useMembersCache(slug)
  return useMutation(
    trpc.members.changeEmail.mutationOptions({
      onSuccess: (member) => {
        cache.learn(member)
        cache.invalidateAliases(member.id)
      },
    }),
  )
}

function useCreateMailbox(slug: string) {
  const trpc = useTRPC()
  const cache = useMembersCache(slug)
  return useMutation(
    trpc.members.createMailbox.mutationOptions({
      onSuccess: ({ member }) => cache.learn(member),
      gcTime: 0,
    }),
  )
}
