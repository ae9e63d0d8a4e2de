import type { MemberView, ResetPassword } from '@atrium/core/members/members'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { SecretReveal } from '@atrium/ui/secret-reveal'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Group, List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { useTRPC } from '../trpc.ts'
import { actionLabels, actionTitle, openMailConnections, sentenceOf } from './action-labels.ts'
import { type BulkAction, planBulk } from './bulk.ts'
import { useMembersCache } from './mutations.ts'
import { passwordNote } from './password-note.ts'
import { useMemberActions } from './use-member-actions.ts'

interface Props {
  slug: string
  member: MemberView
  /** The member is the person who looks. */
  own: boolean
  /** False while the workplace is suspended: what lets somebody in waits for its resume. */
  open: boolean
  onGone: () => void
}

/** Suspend, resume, sign out, reset the password, remove: each asks first and says what it does. */
export function MemberActions({ slug, member, own, open, onGone }: Props) {
  const [asking, setAsking] = useState<BulkAction | 'resetPassword'>()
  const [secret, setSecret] = useState<ResetPassword>()
  const acts = useMemberActions(slug)
  const reset = useResetPassword(slug)
  // An id that is nobody's stands for "somebody else", as the rules ask only whether the member is
  // the caller.
  const fits = (act: BulkAction) => planBulk(act, [member], own ? member.id : '').fit.length > 0
  const close = () => setAsking(undefined)
  const act = asking === 'resetPassword' ? undefined : asking

  return (
    <>
      {own && (
        <Text size="sm" c="dimmed" mb="sm">
          You cannot suspend, sign out or remove yourself. Another admin can.
        </Text>
      )}
      <Group gap="xs">
        {fits('suspend') && (
          <Button size="xs" variant="default" onClick={() => setAsking('suspend')}>
            Suspend
          </Button>
        )}
        {open && fits('resume') && (
          <Button size="xs" onClick={() => setAsking('resume')}>
            Resume
          </Button>
        )}
        {fits('forceLogout') && (
          <Button size="xs" variant="default" onClick={() => setAsking('forceLogout')}>
            Sign out everywhere
          </Button>
        )}
        {member.managed && member.status !== 'removing' && (open || !member.invited) && (
          <Button size="xs" variant="default" onClick={() => setAsking('resetPassword')}>
            {member.invited ? 'Send the invitation again' : 'Reset password'}
          </Button>
        )}
        {fits('remove') && (
          <Button size="xs" variant="light" color="red" onClick={() => setAsking('remove')}>
            Remove
          </Button>
        )}
      </Group>
      {act && (
        <ConfirmDialog
          opened
          onClose={close}
          title={`${actionTitle(act, 1, member.name)}?`}
          confirmLabel={actionTitle(act, 1, member.name)}
          destructive={actionLabels[act].destructive}
          explain={explain}
          {...(act === 'remove' ? { typedWord: member.email } : {})}
          onConfirm={async () => {
            try {
              await acts.run(act, member.id)
            } finally {
              acts.cache.forget(act === 'remove' ? undefined : member.id)
            }
            done(`${member.name} has been ${actionLabels[act].done}.`)
            if (act === 'remove') onGone()
          }}
        >
          <Stack gap="xs">
            <Text size="sm">
              <strong>{member.name}</strong> ({member.email}):
            </Text>
            <List size="sm" spacing={4}>
              {actionLabels[act].effects.map((effect) => (
                <List.Item key={effect}>{effect}</List.Item>
              ))}
            </List>
          </Stack>
        </ConfirmDialog>
      )}
      <ConfirmDialog
        opened={asking === 'resetPassword'}
        onClose={close}
        title={
          member.invited
            ? `Send the invitation to ${member.email} again?`
            : `Reset the password of ${member.name}?`
        }
        confirmLabel={member.invited ? 'Send again' : 'Reset password'}
        explain={explain}
        onConfirm={async () => {
          const response = await reset.mutateAsync({ slug, userId: member.id })
          if (response.linkSentTo !== null) done(`A link was sent to ${response.linkSentTo}.`)
          setSecret(response)
        }}
      >
        {member.invited ? (
          'The link in the mail sent before stops working.'
        ) : (
          <Stack gap="xs">
            <Text inherit>
              The current password ends at once, for sign-in
              {member.mailboxAddress ? ' and mailbox' : ''}, and open sessions end. A new one is
              shown once, to hand over. Somebody whose address is outside your domains gets a link
              by mail instead.
            </Text>
            {member.mailboxAddress && <Text inherit>{sentenceOf(openMailConnections)}</Text>}
          </Stack>
        )}
      </ConfirmDialog>
      <SecretReveal
        opened={typeof secret?.oneTimePassword === 'string'}
        onClose={() => setSecret(undefined)}
        title={`New password of ${member.name}`}
        label="One-time password"
        secret={secret?.oneTimePassword ?? ''}
      >
        {secret && passwordNote(member, secret)}
      </SecretReveal>
    </>
  )
}

function useResetPassword(slug: string) {
  const trpc = useTRPC()
  const cache = useMembersCache(slug)
  return useMutation(
    trpc.members.resetPassword.mutationOptions({
      onSuccess: ({ member }) => cache.learn(member),
      // The secret is shown by the page that asked; the cache of mutations must not keep it.
      gcTime: 0,
    }),
  )
}
