import type { SecurityPolicyView } from '@atrium/core/security-policy/security-policy'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { QueryState } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { FailureText } from '@atrium/ui/failure-text'
import { formatDay, formatList, formatMinutes } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { useUpdateSecurityPolicy } from './mutations.ts'

const t = translations('operator.tenants')

/** Whom the tenant's security policy lets in, and the way out for a tenant that shut itself out. */
export function SecurityPolicyPanel({ tenant }: { tenant: TenantView }) {
  const query = useQuery(useTRPC().securityPolicy.get.queryOptions({ slug: tenant.slug }))
  const policy = query.data
  return (
    <Panel
      title={t('policy.title')}
      actions={
        policy &&
        tenant.status === 'active' &&
        restricts(policy) && <LiftRestrictions tenant={tenant} />
      }
    >
      <QueryState query={query} loading={t('policy.loading')} failed={t('policy.failed')} />
      {policy && <PolicyState policy={policy} />}
    </Panel>
  )
}

function restricts({ mfaMode, allowedCountries, ipAllowlist }: SecurityPolicyView): boolean {
  return mfaMode === 'required' || allowedCountries.length > 0 || ipAllowlist.length > 0
}

function PolicyState({ policy }: { policy: SecurityPolicyView }) {
  const { sessionIdleMinutes: idle, sessionAbsoluteMinutes: absolute, atProvider } = policy
  return (
    <DetailList>
      {!policy.enforced && (
        <DetailItem label={t('policy.state')}>{t('policy.notEnforced')}</DetailItem>
      )}
      <DetailItem label={t('policy.mfa')}>
        {policy.mfaRequiredFrom
          ? t('policy.mfaFrom', { day: formatDay(policy.mfaRequiredFrom) })
          : t(`policy.modes.${policy.mfaMode}`)}
      </DetailItem>
      <DetailItem label={t('policy.idle')}>
        {idle === null ? t('policy.noLimit') : formatMinutes(idle)}
      </DetailItem>
      <DetailItem label={t('policy.absolute')}>
        {absolute === null ? t('policy.noLimit') : formatMinutes(absolute)}
      </DetailItem>
      <DetailItem label={t('policy.countries')}>
        {policy.allowedCountries.length === 0
          ? t('policy.everywhere')
          : formatList(policy.allowedCountries)}
      </DetailItem>
      <DetailItem label={t('policy.networks')}>
        {policy.ipAllowlist.length === 0 ? t('policy.everywhere') : formatList(policy.ipAllowlist)}
      </DetailItem>
      <DetailItem label={t('policy.provider')}>
        {t(`policy.atProvider.${atProvider.state}`)}
        {atProvider.error && (
          <Text size="xs" component="div">
            <FailureText text={atProvider.error} />
          </Text>
        )}
      </DetailItem>
    </DetailList>
  )
}

function LiftRestrictions({ tenant: { slug, name } }: { tenant: TenantView }) {
  const [opened, { open, close }] = useDisclosure(false)
  const update = useUpdateSecurityPolicy()
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        {t('policy.lift')}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t('policy.liftTitle', { tenant: name })}
        confirmLabel={t('policy.lift')}
        onConfirm={async () => {
          await update.mutateAsync({
            slug,
            mfaMode: 'optional',
            allowedCountries: [],
            ipAllowlist: [],
          })
          done(t('policy.lifted'))
        }}
      >
        {t('policy.liftEffect')}
      </ConfirmDialog>
    </>
  )
}
