import type { MemberView, ResetPassword } from '@atrium/core/members/members'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Group, List, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { useTRPC } from '../trpc.ts'
import { actionTitle, effectsOf, isDestructive } from './action-labels.ts'
import { type BulkAction, planBulk } from './bulk.ts'
import { HandOverPassword } from './hand-over-password.tsx'
import { useMembersCache } from './mutations.ts'
import { passwordNote } from './password-note.ts'
import { useMemberActions } from './use-member-actions.ts'

const t = translations('portal.members')

interface Props {
  slug: string
  member: MemberView
  /** The member is the person who looks. */
  own: boolean
  /** False while the workplace is suspended: actions that grant access wait for its resume. */
  open: boolean
  onGone: () => void
}

/** Suspend, resume, sign out, reset the password, remove: each asks first and says what it does. */
export function MemberActions({ slug, member, own, open, onGone }: Props) {
  const [asking, setAsking] = useState<BulkAction | 'resetPassword' | 'resetSecondFactors'>()
  const [secret, setSecret] = useState<ResetPassword>()
  const actions = useMemberActions(slug)
  const reset = useResetPassword(slug)
  // An id of no member represents "another person", as the rules only compare the member with the
  // caller.
  const fits = (act: BulkAction) => planBulk(act, [member], own ? member.id : '').fit.length > 0
  const close = () => setAsking(undefined)
  const act = asking === 'resetPassword' || asking === 'resetSecondFactors' ? undefined : asking
  const resetFactors = useResetSecondFactors(slug)

  return (
    <>
      {own && (
        <Text size="sm" c="dimmed" mb="sm">
          {t('actions.notYourself')}
        </Text>
      )}
      <Group gap="xs">
        {fits('suspend') && (
          <Button size="xs" variant="default" onClick={() => setAsking('suspend')}>
            {t('actions.suspend.verb')}
          </Button>
        )}
        {open && fits('resume') && (
          <Button size="xs" onClick={() => setAsking('resume')}>
            {t('actions.resume.verb')}
          </Button>
        )}
        {fits('forceLogout') && (
          <Button size="xs" variant="default" onClick={() => setAsking('forceLogout')}>
            {t('actions.forceLogout.verb')}
          </Button>
        )}
        {member.managed && member.status !== 'removing' && (
          <Button size="xs" variant="default" onClick={() => setAsking('resetPassword')}>
            {t('password.reset.action')}
          </Button>
        )}
        {member.managed && !own && member.status !== 'removing' && (
          <Button size="xs" variant="default" onClick={() => setAsking('resetSecondFactors')}>
            {t('secondFactors.action')}
          </Button>
        )}
        {fits('remove') && (
          <Button size="xs" variant="light" color="red" onClick={() => setAsking('remove')}>
            {t('actions.remove.verb')}
          </Button>
        )}
      </Group>
      {act && (
        <ConfirmDialog
          opened
          onClose={close}
          title={`${actionTitle(act, 1, member.name)}?`}
          confirmLabel={actionTitle(act, 1, member.name)}
          destructive={isDestructive(act)}
          explain={explain}
          {...(act === 'remove' ? { typedWord: member.email } : {})}
          onConfirm={async () => {
            try {
              await actions.run(act, member.id)
            } finally {
              actions.cache.forget(act === 'remove' ? undefined : member.id)
            }
            done(t(`actions.${act}.done`, { member: member.name }))
            if (act === 'remove') onGone()
          }}
        >
          <Stack gap="xs">
            <Text size="sm">
              <strong>{member.name}</strong> ({member.email}):
            </Text>
            <List size="sm" spacing={4}>
              {effectsOf(act).map((effect) => (
                <List.Item key={effect}>{effect}</List.Item>
              ))}
            </List>
          </Stack>
        </ConfirmDialog>
      )}
      <ConfirmDialog
        opened={asking === 'resetSecondFactors'}
        onClose={close}
        title={t('secondFactors.question', { member: member.name })}
        confirmLabel={t('secondFactors.action')}
        explain={explain}
        onConfirm={async () => {
          const { removed } = await resetFactors.mutateAsync({ slug, userId: member.id })
          done(t('secondFactors.done', { count: removed, member: member.name }))
        }}
      >
        {t('secondFactors.text', { member: member.name })}
      </ConfirmDialog>
      <ConfirmDialog
        opened={asking === 'resetPassword'}
        onClose={close}
        title={t('password.reset.question', { member: member.name })}
        confirmLabel={t('password.reset.action')}
        explain={explain}
        onConfirm={async () => {
          const response = await reset.mutateAsync({ slug, userId: member.id })
          if (response.linkSentTo !== null)
            done(t('password.reset.linkSent', { email: response.linkSentTo }))
          setSecret(response)
        }}
      >
        <Stack gap="xs">
          <Text inherit>
            {t(member.mailboxAddress ? 'password.reset.mailboxEffects' : 'password.reset.effects')}
          </Text>
          {member.mailboxAddress && (
            <Text inherit>{t('actions.suspend.effects.openConnections')}</Text>
          )}
        </Stack>
      </ConfirmDialog>
      {secret?.oneTimePassword && (
        <HandOverPassword
          slug={slug}
          member={secret.member}
          secret={secret.oneTimePassword}
          title={t('password.newOf', { member: member.name })}
          note={passwordNote(member, secret)}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  )
}

function useResetSecondFactors(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation(
    trpc.members.resetSecondFactors.mutationOptions({
      onSettled: () => queryClient.invalidateQueries(trpc.mfa.status.queryFilter({ slug })),
    }),
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
