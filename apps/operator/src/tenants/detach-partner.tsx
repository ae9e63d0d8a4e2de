import type { TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useUpdateTenant } from './mutations.ts'

const t = translations('operator.tenants')

/** Detaches a tenant from its partner, after a question. */
export function DetachPartner({ tenant }: { tenant: TenantView }) {
  const update = useUpdateTenant()
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        {t('partner.detach.action')}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t('partner.detach.question', {
          tenant: tenant.name,
          partner: tenant.partnerSlug ?? tenant.partnerId ?? '',
        })}
        confirmLabel={t('partner.detach.submit')}
        onConfirm={async () => {
          await update.mutateAsync({ slug: tenant.slug, partnerId: null })
          done(t('partner.detach.done', { tenant: tenant.name }))
        }}
      >
        {t('partner.detach.effects')}
      </ConfirmDialog>
    </>
  )
}
