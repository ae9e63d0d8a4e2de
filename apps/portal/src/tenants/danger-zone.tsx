import type { TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { formatList, formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
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

const t = translations('portal.tenants')

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
    <Panel title={t('delete.title')} description={t('delete.description')}>
      <Group>
        <Button color="red" variant="light" onClick={show}>
          {t('delete.submit')}
        </Button>
      </Group>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t('delete.question', { tenant: tenant.name })}
        confirmLabel={t('delete.submit')}
        typedWord={tenant.slug}
        explain={explain}
        onConfirm={async () => {
          await remove.mutateAsync({
            slug: tenant.slug,
            ...(release ? { releaseDomains: true } : {}),
          })
          done(t('delete.done', { tenant: tenant.name }))
          await router.navigate({ ...links.home, replace: true })
        }}
      >
        <Stack gap="xs">
          <Text size="sm">{t('delete.effects.lead')}</Text>
          <List size="sm" spacing={4}>
            <List.Item>{t('delete.effects.members', { count: tenant.memberCount })}</List.Item>
            <List.Item>
              {t('delete.effects.domains', {
                count: tenant.domains.length,
                first: tenant.domains[0] ?? '',
              })}
            </List.Item>
            <List.Item>{t('delete.effects.slug', { slug: tenant.slug })}</List.Item>
            {opened && <BillingOnDeletion slug={tenant.slug} />}
          </List>
          <Text size="sm">{t('delete.hint')}</Text>
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
  if (billing.isError) return <List.Item>{t('delete.effects.subscriptionUnknown')}</List.Item>
  if (!billing.data) return null
  const { onDeletion, due } = billing.data
  return (
    <>
      {onDeletion && (
        <List.Item>
          {onDeletion.creditMinor > 0
            ? t('delete.effects.subscriptionCredit', {
                amount: formatMoney(onDeletion.creditMinor, onDeletion.currency),
              })
            : t('delete.effects.subscription')}
        </List.Item>
      )}
      {due.length > 0 && (
        <List.Item>
          {t('delete.effects.due', {
            amounts: formatList(
              due.map(({ amountMinor, currency }) => formatMoney(amountMinor, currency)),
            ),
          })}
        </List.Item>
      )}
    </>
  )
}
