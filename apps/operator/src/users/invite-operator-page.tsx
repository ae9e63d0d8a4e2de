import { type Invitation, InviteUser } from '@atrium/core/users/users'
import { ProblemAlert } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { problemOf } from '@atrium/ui/problem'
import { SecretReveal } from '@atrium/ui/secret-reveal'
import { zodForm } from '@atrium/ui/zod-form'
import { Alert, Button, Card, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconCircleCheck } from '@tabler/icons-react'
import { createLazyRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { rejections } from '../parts/validation.ts'
import { useInviteOperator } from './mutations.ts'

const t = translations('operator.users')

export const Route = createLazyRoute('/authenticated/users/invite')({
  component: InviteOperatorPage,
})

interface Person {
  name: string
  email: string
  userId: string
}

function InviteOperatorPage() {
  const invite = useInviteOperator()
  const [invitation, setInvitation] = useState<Invitation>()
  const [invited, setInvited] = useState<Person>()
  const form = useForm<InviteUser>({
    initialValues: { name: '', email: '' },
    validate: zodForm(InviteUser),
    validateInputOnBlur: true,
  })
  const { onInvalid, onRejected } = rejections(form)
  const send = form.onSubmit((values) => {
    setInvited(undefined)
    invite.mutate(values, {
      onSuccess: (response) => {
        setInvitation(response)
        setInvited({ name: values.name, email: values.email, userId: response.userId })
        form.reset()
        // The response holds a one-time secret, which the mutation must not keep.
        invite.reset()
      },
      onError: onRejected,
    })
  }, onInvalid)
  const taken = invite.error !== null && problemOf(invite.error).code === 'email_exists'
  return (
    <>
      <PageHeader title={t('invite.title')} description={t('invite.description')} />
      <Card maw={560} bg="var(--atrium-surface)">
        <form onSubmit={send} noValidate>
          <Stack>
            {invited && !invitation && (
              <Alert color="green" icon={<IconCircleCheck aria-hidden />} role="status">
                {t.rich('invite.invited', {
                  user: invited.name,
                  link: (chunks) => (
                    <LinkAnchor to="/users/$id" params={{ id: invited.userId }} c="inherit">
                      {chunks}
                    </LinkAnchor>
                  ),
                })}
              </Alert>
            )}
            <TextInput
              label={t('invite.name')}
              withAsterisk
              autoComplete="off"
              {...form.getInputProps('name')}
            />
            <TextInput
              label={t('invite.email')}
              description={t('invite.emailHint')}
              type="email"
              withAsterisk
              autoComplete="off"
              {...form.getInputProps('email')}
            />
            {invite.error && (
              <ProblemAlert error={invite.error} message={taken ? t('invite.taken') : undefined}>
                {taken && (
                  <LinkAnchor
                    to="/users"
                    search={{ q: form.values.email.trim().toLowerCase() }}
                    size="sm"
                    c="inherit"
                  >
                    {t('invite.find')}
                  </LinkAnchor>
                )}
              </ProblemAlert>
            )}
            <Group justify="flex-end">
              <Button type="submit" loading={invite.isPending}>
                {t('invite.submit')}
              </Button>
            </Group>
          </Stack>
        </form>
      </Card>
      {invitation && invited && (
        <SecretReveal
          opened
          onClose={() => setInvitation(undefined)}
          title={t('invite.secret.title', { user: invited.name })}
          label={t(invitation.link === undefined ? 'invite.secret.password' : 'invite.secret.link')}
          secret={invitation.link ?? invitation.tempPassword ?? ''}
        >
          {t(
            invitation.link === undefined ? 'invite.secret.passwordHint' : 'invite.secret.linkHint',
            { email: invited.email },
          )}
        </SecretReveal>
      )}
    </>
  )
}
