import type { TenantView } from '@atrium/core/tenants/tenants'
import { AccessGrantRequest } from '@atrium/ui/access-grant-request'
import { done } from '@atrium/ui/done'
import { formatDay, formatTime } from '@atrium/ui/format'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { DrawerPart } from '../layout/drawer-part.tsx'
import { delegatePages } from '../layout/tenant-pages.ts'
import * as links from '../links.ts'
import { useTRPC } from '../trpc.ts'
import { EndGrant } from './grant-actions.tsx'
import { useAskForAccess } from './mutations.ts'

const t = translations('portal.access-grants')
const shared = translations('ui.access-grants')

/** The reader's own access to a customer's workplace: asks for it, opens it, gives it back. */
export function CustomerAccess({ tenant }: { tenant: TenantView }) {
  const { slug } = tenant
  if (tenant.custodian) return <Preparation slug={slug} />
  return <RequestedAccess tenant={tenant} />
}

/** A workplace that awaits its owner: the partner acts as its admin. */
function Preparation({ slug }: { slug: string }) {
  return (
    <DrawerPart title={t('customer.prepare.title')}>
      <Stack align="flex-start" gap="sm">
        <Text size="sm" c="dimmed">
          {t('customer.prepare.hint')}
        </Text>
        <LinkButton {...links.overview(slug)} size="xs">
          {t('customer.prepare.open')}
        </LinkButton>
      </Stack>
    </DrawerPart>
  )
}

function RequestedAccess({ tenant }: { tenant: TenantView }) {
  const [asking, { open, close }] = useDisclosure(false)
  const ask = useAskForAccess()
  const { slug } = tenant
  const grants = useQuery(useTRPC().accessGrants.list.queryOptions({ slug, limit: 50 }))
  const own = grants.data?.items.find(
    (grant) => grant.own && (grant.status === 'pending' || grant.status === 'active'),
  )
  if (!grants.data || (tenant.role !== null && tenant.role !== 'member')) return null
  const [first] = tenant.grant ? delegatePages(slug, tenant.grant.scopes) : []
  return (
    <DrawerPart title={t('customer.title')}>
      <Stack align="flex-start" gap="sm">
        <Text size="sm" c="dimmed">
          {own?.status === 'pending'
            ? t('customer.waiting', { day: formatDay(own.expiresAt) })
            : own
              ? t('customer.active', { time: formatTime(own.endsAt) })
              : t('customer.hint')}
        </Text>
        <Group gap="xs">
          {first && own?.status === 'active' && (
            <LinkButton {...first.target} size="xs">
              {t('customer.enter')}
            </LinkButton>
          )}
          {own ? (
            <EndGrant grant={own} />
          ) : (
            <Button size="xs" variant="default" onClick={open}>
              {t('customer.ask')}
            </Button>
          )}
        </Group>
      </Stack>
      <AccessGrantRequest
        opened={asking}
        onClose={close}
        tenant={tenant.name}
        onAsk={async (request) => {
          await ask.mutateAsync({ slug, ...request })
          done(shared('ask.done'))
        }}
      />
    </DrawerPart>
  )
}
