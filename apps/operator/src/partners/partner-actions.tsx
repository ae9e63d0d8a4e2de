import type { PartnerView } from '@atrium/core/partners/partners'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { Button, List, Text } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'
import { useUpdatePartner } from './mutations.ts'

/** Suspending and resuming, which concern the partner as a whole. */
export function PartnerActions({ partner }: { partner: PartnerView }) {
  // Named, not yes or no: the partner may change under an open dialog, which must not turn into the
  // other one.
  const [opened, setOpened] = useState<'suspend' | 'resume'>()
  const update = useUpdatePartner()
  const { slug, name } = partner
  const close = () => setOpened(undefined)
  if (partner.status === 'terminated') return null
  return partner.status === 'suspended' ? (
    <>
      <Button
        leftSection={<IconPlayerPlay size={17} aria-hidden />}
        onClick={() => setOpened('resume')}
      >
        Resume
      </Button>
      <ConfirmDialog
        opened={opened === 'resume'}
        onClose={close}
        title={`Resume ${name}?`}
        confirmLabel="Resume partner"
        destructive={false}
        reason="optional"
        onConfirm={async (reason) => {
          await update.mutateAsync({ slug, status: 'active', reason })
          done(`${name} is resumed.`)
        }}
      >
        Its staff can change things again, and payouts go on.
      </ConfirmDialog>
    </>
  ) : (
    <>
      <Button
        variant="default"
        leftSection={<IconPlayerPause size={17} aria-hidden />}
        onClick={() => setOpened('suspend')}
      >
        Suspend
      </Button>
      <ConfirmDialog
        opened={opened === 'suspend'}
        onClose={close}
        title={`Suspend ${name}?`}
        confirmLabel="Suspend partner"
        reason="optional"
        onConfirm={async (reason) => {
          await update.mutateAsync({ slug, status: 'suspended', reason })
          done(`${name} is suspended.`)
        }}
      >
        <Text inherit mb={6}>
          What happens:
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>Its staff can sign in and read, and change nothing.</List.Item>
          <List.Item>It goes on earning, and its payouts are held.</List.Item>
          <List.Item>Its customers notice nothing.</List.Item>
          <List.Item>Its staff see the reason that you give here.</List.Item>
        </List>
      </ConfirmDialog>
    </>
  )
}
