import type { TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useUpdateTenant } from './mutations.ts'

/** Takes a tenant from its partner, after a question. */
export function DetachPartner({ tenant }: { tenant: TenantView }) {
  const update = useUpdateTenant()
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        Detach
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={`Detach ${tenant.name} from ${tenant.partnerSlug ?? 'its partner'}?`}
        confirmLabel="Detach partner"
        onConfirm={async () => {
          await update.mutateAsync({ slug: tenant.slug, partnerId: null })
          done(`${tenant.name} has no partner any more.`)
        }}
      >
        The staff of the partner no longer see this tenant. Its people, mail and files are not
        touched.
      </ConfirmDialog>
    </>
  )
}
