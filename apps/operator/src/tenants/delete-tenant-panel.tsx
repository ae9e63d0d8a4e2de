import type { TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { ReleaseDomainsChoice, releasable } from '@atrium/ui/release-domains'
import { Button, List, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { useDeleteTenant } from './mutations.ts'

const t = translations('operator.tenants')

export function DeleteTenantPanel({ tenant }: { tenant: TenantView }) {
  const [opened, { open, close }] = useDisclosure(false)
  const remove = useDeleteTenant()
  const { slug, name } = tenant
  const domains = useQuery(useTRPC().domains.list.queryOptions({ slug }, { enabled: opened }))
  const [release, setRelease] = useState(false)
  const show = () => {
    setRelease(false)
    open()
  }
  return (
    <Panel title={t('delete.title')} description={t('delete.description')}>
      <Button
        variant="outline"
        color="red"
        style={{ alignSelf: 'flex-start' }}
        leftSection={<IconTrash size={17} aria-hidden />}
        onClick={show}
      >
        {t('delete.submit')}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t('delete.question', { tenant: name })}
        confirmLabel={t('delete.submit')}
        typedWord={slug}
        onConfirm={async () => {
          await remove.mutateAsync({ slug, ...(release ? { releaseDomains: true } : {}) })
          done(t('delete.done', { tenant: name }))
        }}
      >
        <Text inherit mb={6}>
          {t('delete.effects.lead', { tenant: name, count: tenant.memberCount })}
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>{t('delete.effects.access')}</List.Item>
          <List.Item>{t('delete.effects.subscription')}</List.Item>
          <List.Item>
            {t(release ? 'delete.effects.slug' : 'delete.effects.slugAndDomains', { slug })}
          </List.Item>
        </List>
        <ReleaseDomainsChoice
          domains={releasable(domains.data?.items)}
          checked={release}
          onChange={setRelease}
        />
      </ConfirmDialog>
    </Panel>
  )
}
