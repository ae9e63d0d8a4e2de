import type { MemberView, UpdatedMember } from '@atrium/core/members/members'
import { ProblemAlert } from '@atrium/ui/data-states'
import { focusFirstError } from '@atrium/ui/form-focus'
import { formatList } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { useMutation } from '@atrium/ui/use-mutation'
import { zodForm } from '@atrium/ui/zod-form'
import { Alert, Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { useTRPC } from '../trpc.ts'
import { changesOf, fromMember, MemberForm, type MemberFormValues } from './member-form.ts'
import { systems } from './member-status-meta.ts'
import { useMembersCache } from './mutations.ts'

const t = translations('portal.members')

/**
 * Name and contact of a member. After saving it says which of the upstream systems know of the
 * change.
 */
export function MemberProfile({ slug, member, mirrors, onSaved }: Props) {
  const trpc = useTRPC()
  const cache = useMembersCache(slug)
  const form = useForm<MemberFormValues>({
    initialValues: fromMember(member),
    validate: zodForm(MemberForm),
  })
  const update = useMutation(
    trpc.members.update.mutationOptions({
      onSuccess: (saved) => {
        onSaved(saved.mirrors)
        cache.learn(saved.member)
      },
    }),
  )
  const rejected = update.error && !Object.keys(form.errors).length

  return (
    <form
      noValidate
      onSubmit={form.onSubmit((values) => {
        const changes = changesOf(slug, member, values)
        if (changes) update.mutate(changes, { onError: (error) => showRejection(form, error) })
      }, focusFirstError)}
    >
      <Stack gap="sm">
        <TextInput
          label={t('fields.name')}
          required
          maxLength={200}
          disabled={!member.managed}
          {...form.getInputProps('name')}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <TextInput
            label={t('fields.firstName')}
            maxLength={100}
            disabled={!member.managed}
            {...form.getInputProps('firstName')}
          />
          <TextInput
            label={t('fields.lastName')}
            maxLength={100}
            disabled={!member.managed}
            {...form.getInputProps('lastName')}
          />
          <TextInput
            label={t('fields.phone')}
            type="tel"
            maxLength={32}
            disabled={!member.managed}
            {...form.getInputProps('phone')}
          />
          <TextInput
            label={t('fields.alternativeEmail')}
            type="email"
            maxLength={254}
            disabled={!member.managed}
            {...form.getInputProps('alternativeEmail')}
          />
        </SimpleGrid>
        {rejected && (
          <ProblemAlert
            title={t('profile.failed')}
            error={update.error}
            message={explain(update.error)}
          />
        )}
        {mirrors && <Mirrors mirrors={mirrors} />}
        {form.isDirty() && (
          <Group gap="xs">
            <Button type="submit" size="xs" loading={update.isPending}>
              {t('profile.save')}
            </Button>
            <Button size="xs" variant="subtle" color="gray" onClick={form.reset}>
              {t('profile.discard')}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}

interface Props {
  slug: string
  member: MemberView
  /**
   * What became of the change that was saved last; held outside, since the form starts again with
   * what was saved.
   */
  mirrors: UpdatedMember['mirrors'] | undefined
  onSaved: (mirrors: UpdatedMember['mirrors']) => void
}

/** Whether the upstream systems took over what was saved here. The record holds in any case. */
function Mirrors({ mirrors }: { mirrors: UpdatedMember['mirrors'] }) {
  const missed = systems.filter((system) => mirrors[system].state === 'error')
  const reported = systems
    .filter((system) => mirrors[system].state === 'ok')
    .map((system) => t(`systems.${system}.inList`))
  if (missed.length === 0) {
    return (
      <Alert color="green" variant="light" icon={<IconCheck aria-hidden />} role="status">
        {reported.length > 0
          ? t('profile.savedAlsoIn', { systems: formatList(reported) })
          : t('profile.saved')}
      </Alert>
    )
  }
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle aria-hidden />}
      title={t('profile.savedPartly')}
      role="status"
    >
      {missed.map((system) => (
        <div key={system}>
          {t('profile.missed', {
            system: t(`systems.${system}.name`),
            reason: mirrors[system].error ?? t('profile.notReached'),
          })}
        </div>
      ))}
    </Alert>
  )
}
