import type { RestoredTenant, TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done, noticed } from '@atrium/ui/done'
import { planName } from '@atrium/ui/subscription-status-meta'
import { Button, List } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconRestore } from '@tabler/icons-react'
import { useRestoreTenant } from './mutations.ts'

/** Brings a deleted tenant back while the time for it lasts. */
export function RestoreTenant({ tenant }: { tenant: TenantView }) {
  const [opened, { open, close }] = useDisclosure(false)
  const restore = useRestoreTenant()
  const { slug, name } = tenant
  if (daysLeft(tenant) === 0) return null
  return (
    <>
      <Button leftSection={<IconRestore size={17} aria-hidden />} onClick={open}>
        Restore
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={`Restore ${name}?`}
        confirmLabel="Restore tenant"
        destructive={false}
        reason="optional"
        onConfirm={async (reason) => {
          const { endedSubscription, lostDomains } = await restore.mutateAsync({ slug, reason })
          done(
            endedSubscription
              ? `${name} is restored. Its ${planName(endedSubscription.plan)} subscription stays ended: start a new one.`
              : `${name} is restored.`,
          )
          for (const lost of lostDomains) noticed(`${lost.name} did not come back`, lostWords(lost))
        }}
      >
        <List size="sm" spacing={4}>
          <List.Item>
            Members, mailboxes, lists, domains and files come back as they were.
          </List.Item>
          <List.Item>
            A domain that was released stays away when another tenant has proved it. You are told
            then.
          </List.Item>
          <List.Item>Members who were suspended one by one stay suspended.</List.Item>
          <List.Item>
            A subscription that ended with the deletion stays ended. Nothing is charged again.
          </List.Item>
        </List>
      </ConfirmDialog>
    </>
  )
}

function lostWords({
  replacedBy,
  mailboxes,
  lists,
  signIns,
}: RestoredTenant['lostDomains'][number]): string {
  if (mailboxes + lists + signIns === 0) return 'Another tenant has proved it. Nothing was on it.'
  const counted = (count: number, one: string, many: string) =>
    `${count} ${count === 1 ? one : many}`
  return `Another tenant has proved it. What was on it works under ${replacedBy}: ${counted(mailboxes, 'mailbox', 'mailboxes')}, ${counted(lists, 'list', 'lists')} and the sign-in addresses of ${counted(signIns, 'person', 'people')}.`
}

const dayMs = 86_400_000

/**
 * Days in which a deleted tenant can still be restored, the last one counted; undefined when
 * nothing ends the time.
 */
export function daysLeft(
  { restoreUntil }: Pick<TenantView, 'restoreUntil'>,
  now = Date.now(),
): number | undefined {
  return restoreUntil === null
    ? undefined
    : Math.max(0, Math.ceil((Date.parse(restoreUntil) - now) / dayMs))
}
