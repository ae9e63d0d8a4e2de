import {
  secretOverlapHours,
  type WebhookEndpointView,
  type WebhookEndpointWithSecret,
} from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { fromLocalInput } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { EndpointDialog } from './endpoint-form.tsx'
import { useEndpointMutations } from './mutations.ts'

const t = translations('portal.webhooks')

interface Props {
  slug: string
  endpoint: WebhookEndpointView
  onSecret: (endpoint: WebhookEndpointWithSecret) => void
  onRemoved: () => void
}

/** What can be done with an endpoint. */
export function EndpointActions({ slug, endpoint, onSecret, onRemoved }: Props) {
  const [asking, setAsking] = useState<'edit' | 'replay' | 'rotate' | 'remove'>()
  const { test, update, rotate, remove, replay } = useEndpointMutations()
  const { id, disabledAt } = endpoint
  const close = () => setAsking(undefined)
  return (
    <Group gap="xs">
      <Button
        size="xs"
        loading={test.isPending}
        onClick={() =>
          test.mutate(
            { slug, id },
            { onSuccess: ({ ok }) => done(t(ok ? 'sent.ok' : 'sent.failed')) },
          )
        }
      >
        {t('test')}
      </Button>
      <Button size="xs" variant="default" onClick={() => setAsking('edit')}>
        {t('edit')}
      </Button>
      <Button
        size="xs"
        variant="default"
        loading={update.isPending}
        onClick={() => update.mutate({ slug, id, enabled: disabledAt !== null })}
      >
        {t(disabledAt === null ? 'switchOff' : 'switchOn')}
      </Button>
      <Button size="xs" variant="default" onClick={() => setAsking('replay')}>
        {t('replay.open')}
      </Button>
      <Button size="xs" variant="default" onClick={() => setAsking('rotate')}>
        {t('rotate.open')}
      </Button>
      <Button size="xs" variant="light" color="red" onClick={() => setAsking('remove')}>
        {t('remove.open')}
      </Button>
      <EndpointDialog
        opened={asking === 'edit'}
        onClose={close}
        endpoint={endpoint}
        onSave={(values) => update.mutateAsync({ slug, id, ...values })}
      />
      <ReplayDialog
        opened={asking === 'replay'}
        onClose={close}
        onReplay={(since) => replay.mutateAsync({ slug, id, since })}
      />
      <RotateDialog
        opened={asking === 'rotate'}
        onClose={close}
        onRotate={async (overlapHours) =>
          onSecret(await rotate.mutateAsync({ slug, id, overlapHours }))
        }
      />
      <ConfirmDialog
        opened={asking === 'remove'}
        onClose={close}
        title={t('remove.title')}
        confirmLabel={t('remove.open')}
        onConfirm={async () => {
          await remove.mutateAsync({ slug, id })
          onRemoved()
          done(t('remove.done'))
        }}
      >
        {t('remove.effect')}
      </ConfirmDialog>
    </Group>
  )
}

interface DialogProps {
  opened: boolean
  onClose: () => void
}

function ReplayDialog({
  opened,
  onClose,
  onReplay,
}: DialogProps & { onReplay: (since: string) => Promise<unknown> }) {
  const [typed, setTyped] = useState('')
  const since = fromLocalInput(typed)
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t('replay.title')}
      confirmLabel={t('replay.open')}
      destructive={false}
      disabled={since === undefined}
      onConfirm={async () => {
        if (since !== undefined) await onReplay(since)
        done(t('replay.done'))
      }}
    >
      <Stack gap="sm">
        <Text size="sm">{t('replay.effect')}</Text>
        <TextInput
          label={t('replay.since')}
          type="datetime-local"
          step={60}
          required
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </Stack>
    </ConfirmDialog>
  )
}

const overlaps = [0, 1, secretOverlapHours.proposed, 72, secretOverlapHours.most]

function RotateDialog({
  opened,
  onClose,
  onRotate,
}: DialogProps & { onRotate: (overlapHours: number) => Promise<unknown> }) {
  const [overlap, setOverlap] = useState(String(secretOverlapHours.proposed))
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t('rotate.title')}
      confirmLabel={t('rotate.open')}
      destructive={false}
      onConfirm={() => onRotate(Number(overlap))}
    >
      <Stack gap="sm">
        <Text size="sm">{t('rotate.effect')}</Text>
        <NativeSelect
          label={t('rotate.overlap')}
          value={overlap}
          onChange={(event) => setOverlap(event.currentTarget.value)}
          data={overlaps.map((hours) => ({
            value: String(hours),
            label: t('rotate.hours', { hours }),
          }))}
        />
      </Stack>
    </ConfirmDialog>
  )
}
