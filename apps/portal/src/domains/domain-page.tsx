import { claimDays } from '@atrium/core/mail/domain-claims'
import type { DomainDetail } from '@atrium/core/mail/domains'
import { ErrorState, LoadingRows, ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { FailureText } from '@atrium/ui/failure-text'
import { LinkAnchor, LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { Snippet } from '@atrium/ui/snippet'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert, Badge, Button, Loader, Stack, Text, VisuallyHidden } from '@mantine/core'
import {
  IconAlertTriangle,
  IconChevronLeft,
  IconInfoCircle,
  IconRefresh,
  IconStar,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { PeoplePanel } from '../address-claims/people-panel.tsx'
import * as links from '../links.ts'
import { explain } from '../tenants/problems.ts'
import { mayChange } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useAddressParam } from '../tenants/use-address-param.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { DmarcPanel } from './dmarc-panel.tsx'
import { HistoryPanel } from './history-panel.tsx'
import { useMakePrimary, useRecheck } from './mutations.ts'
import { RecordTable } from './record-table.tsx'
import { progressText } from './records.ts'
import { RemovePanel } from './remove-panel.tsx'
import { nextStep, stateMeta } from './status-meta.ts'

const t = translations('portal.domains')

const soon = 3_000
const later = 30_000

/**
 * How long until the page looks again by itself: soon while keys are being made, later while
 * publishing is awaited.
 */
function pollEvery(domain: DomainDetail | undefined): number | false {
  if (!domain) return false
  if (domain.keysPending) return soon
  return domain.verified || domain.managed ? false : later
}

/** One domain: what to publish, what was found, and everything that can be done with it. */
export function DomainPage() {
  const tenant = useTenant()
  const name = useAddressParam('domain')
  const trpc = useTRPC()
  const query = useQuery(
    trpc.domains.get.queryOptions(
      { slug: tenant.slug, domain: name },
      { refetchInterval: ({ state }) => pollEvery(state.data) },
    ),
  )
  const problem = query.error ? problemOf(query.error) : undefined

  if (problem?.status === 403) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <LinkAnchor {...links.domains(tenant.slug)} size="sm" mb="xs" display="inline-flex">
        <IconChevronLeft size={17} aria-hidden />
        {t('all')}
      </LinkAnchor>
      {query.data ? (
        <DomainContent domain={query.data} />
      ) : (
        <>
          <PageHeader title={problem?.status === 404 ? t('missing.title') : name} />
          {query.isPending && <LoadingRows label={t('loadingOne')} />}
          {problem?.status === 404 && (
            <Text>{t('missing.hint', { domain: name, tenant: tenant.name })}</Text>
          )}
          {problem && problem.status !== 404 && (
            <ErrorState
              title={t('loadOneFailed')}
              error={query.error}
              onRetry={() => void query.refetch()}
              retrying={query.isFetching}
            />
          )}
        </>
      )}
    </>
  )
}

function DomainContent({ domain }: { domain: DomainDetail }) {
  const tenant = useTenant()
  const editable = mayChange(tenant)
  const recheck = useRecheck(tenant.slug)
  const makePrimary = useMakePrimary(tenant.slug)
  const path = { slug: tenant.slug, domain: domain.name }
  return (
    <>
      <PageHeader
        title={domain.unicodeName}
        tabTitle={t('tabTitleOne', { domain: domain.unicodeName, tenant: tenant.name })}
        marks={
          <>
            <StatusBadge {...stateMeta(domain.state)} />
            {domain.primary && (
              <Badge variant="light" color="gray" c="inherit">
                {t('main')}
              </Badge>
            )}
          </>
        }
        description={
          <>
            {domain.unicodeName !== domain.name && `${t('inDns', { name: domain.name })} `}
            {nextStep(domain)}
          </>
        }
        actions={
          editable && (
            <>
              {!domain.primary && domain.verified && (
                <Button
                  variant="default"
                  leftSection={<IconStar size={17} aria-hidden />}
                  loading={makePrimary.isPending}
                  onClick={() =>
                    makePrimary.mutate(path, {
                      onSuccess: () => done(t('makeMain.done', { domain: domain.unicodeName })),
                    })
                  }
                >
                  {t('makeMain.action')}
                </Button>
              )}
              <Button
                leftSection={<IconRefresh size={17} aria-hidden />}
                loading={recheck.isPending}
                onClick={() => recheck.mutate(path)}
              >
                {t('check.now')}
              </Button>
            </>
          )
        }
      />
      <Stack gap="lg" maw={980}>
        {recheck.error && (
          <ProblemAlert
            title={t('check.failed')}
            error={recheck.error}
            message={explain(recheck.error)}
          />
        )}
        {makePrimary.error && (
          <ProblemAlert
            title={t('makeMain.failed')}
            error={makePrimary.error}
            message={explain(makePrimary.error)}
          />
        )}
        {domain.mailError && (
          <Alert
            color="yellow"
            variant="light"
            icon={<IconAlertTriangle aria-hidden />}
            title={t('mailServer.title')}
          >
            <FailureText text={domain.mailError} /> {t('mailServer.hint')}
          </Alert>
        )}
        {!domain.verified && !domain.managed && (
          <Alert
            color="tide"
            variant="light"
            icon={<IconInfoCircle aria-hidden />}
            title={t('proof.title')}
          >
            {t('proof.hint', { domain: domain.unicodeName, days: claimDays })}
          </Alert>
        )}
        {domain.keysPending && (
          <Alert
            color="tide"
            variant="light"
            icon={<Loader size={18} aria-hidden />}
            title={t('keys.title')}
            role="status"
          >
            {t('keys.hint')}
          </Alert>
        )}
        <Panel title={t('records.title')} description={<CheckedLine domain={domain} />}>
          <RecordTable records={domain.records} domain={domain.name} checking={recheck.isPending} />
          <VisuallyHidden role="status" aria-live="polite">
            {recheck.isPending
              ? t('check.running')
              : recheck.isSuccess
                ? t('check.done', { progress: progressText(domain.records) })
                : ''}
          </VisuallyHidden>
        </Panel>
        {domain.zone !== '' && !domain.managed && (
          <Panel title={t('zone.title')} description={t('zone.hint')}>
            <Snippet label={t('zone.label')} text={domain.zone} fileName={`${domain.name}.zone`} />
          </Panel>
        )}
        <DmarcPanel key={domain.name} domain={domain} editable={editable && !domain.managed} />
        {editable && domain.verified && !domain.managed && <PeoplePanel path={path} />}
        <HistoryPanel path={path} />
        {editable && <RemovePanel domain={domain} />}
        {!editable && tenant.status === 'active' && (
          <Text size="sm" c="dimmed">
            {t('admins.only')}{' '}
            <LinkButton {...links.members(tenant.slug)} variant="transparent" size="compact-sm">
              {t('admins.show')}
            </LinkButton>
          </Text>
        )}
      </Stack>
    </>
  )
}

function CheckedLine({ domain }: { domain: DomainDetail }) {
  const { lastCheckedAt, nextCheckAt } = domain
  if (domain.managed) return t('managedRecords')
  return (
    <>
      {progressText(domain.records)}.{' '}
      {lastCheckedAt
        ? t.rich(nextCheckAt ? 'check.lastAndNext' : 'check.last', {
            last: () => <Time at={lastCheckedAt} />,
            next: () => nextCheckAt && <Time at={nextCheckAt} />,
          })
        : t('check.never')}
    </>
  )
}
