import { UpdateUser, type UserView } from '@atrium/core/users/users'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { rejections, validateAs } from '../parts/validation.ts'
import { type ContactForm, toContactForm, toContactUpdate } from './contact-form.ts'
import { useUpdateUser } from './mutations.ts'

/** Name and contact fields of a user as a form. */
export function ContactEditor({ user, onClose }: { user: UserView; onClose: () => void }) {
  const update = useUpdateUser()
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
          done(`The contact of ${saved.name} is saved.`)
          onClose()
        },
        onError: onRejected,
      }),
    onInvalid,
  )
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <TextInput label="Name" withAsterisk autoComplete="off" {...form.getInputProps('name')} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput label="First name" autoComplete="off" {...form.getInputProps('firstName')} />
          <TextInput label="Last name" autoComplete="off" {...form.getInputProps('lastName')} />
        </SimpleGrid>
        <TextInput label="Phone" type="tel" autoComplete="off" {...form.getInputProps('phone')} />
        <TextInput
          label="Alternative e-mail"
          type="email"
          autoComplete="off"
          {...form.getInputProps('alternativeEmail')}
        />
        {update.error && <ProblemAlert error={update.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={update.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={update.isPending} disabled={!form.isDirty()}>
            Save contact
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
