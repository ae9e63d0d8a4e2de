import {
  type CreatedServiceToken,
  type RotateServiceToken,
  type ServiceTokenView,
  serviceTokenDays,
} from '@atrium/core/service-tokens/service-tokens'
import { Button, NativeSelect } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { ConfirmDialog } from '../confirm.tsx'
import { done } from '../done.ts'
import { formatDay } from '../format.ts'
import { translations } from '../messages.ts'
import { RotateDialog } from '../rotate-dialog.tsx'

const t = translations('ui.service-tokens')

const lives = [30, serviceTokenDays.proposed, 180, serviceTokenDays.most]

interface RotateProps {
  token: ServiceTokenView
  onRotate: (rotation: RotateServiceToken) => Promise<CreatedServiceToken>
  onRotated: (token: CreatedServiceToken) => void
}

/** Gives a token a new secret, and a new end where one is chosen. */
export function RotateToken({ token, onRotate, onRotated }: RotateProps) {
  const [opened, { open, close }] = useDisclosure(false)
  const [days, setDays] = useState('')
  const { id, name } = token
  return (
    <>
      <Button size="xs" variant="default" aria-label={t('rotate.openFor', { name })} onClick={open}>
        {t('rotate.open')}
      </Button>
      <RotateDialog
        opened={opened}
        onClose={close}
        title={t('rotate.title', { name })}
        confirmLabel={t('rotate.open')}
        effect={t('rotate.effect')}
        onRotate={async (overlapHours) => {
          const end = days === '' ? {} : { expiresInDays: Number(days) }
          onRotated(await onRotate({ id, overlapHours, ...end }))
        }}
      >
        <NativeSelect
          label={t('rotate.end')}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          data={[
            { value: '', label: t('rotate.sameEnd', { day: formatDay(token.expiresAt) }) },
            ...lives.map((count) => ({
              value: String(count),
              label: t('create.inDays', { days: count }),
            })),
          ]}
        />
      </RotateDialog>
    </>
  )
}

interface RevokeProps {
  token: ServiceTokenView
  onRevoke: (id: string) => Promise<unknown>
}

/** Ends a token at once. */
export function RevokeToken({ token: { id, name }, onRevoke }: RevokeProps) {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button
        size="xs"
        variant="light"
        color="red"
        aria-label={t('revoke.openFor', { name })}
        onClick={open}
      >
        {t('revoke.open')}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t('revoke.title', { name })}
        confirmLabel={t('revoke.open')}
        onConfirm={async () => {
          await onRevoke(id)
          done(t('revoke.done', { name }))
        }}
      >
        {t('revoke.effect')}
      </ConfirmDialog>
    </>
  )
}
