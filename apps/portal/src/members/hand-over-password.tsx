import type { MemberView, ResetPassword } from '@atrium/core/members/members'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { SecretReveal } from '@atrium/ui/secret-reveal'
import { useMutation } from '@atrium/ui/use-mutation'
import { Alert, Button, Group, Modal, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { useTRPC } from '../trpc.ts'
import { useMembersCache } from './mutations.ts'
import { passwordNote } from './password-note.ts'

const t = translations('portal.members')

interface Props {
  slug: string
  member: MemberView
  /** The one-time password that the member got. */
  secret: string
  title: string
  /** What the secret opens, for those who let it be shown. */
  note: string
  onClose: () => void
}

/**
 * Hands a new password over: shows it, or has a link sent to a second address of the member, which
 * makes the one-time password void without anybody having seen it. Where the password is that of a
 * mailbox alone, it is shown at once.
 */
export function HandOverPassword({ slug, member, secret, title, note, onClose }: Props) {
  const [shown, setShown] = useState(false)
  const [incomplete, setIncomplete] = useState<ResetPassword>()
  const choosing = member.temporaryPassword !== null && !shown
  if (!choosing)
    return (
      <SecretReveal
        opened
        onClose={onClose}
        title={title}
        label={t('password.label')}
        secret={secret}
      >
        {note}
      </SecretReveal>
    )
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      size="lg"
    >
      {incomplete ? (
        <Stack>
          <Alert color="red" role="alert" title={t('password.handOver.failed')}>
            {passwordNote(member, incomplete)}
          </Alert>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('password.handOver.close')}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Stack>
          <Text>{t('password.handOver.choose', { member: member.name })}</Text>
          <Paper withBorder p="md">
            <Stack gap="xs" align="flex-start">
              <Text size="sm">{t('password.handOver.showText', { member: member.name })}</Text>
              <Button variant="default" onClick={() => setShown(true)}>
                {t('password.handOver.show')}
              </Button>
            </Stack>
          </Paper>
          <Paper withBorder p="md">
            <LinkForm
              slug={slug}
              member={member}
              onSent={(response) => {
                if (response.linkSentTo === null || response.outcomes.mail.state === 'error')
                  return setIncomplete(response)
                done(t('password.reset.linkSent', { email: response.linkSentTo }))
                onClose()
              }}
            />
          </Paper>
        </Stack>
      )}
    </Modal>
  )
}

function LinkForm({
  slug,
  member,
  onSent,
}: {
  slug: string
  member: MemberView
  onSent: (response: ResetPassword) => void
}) {
  const trpc = useTRPC()
  const cache = useMembersCache(slug)
  const form = useForm({ initialValues: { linkTo: member.alternativeEmail ?? '' } })
  const send = useMutation(
    trpc.members.resetPassword.mutationOptions({
      onSuccess: (response) => {
        cache.learn(response.member)
        onSent(response)
      },
      onError: (error) => showRejection(form, error),
      gcTime: 0,
    }),
  )
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ linkTo }) =>
        send.mutate({ slug, userId: member.id, linkTo: linkTo.trim() }),
      )}
    >
      <Stack gap="xs">
        <Text size="sm">{t('password.handOver.linkText', { member: member.name })}</Text>
        <TextInput
          label={t('password.handOver.address')}
          description={t('password.handOver.addressHint')}
          type="email"
          required
          maxLength={254}
          autoComplete="off"
          {...form.getInputProps('linkTo')}
        />
        {send.error && Object.keys(form.errors).length === 0 && (
          <ProblemAlert
            title={t('password.handOver.failed')}
            error={send.error}
            message={explain(send.error)}
          />
        )}
        <Group>
          <Button type="submit" loading={send.isPending}>
            {t('password.handOver.send')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
