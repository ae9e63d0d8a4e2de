import type { Warning } from '@atrium/core/platform/warnings'
import type { SecurityPolicyView } from '@atrium/core/security-policy/security-policy'
import { QueryState } from '@atrium/ui/data-states'
import { FailureText } from '@atrium/ui/failure-text'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { problemOf } from '@atrium/ui/problem'
import { Time } from '@atrium/ui/time'
import { Alert, Button, List, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { mayChange } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { useUpdateSecurityPolicy } from './mutations.ts'
import { putBack } from './policy-form.ts'
import { PolicyPanels } from './policy-panels.tsx'

const t = translations('portal.security-policy')

/** How people of a workplace may sign in. */
export function SecurityPolicyPage() {
  const tenant = useTenant()
  const trpc = useTRPC()
  const query = useQuery(
    trpc.securityPolicy.get.queryOptions(
      { slug: tenant.slug },
      {
        refetchInterval: ({ state }) =>
          state.data?.atProvider.state === 'pending' ? 3_000 : false,
      },
    ),
  )
  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={
          <>
            {t('description', { tenant: tenant.name })}
            {query.data?.updatedAt && (
              <>
                {' '}
                {t.rich('lastChanged', { time: () => <Time at={query.data.updatedAt ?? ''} /> })}
              </>
            )}
          </>
        }
      />
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      {query.data && <PolicyContent policy={query.data} />}
    </>
  )
}

interface Saved {
  before: SecurityPolicyView
  warnings: Warning[]
}

function PolicyContent({ policy }: { policy: SecurityPolicyView }) {
  const tenant = useTenant()
  const [saved, setSaved] = useState<Saved>()
  return (
    <Stack gap="lg" maw={760}>
      <AtProvider policy={policy} />
      {saved && saved.warnings.length > 0 && (
        <SavedWarnings saved={saved} policy={policy} onClose={() => setSaved(undefined)} />
      )}
      <PolicyPanels
        key={tenant.id}
        policy={policy}
        editable={mayChange(tenant)}
        onSaved={(warnings) => setSaved({ before: policy, warnings })}
      />
    </Stack>
  )
}

/** Whether the identity provider applies the policy to other applications too. */
function AtProvider({ policy: { atProvider } }: { policy: SecurityPolicyView }) {
  if (atProvider.state === 'off') return null
  if (atProvider.state === 'error') {
    return (
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={t('provider.error')}>
        {atProvider.error && <FailureText text={atProvider.error} />}
      </Alert>
    )
  }
  return (
    <Text size="sm" c="dimmed">
      {t(`provider.${atProvider.state}`)}
    </Text>
  )
}

/** What was not saved as it was typed, and the way back. */
function SavedWarnings({
  saved,
  policy,
  onClose,
}: {
  saved: Saved
  policy: SecurityPolicyView
  onClose: () => void
}) {
  const { slug } = useTenant()
  const update = useUpdateSecurityPolicy(slug)
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={t('warnings.other')}
      role="alert"
    >
      <Stack gap="sm" align="flex-start">
        <List size="sm" spacing={4}>
          {saved.warnings.map(({ code, message }) => (
            <List.Item key={`${code} ${message}`}>{message}</List.Item>
          ))}
        </List>
        {update.error && (
          <Text size="sm">
            {t('warnings.putBackFailed', { reason: problemOf(update.error).message })}
          </Text>
        )}
        <Button
          size="xs"
          variant="default"
          loading={update.isPending}
          onClick={() =>
            update.mutate(putBack(slug, saved.before, policy.editVersion), { onSuccess: onClose })
          }
        >
          {t('warnings.putBack')}
        </Button>
      </Stack>
    </Alert>
  )
}
