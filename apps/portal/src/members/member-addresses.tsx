import { type CreatedMember, type MemberView, memberAddress } from '@atrium/core/members/members'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { useTRPC } from '../trpc.ts'
import { AddressForm } from './address-form.tsx'
import { AliasList } from './alias-list.tsx'
import FirstPassword from './first-password.tsx'
import { useMembersCache } from './mutations.ts'

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
              Primary address
            </Text>
            <Text size="sm">{member.email}</Text>
          </div>
          {member.managed && !changing && (
            <Button size="xs" variant="default" onClick={() => setChanging(true)}>
              Change
            </Button>
          )}
        </Group>
        {changing && (
          <AddressForm
            label="New primary address"
            description={
              member.mailboxAddress
                ? `On a domain of this workplace. A name alone is completed with ${tenant.primaryDomain ?? 'the primary domain'}.`
                : 'The address that the person signs in with.'
            }
            submitLabel="Change address"
            onCancel={() => setChanging(false)}
            onSubmit={async (address) => setNext(address)}
          />
        )}
      </div>
      <ConfirmDialog
        opened={next !== undefined}
        onClose={() => setNext(undefined)}
        title={`Change the address of ${member.name}?`}
        confirmLabel="Change address"
        destructive={false}
        explain={explain}
        onConfirm={async () => {
          const saved = await change.mutateAsync({
            slug: tenant.slug,
            userId: member.id,
            email: next ?? '',
          })
          setChanging(false)
          done(`${member.name} is ${saved.email} now.`)
        }}
      >
        {member.name} signs in as <strong>{next}</strong> from now on, in place of {member.email}.
        {member.mailboxAddress
          ? ' The old address stays as an alias, so that mail to it still arrives.'
          : ''}
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
            Mailbox
          </Text>
          <Text size="sm" c="dimmed">
            None: mail goes to the address above, outside of this workplace.
          </Text>
        </div>
        {!opened && (
          <Button size="xs" variant="default" onClick={() => setOpened(true)}>
            Create mailbox
          </Button>
        )}
      </Group>
      {opened && (
        <AddressForm
          label="Address of the mailbox"
          description={`A name alone is completed with ${tenant.primaryDomain ?? 'the primary domain'}.`}
          initial={localPartOf(member.email)}
          submitLabel="Create mailbox"
          onCancel={() => setOpened(false)}
          onSubmit={async (address) => {
            const answer = await create.mutateAsync({
              slug: tenant.slug,
              userId: member.id,
              address,
            })
            setOpened(false)
            setCreated(answer)
          }}
        />
      )}
      <FirstPassword answer={created} onClose={() => setCreated(undefined)} />
    </div>
  )
}

/** What stands before the `@`, when the API takes it as a local part. */
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
