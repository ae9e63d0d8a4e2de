import { transferCodeDays } from '@atrium/core/partners/transfers'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { QueryState } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { SecretReveal } from '@atrium/ui/secret-reveal'
import { Time } from '@atrium/ui/time'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { useCreateTransferCode, useLeavePartner, useRevokeTransferCode } from './mutations.ts'
import { explain } from './problems.ts'

const t = translations('portal.tenants')

/** The partner that manages a workplace, as its owner changes it. */
export function PartnerPanel({ tenant }: { tenant: TenantView }) {
  const { slug } = tenant
  const trpc = useTRPC()
  const support = useQuery(trpc.partners.support.queryOptions({ slug }))
  const code = useQuery(trpc.partnerTransfers.getCode.queryOptions({ slug }))
  const partner = support.data?.partner
  return (
    <Panel title={t('partner.title')} description={t('partner.description')}>
      <QueryState query={code} loading={t('partner.loading')} failed={t('partner.loadFailed')} />
      {code.data !== undefined && !code.error && (
        <Stack>
          <DetailList>
            <DetailItem label={t('partner.name')}>{partner?.name ?? t('partner.none')}</DetailItem>
            {code.data && (
              <DetailItem label={t('partner.code')}>
                {t('partner.codeBy', { person: code.data.createdBy ?? t('partner.deletedPerson') })}{' '}
                <Time at={code.data.expiresAt} show="absolute" />
              </DetailItem>
            )}
          </DetailList>
          <Text size="sm" c="dimmed">
            {t('partner.hint', { days: transferCodeDays })}
          </Text>
          <Group gap="xs">
            <CreateCode slug={slug} replaces={code.data !== null} />
            {code.data && <RevokeCode slug={slug} />}
            {tenant.partnerId !== null && (
              <LeavePartner slug={slug} partner={partner?.name ?? tenant.partnerSlug ?? ''} />
            )}
          </Group>
        </Stack>
      )}
    </Panel>
  )
}

function CreateCode({ slug, replaces }: { slug: string; replaces: boolean }) {
  const [asking, ask] = useDisclosure(false)
  const create = useCreateTransferCode()
  return (
    <>
      <Button variant="default" onClick={ask.open}>
        {t('partner.create')}
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={ask.close}
        title={t('partner.createQuestion')}
        confirmLabel={t('partner.create')}
        explain={explain}
        onConfirm={async () => {
          await create.mutateAsync({ slug })
        }}
      >
        {t(replaces ? 'partner.createReplaces' : 'partner.createEffect')}
      </ConfirmDialog>
      <SecretReveal
        opened={create.data !== undefined}
        onClose={create.reset}
        title={t('partner.createdTitle')}
        label={t('partner.code')}
        secret={create.data?.code ?? ''}
      >
        {t('partner.createdHint')}
      </SecretReveal>
    </>
  )
}

function RevokeCode({ slug }: { slug: string }) {
  const [asking, ask] = useDisclosure(false)
  const revoke = useRevokeTransferCode()
  return (
    <>
      <Button variant="subtle" color="gray" onClick={ask.open}>
        {t('partner.revoke')}
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={ask.close}
        title={t('partner.revokeQuestion')}
        confirmLabel={t('partner.revoke')}
        explain={explain}
        onConfirm={async () => {
          await revoke.mutateAsync({ slug })
          done(t('partner.revoked'))
        }}
      >
        {t('partner.revokeEffect')}
      </ConfirmDialog>
    </>
  )
}

function LeavePartner({ slug, partner }: { slug: string; partner: string }) {
  const [asking, ask] = useDisclosure(false)
  const leave = useLeavePartner()
  return (
    <>
      <Button variant="light" color="red" onClick={ask.open}>
        {t('partner.leave')}
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={ask.close}
        title={t('partner.leaveQuestion', { partner })}
        confirmLabel={t('partner.leave')}
        explain={explain}
        onConfirm={async () => {
          await leave.mutateAsync({ slug })
          done(t('partner.left', { partner }))
        }}
      >
        {t('partner.leaveEffect', { partner })}
      </ConfirmDialog>
    </>
  )
}
