import { type Invitation, InviteUser } from '@atrium/core/users/users'
import { ProblemAlert } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
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
        // The answer holds a one-time secret; the mutation must not keep it after the window is
        // closed.
        invite.reset()
      },
      onError: onRejected,
    })
  }, onInvalid)
  const taken = invite.error !== null && problemOf(invite.error).code === 'email_exists'
  return (
    <>
      <PageHeader
        title="Invite operator"
        description="Creates a new identity that may operate the whole platform. You get something to hand over, once."
      />
      <Card maw={560} bg="var(--atrium-surface)">
        <form onSubmit={send} noValidate>
          <Stack>
            {invited && !invitation && (
              <Alert color="green" icon={<IconCircleCheck aria-hidden />} role="status">
                {invited.name} is invited.{' '}
                <LinkAnchor to="/users/$id" params={{ id: invited.userId }} c="inherit">
                  Open the user
                </LinkAnchor>
              </Alert>
            )}
            <TextInput
              label="Name"
              withAsterisk
              autoComplete="off"
              {...form.getInputProps('name')}
            />
            <TextInput
              label="E-mail"
              description="Also the name to sign in with. Nobody may have it yet."
              type="email"
              withAsterisk
              autoComplete="off"
              {...form.getInputProps('email')}
            />
            {invite.error && (
              <ProblemAlert
                error={invite.error}
                message={
                  taken
                    ? 'Somebody with this address exists already. Grant them platform administration on their own page.'
                    : undefined
                }
              >
                {taken && (
                  <LinkAnchor
                    to="/users"
                    search={{ q: form.values.email.trim().toLowerCase() }}
                    size="sm"
                    c="inherit"
                  >
                    Find this user
                  </LinkAnchor>
                )}
              </ProblemAlert>
            )}
            <Group justify="flex-end">
              <Button type="submit" loading={invite.isPending}>
                Invite
              </Button>
            </Group>
          </Stack>
        </form>
      </Card>
      {invitation && invited && (
        <SecretReveal
          opened
          onClose={() => setInvitation(undefined)}
          title={`${invited.name} is invited`}
          label={invitation.link === undefined ? 'Temporary password' : 'Recovery link'}
          secret={invitation.link ?? invitation.tempPassword ?? ''}
        >
          {invitation.link === undefined
            ? `The identity provider has no recovery flow, so a temporary password was set. Share it with ${invited.email} over a secure channel; they sign in with their address and should change it at once.`
            : `The identity provider made a recovery link. Share it with ${invited.email} over a secure channel. Anyone who opens it can set the password of the new account.`}
        </SecretReveal>
      )}
    </>
  )
}
