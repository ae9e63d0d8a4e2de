import { UpdateUser, type UserView } from '@atrium/core/users/users'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { LanguageSelect } from '@atrium/ui/language-select'
import { translations } from '@atrium/ui/messages'
import { followLanguage } from '@atrium/ui/page-language'
import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useSuspenseQuery } from '@tanstack/react-query'
import { rejections, validateAs } from '../parts/validation.ts'
import { useTRPC } from '../trpc.ts'
import { type ContactForm, toContactForm, toContactUpdate } from './contact-form.ts'
import { useUpdateUser } from './mutations.ts'

const t = translations('operator.users')
const frame = translations('ui.frame')

/** Name and contact fields of a user as a form. */
export function ContactEditor({ user, onClose }: { user: UserView; onClose: () => void }) {
  const update = useUpdateUser()
  const { data: me } = useSuspenseQuery(useTRPC().users.me.queryOptions())
  const form = useForm<ContactForm>({
    initialValues: toContactForm(user),
    validate: validateAs(UpdateUser, (values: ContactForm) => toContactUpdate(user, values)),
    validateInputOnBlur: true,
  })
  useFollowRecord(form, toContactForm(user))
  const { onInvalid, onRejected } = rejections(form)
  const save = form.onSubmit(
    (values) =>
      update.mutate(toContactUpdate(user, values), {
        onSuccess: (saved) => {
          done(t('contact.saved', { user: saved.name }))
          onClose()
          if (saved.id === me.id) followLanguage(saved)
        },
        onError: onRejected,
      }),
    onInvalid,
  )
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <TextInput
          label={t('contact.name')}
          withAsterisk
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label={t('contact.firstName')}
            autoComplete="off"
            {...form.getInputProps('firstName')}
          />
          <TextInput
            label={t('contact.lastName')}
            autoComplete="off"
            {...form.getInputProps('lastName')}
          />
        </SimpleGrid>
        <TextInput
          label={t('contact.phone')}
          type="tel"
          autoComplete="off"
          {...form.getInputProps('phone')}
        />
        <TextInput
          label={t('contact.alternativeEmail')}
          type="email"
          autoComplete="off"
          {...form.getInputProps('alternativeEmail')}
        />
        <LanguageSelect
          label={t('contact.language')}
          unset={t('contact.languageUnset')}
          {...form.getInputProps('language')}
        />
        {update.error && <ProblemAlert error={update.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={update.isPending}>
            {frame('cancel')}
          </Button>
          <Button type="submit" loading={update.isPending} disabled={!form.isDirty()}>
            {t('contact.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
