import type { RestoredTenant, TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done, noticed } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { planName } from '@atrium/ui/subscription-status-meta'
import { Button, List } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconRestore } from '@tabler/icons-react'
import { useRestoreTenant } from './mutations.ts'

const t = translations('operator.tenants')

/** Restores a deleted tenant; shows nothing once that is no longer possible. */
export function RestoreTenant({ tenant }: { tenant: TenantView }) {
  const [opened, { open, close }] = useDisclosure(false)
  const restore = useRestoreTenant()
  const { slug, name } = tenant
  if (daysLeft(tenant) === 0) return null
  return (
    <>
      <Button leftSection={<IconRestore size={17} aria-hidden />} onClick={open}>
        {t('restore.action')}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t('restore.question', { tenant: name })}
        confirmLabel={t('restore.submit')}
        destructive={false}
        reason="optional"
        onConfirm={async (reason) => {
          const { endedSubscription, lostDomains } = await restore.mutateAsync({ slug, reason })
          done(
            endedSubscription
              ? t('restore.doneWithoutSubscription', {
                  tenant: name,
                  plan: planName(endedSubscription.plan),
                })
              : t('restore.done', { tenant: name }),
          )
          for (const lost of lostDomains)
            noticed(t('restore.lost.title', { domain: lost.name }), lostText(lost))
        }}
      >
        <List size="sm" spacing={4}>
          <List.Item>{t('restore.effects.members')}</List.Item>
          <List.Item>{t('restore.effects.domains')}</List.Item>
          <List.Item>{t('restore.effects.suspended')}</List.Item>
          <List.Item>{t('restore.effects.subscription')}</List.Item>
        </List>
      </ConfirmDialog>
    </>
  )
}

function lostText({
  replacedBy,
  mailboxes,
  lists,
  signIns,
}: RestoredTenant['lostDomains'][number]): string {
  return mailboxes + lists + signIns === 0
    ? t('restore.lost.unused')
    : t('restore.lost.moved', { domain: replacedBy, mailboxes, lists, people: signIns })
}

const dayMs = 86_400_000

/**
 * Days for which a deleted tenant can still be restored, including the last one; undefined when
 * there is no limit.
 */
export function daysLeft(
  { restoreUntil }: Pick<TenantView, 'restoreUntil'>,
  now = Date.now(),
): number | undefined {
  return restoreUntil === null
    ? undefined
    : Math.max(0, Math.ceil((Date.parse(restoreUntil) - now) / dayMs))
}
