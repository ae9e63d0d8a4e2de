import type { MemberView } from '@atrium/core/members/members'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Button, Group, List, Modal, Progress, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useProfile } from '../profile/use-profile.ts'
import { actionTitle, effectsOf, isDestructive } from './action-labels.ts'
import { type BulkAction, type BulkPlan, planBulk, type Result, runEach } from './bulk.ts'
import classes from './members.module.css'
import { useMemberActions } from './use-member-actions.ts'

const t = translations('portal.members')

interface Props {
  tenant: TenantView
  act: BulkAction
  members: readonly MemberView[]
  onClose: () => void
  /** Called with those it was done to, when the dialog closes. */
  onDone: (members: readonly MemberView[]) => void
}

/** One question for all of them, then progress, then what could not be done and why. */
export function BulkDialog({ tenant, act, members, onClose, onDone }: Props) {
  const { me } = useProfile()
  const actions = useMemberActions(tenant.slug)
  // As it stood when the question was asked: the rows change while the act goes on.
  const [plan] = useState(() => planBulk(act, members, me.id))
  const [results, setResults] = useState<readonly Result<MemberView>[]>([])
  const [stage, setStage] = useState<'asking' | 'running' | 'ended'>('asking')
  const failed = results.filter(({ problem }) => problem)

  function close() {
    if (stage === 'running') return
    onClose()
    if (stage === 'ended') onDone(results.filter(({ problem }) => !problem).map(({ item }) => item))
  }

  async function start() {
    setStage('running')
    const ended = await runEach(
      plan.fit,
      (member) => actions.run(act, member.id),
      (result) => setResults((before) => [...before, result]),
    )
    actions.cache.forget()
    setStage('ended')
    if (ended.some(({ problem }) => problem)) return
    const [only, ...others] = ended
    done(
      only && others.length === 0
        ? t(`actions.${act}.done`, { member: only.item.name })
        : t(`actions.${act}.doneSeveral`, { count: ended.length }),
    )
    onClose()
    onDone(ended.map(({ item }) => item))
  }

  return (
    <Modal
      opened
      onClose={close}
      title={
        stage === 'ended'
          ? t('bulk.notAll')
          : `${actionTitle(act, plan.fit.length, plan.fit[0]?.name)}?`
      }
      size="lg"
      withCloseButton={stage !== 'running'}
      closeOnEscape={stage !== 'running'}
      closeOnClickOutside={false}
    >
      {stage === 'asking' && (
        <Question act={act} plan={plan} onCancel={close} onConfirm={() => void start()} />
      )}
      {stage === 'running' && <Running act={act} ended={results.length} all={plan.fit.length} />}
      {stage === 'ended' && (
        <Stack>
          <Text size="sm">
            {t(`actions.${act}.doneSome`, {
              done: results.length - failed.length,
              all: results.length,
            })}
          </Text>
          <ul className={classes.names}>
            {failed.map(({ item, problem }) => (
              <li key={item.id}>
                <strong>{item.name}</strong>: {problem?.message}
              </li>
            ))}
          </ul>
          <Group justify="flex-end">
            <Button onClick={close}>{t('actions.close')}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

interface QuestionProps {
  act: BulkAction
  plan: BulkPlan
  onCancel: () => void
  onConfirm: () => void
}

function Question({ act, plan, onCancel, onConfirm }: QuestionProps) {
  const [typed, setTyped] = useState('')
  const word = t('bulk.confirmWord')
  const ready = plan.fit.length > 0 && (act !== 'remove' || typed.trim().toLowerCase() === word)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (ready) onConfirm()
      }}
    >
      <Stack>
        {plan.fit.length > 0 ? (
          <>
            <Text size="sm">{t('bulk.fit')}</Text>
            <ul className={classes.names} aria-label={t('bulk.fitLabel')}>
              {plan.fit.map(({ id, name, email }) => (
                <li key={id}>
                  {name} <Text span c="dimmed" inherit>{`(${email})`}</Text>
                </li>
              ))}
            </ul>
            <List size="sm" spacing={4}>
              {effectsOf(act).map((effect) => (
                <List.Item key={effect}>{effect}</List.Item>
              ))}
            </List>
          </>
        ) : (
          <Text size="sm">{t('bulk.fitsNone')}</Text>
        )}
        {plan.left.length > 0 && (
          <div>
            <Text size="sm" mb={6}>
              {t('bulk.left')}
            </Text>
            <ul className={classes.names} aria-label={t('bulk.leftLabel')}>
              {plan.left.map(({ member, reason }) => (
                <li key={member.id}>
                  {member.name} <StatusBadge label={reason} tone="neutral" />
                </li>
              ))}
            </ul>
          </div>
        )}
        {act === 'remove' && plan.fit.length > 0 && (
          <TextInput
            label={t('bulk.confirm', { word })}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {t('actions.cancel')}
          </Button>
          <Button type="submit" disabled={!ready} {...(isDestructive(act) ? { color: 'red' } : {})}>
            {actionTitle(act, plan.fit.length)}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Running({ act, ended, all }: { act: BulkAction; ended: number; all: number }) {
  return (
    <Stack>
      <Text size="sm" role="status" aria-live="polite">
        {t(`actions.${act}.doing`, { ended, all })}
      </Text>
      <Progress
        value={(ended / Math.max(1, all)) * 100}
        aria-label={t(`actions.${act}.progress`)}
      />
    </Stack>
  )
}
