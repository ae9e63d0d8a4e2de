import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { useTRPC } from '../trpc.ts'

const t = translations('portal.mfa')

interface Props {
  slug: string
  /** Whom to remind; empty for everyone without a second factor. */
  selected: readonly string[]
  onDone: () => void
}

/** Mails members who have no second factor; one mail per person and day. */
export function RemindButton({ slug, selected, onDone }: Props) {
  const trpc = useTRPC()
  const [opened, setOpened] = useState(false)
  const remind = useMutation(trpc.members.remindOfSecondFactors.mutationOptions())
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconBell size={17} aria-hidden />}
        onClick={() => setOpened(true)}
      >
        {t('remind.action', { count: selected.length })}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={t('remind.question', { count: selected.length })}
        confirmLabel={t('remind.submit')}
        destructive={false}
        explain={explain}
        onConfirm={async () => {
          const { reminded, more } = await remind.mutateAsync({
            slug,
            ...(selected.length > 0 && { userIds: [...selected] }),
          })
          done(t(more ? 'remind.doneMore' : 'remind.done', { count: reminded }))
          onDone()
        }}
      >
        {t('remind.text')}
      </ConfirmDialog>
    </>
  )
}
