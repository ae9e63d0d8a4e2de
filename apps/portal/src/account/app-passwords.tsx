import type { AppPassword, CreatedAppPassword } from '@atrium/core/members/app-passwords'
import { CreateAppPassword } from '@atrium/core/members/app-passwords'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ProblemAlert, QueryState } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { problemOf } from '@atrium/ui/problem'
import { ResponsiveTable } from '@atrium/ui/responsive-table'
import { SecretReveal } from '@atrium/ui/secret-reveal'
import { Time } from '@atrium/ui/time'
import { useMutation } from '@atrium/ui/use-mutation'
import { zodForm } from '@atrium/ui/zod-form'
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'

const t = translations('ui.account')

interface Props {
  slug: string
  tenantName: string
  userId: string
  /** The mailbox is the reader's, who alone may create app passwords. */
  own: boolean
}

/** App passwords of a mailbox. */
export function AppPasswords({ slug, tenantName, userId, own }: Props) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const path = { slug, userId }
  const query = useQuery(trpc.members.listAppPasswords.queryOptions(path))
  const [removing, setRemoving] = useState<AppPassword>()
  const remove = useMutation(
    trpc.members.removeAppPassword.mutationOptions({
      onSettled: () =>
        queryClient.invalidateQueries(trpc.members.listAppPasswords.queryFilter(path)),
    }),
  )
  const held = query.data
  const off = problemOf(query.error).code === 'integration_off'
  if (off || held?.mailboxAddress === null)
    return (
      <Text size="sm" c="dimmed">
        {t(off ? 'appPasswords.noServer' : 'appPasswords.noMailbox', { tenant: tenantName })}
      </Text>
    )
  return (
    <Stack gap="sm">
      {held && own && (
        <Text size="sm" fw={550}>
          {held.mailboxAddress}
        </Text>
      )}
      <QueryState
        query={query}
        loading={t('appPasswords.loading')}
        failed={t('appPasswords.loadFailed')}
        rows={2}
      />
      {held && !query.error && held.items.length === 0 && (
        <Text size="sm" c="dimmed">
          {t(own ? 'appPasswords.none' : 'appPasswords.noneOfMember')}
        </Text>
      )}
      {held && !query.error && held.items.length > 0 && (
        <ResponsiveTable
          caption={t('appPasswords.caption', { mailbox: held.mailboxAddress })}
          columns={columns(setRemoving)}
          rows={held.items}
          rowKey={({ id }) => id}
        />
      )}
      {held && own && <CreateForm {...path} />}
      <ConfirmDialog
        opened={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        title={t('appPasswords.remove.title')}
        confirmLabel={t('appPasswords.remove.action')}
        onConfirm={async () => {
          if (!removing) return
          await remove.mutateAsync({ ...path, appPasswordId: removing.id })
          done(t('appPasswords.remove.done'))
        }}
      >
        {t(removing?.scheduling ? 'appPasswords.remove.scheduling' : 'appPasswords.remove.text', {
          name: removing?.name ?? '',
        })}
      </ConfirmDialog>
    </Stack>
  )
}

const columns = (onRemove: (password: AppPassword) => void) => [
  {
    key: 'name',
    header: t('appPasswords.columns.name'),
    primary: true,
    cell: ({ name, scheduling }: AppPassword) => (
      <>
        {name}
        {scheduling && (
          <Text size="sm" c="dimmed">
            {t('appPasswords.scheduling')}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'created',
    header: t('appPasswords.columns.created'),
    cell: ({ createdAt }: AppPassword) =>
      createdAt === null ? t('appPasswords.unknown') : <Time at={createdAt} show="absolute" />,
  },
  {
    key: 'actions',
    header: t('appPasswords.columns.actions'),
    hideHeader: true,
    align: 'end' as const,
    cell: (password: AppPassword) => (
      <Button
        size="xs"
        variant="default"
        aria-label={t('appPasswords.remove.named', { name: password.name })}
        onClick={() => onRemove(password)}
      >
        {t('appPasswords.remove.action')}
      </Button>
    ),
  },
]

const Name = CreateAppPassword.pick({ name: true })

function CreateForm({ slug, userId }: { slug: string; userId: string }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const [made, setMade] = useState<CreatedAppPassword>()
  const form = useForm({ initialValues: { name: '' }, validate: zodForm(Name) })
  const create = useMutation(
    trpc.members.createAppPassword.mutationOptions({
      // The secret is not kept longer than it is shown.
      gcTime: 0,
      onSuccess: (created) => {
        setMade(created)
        form.reset()
      },
      // Also after a failure, which may have left one.
      onSettled: () =>
        queryClient.invalidateQueries(trpc.members.listAppPasswords.queryFilter({ slug, userId })),
    }),
  )
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ name }) => create.mutate({ slug, name }), focusFirstError)}
    >
      <Stack gap="sm">
        <Group align="flex-end" gap="xs">
          <TextInput
            label={t('appPasswords.create.name')}
            description={t('appPasswords.create.hint')}
            maxLength={60}
            autoComplete="off"
            flex={1}
            maw={360}
            {...form.getInputProps('name')}
          />
          <Button
            type="submit"
            variant="default"
            loading={create.isPending}
            leftSection={<IconPlus size={17} aria-hidden />}
          >
            {t('appPasswords.create.action')}
          </Button>
        </Group>
        {create.error && (
          <ProblemAlert title={t('appPasswords.create.failed')} error={create.error} />
        )}
      </Stack>
      <SecretReveal
        opened={made !== undefined}
        onClose={() => {
          setMade(undefined)
          create.reset()
        }}
        title={t('appPasswords.create.done', { name: made?.name ?? '' })}
        label={t('appPasswords.create.secret')}
        secret={made?.secret ?? ''}
      >
        {t('appPasswords.create.use', { mailbox: made?.mailboxAddress ?? '' })}
      </SecretReveal>
    </form>
  )
}
