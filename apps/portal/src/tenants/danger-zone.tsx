import type { TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { formatCount, formatMoney } from '@atrium/ui/format'
import { Panel } from '@atrium/ui/panel'
import { ReleaseDomainsChoice, releasable } from '@atrium/ui/release-domains'
import { Button, Group, List, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import * as links from '../links.ts'
import { useTRPC } from '../trpc.ts'
import { useDeleteTenant } from './mutations.ts'
import { explain } from './problems.ts'

/** Acts of the owner that cannot be taken back. */
export function DangerZone({ tenant }: { tenant: TenantView }) {
  const router = useRouter()
  const [opened, { open, close }] = useDisclosure(false)
  const remove = useDeleteTenant(tenant.slug)
  const domains = useQuery(
    useTRPC().domains.list.queryOptions({ slug: tenant.slug }, { enabled: opened }),
  )
  const [release, setRelease] = useState(false)
  const show = () => {
    setRelease(false)
    open()
  }
  return (
    <Panel title="Delete this workplace" description="Only you as its owner can do this.">
      <Group>
        <Button color="red" variant="light" onClick={show}>
          Delete workplace
        </Button>
      </Group>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={`Delete ${tenant.name}?`}
        confirmLabel="Delete workplace"
        typedWord={tenant.slug}
        explain={explain}
        onConfirm={async () => {
          await remove.mutateAsync({
            slug: tenant.slug,
            ...(release ? { releaseDomains: true } : {}),
          })
          done(`${tenant.name} has been deleted.`)
          await router.navigate({ ...links.home, replace: true })
        }}
      >
        <Stack gap="xs">
          <Text size="sm">This closes the workplace for everyone in it:</Text>
          <List size="sm" spacing={4}>
            <List.Item>
              {tenant.memberCount === 1
                ? 'its only member loses'
                : `all ${formatCount(tenant.memberCount)} members lose`}{' '}
              access to it, to mailboxes, files and apps
            </List.Item>
            <List.Item>
              its{' '}
              {tenant.domains.length === 1
                ? `domain ${tenant.domains[0]}`
                : `${tenant.domains.length} domains`}{' '}
              can no longer be managed
            </List.Item>
            <List.Item>the short name {tenant.slug} stays taken and cannot be used again</List.Item>
            {opened && <BillingOnDeletion slug={tenant.slug} />}
          </List>
          <Text size="sm">
            Your provider can restore it for a while. Its record and its audit log are kept.
          </Text>
          <ReleaseDomainsChoice
            domains={releasable(domains.data?.items)}
            checked={release}
            onChange={setRelease}
          />
        </Stack>
      </ConfirmDialog>
    </Panel>
  )
}

/**
 * What becomes of the subscription and of open invoices; nothing for a workplace that neither pays
 * nor owes.
 */
function BillingOnDeletion({ slug }: { slug: string }) {
  const billing = useQuery(useTRPC().billing.get.queryOptions({ slug }))
  if (billing.isError) return <List.Item>its subscription, if there is one, ends at once</List.Item>
  if (!billing.data) return null
  const { onDeletion, due } = billing.data
  const owed = due
    .map(({ amountMinor, currency }) => formatMoney(amountMinor, currency))
    .join(' and ')
  return (
    <>
      {onDeletion && (
        <List.Item>
          its subscription ends at once and nothing more is charged
          {onDeletion.creditMinor > 0 &&
            `; about ${formatMoney(onDeletion.creditMinor, onDeletion.currency)} without tax for the unused time become credit of this workplace`}
        </List.Item>
      )}
      {owed !== '' && <List.Item>what is due stays due: {owed}</List.Item>}
    </>
  )
}
