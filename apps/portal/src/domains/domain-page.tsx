import { claimDays } from '@atrium/core/mail/domain-claims'
import type { DomainDetail } from '@atrium/core/mail/domains'
import { ErrorState, LoadingRows, ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { FailureText } from '@atrium/ui/failure-text'
import { LinkAnchor, LinkButton } from '@atrium/ui/links'
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
        <IconChevronLeft size={17} aria-hidden /> All domains
      </LinkAnchor>
      {query.data ? (
        <DomainContent domain={query.data} />
      ) : (
        <>
          <PageHeader title={problem?.status === 404 ? 'No such domain' : name} />
          {query.isPending && <LoadingRows label="Loading the domain" />}
          {problem?.status === 404 && (
            <Text>
              {name} is not a domain of {tenant.name}. It may have been removed.
            </Text>
          )}
          {problem && problem.status !== 404 && (
            <ErrorState
              title="The domain could not be loaded."
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
        tabTitle={`${domain.unicodeName}, domain of ${tenant.name}`}
        marks={
          <>
            <StatusBadge {...stateMeta[domain.state]} />
            {domain.primary && (
              <Badge variant="light" color="gray" c="inherit">
                Main domain
              </Badge>
            )}
          </>
        }
        description={
          <>
            {domain.unicodeName !== domain.name && <>{domain.name} in DNS. </>}
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
                      onSuccess: () =>
                        done(`${domain.unicodeName} is the main domain now. New addresses get it.`),
                    })
                  }
                >
                  Make main
                </Button>
              )}
              <Button
                leftSection={<IconRefresh size={17} aria-hidden />}
                loading={recheck.isPending}
                onClick={() => recheck.mutate(path)}
              >
                Check now
              </Button>
            </>
          )
        }
      />
      <Stack gap="lg" maw={980}>
        {recheck.error && (
          <ProblemAlert
            title="The domain could not be checked."
            error={recheck.error}
            message={explain(recheck.error)}
          />
        )}
        {makePrimary.error && (
          <ProblemAlert
            title="The main domain was not changed."
            error={makePrimary.error}
            message={explain(makePrimary.error)}
          />
        )}
        {domain.mailError && (
          <Alert
            color="yellow"
            variant="light"
            icon={<IconAlertTriangle aria-hidden />}
            title="The mail server is not ready for this domain"
          >
            <FailureText text={domain.mailError} /> It is retried automatically. “Check now” retries
            it at once.
          </Alert>
        )}
        {!domain.verified && !domain.managed && (
          <Alert
            color="tide"
            variant="light"
            icon={<IconInfoCircle aria-hidden />}
            title="Waiting for the proof that the domain is yours"
          >
            Until it is found no mail is taken here for {domain.unicodeName}, and mail to it goes
            where it went before. If people get mail there today, publish the proof first and the MX
            records after it. Without the proof the domain is removed after {claimDays} days; it can
            be added again.
          </Alert>
        )}
        {domain.keysPending && (
          <Alert
            color="tide"
            variant="light"
            icon={<Loader size={18} aria-hidden />}
            title="Signing keys are being made"
            role="status"
          >
            Their DKIM records appear here by themselves in a moment. You can publish the other
            records already.
          </Alert>
        )}
        <Panel title="Records to publish" description={<CheckedLine domain={domain} />}>
          <RecordTable records={domain.records} domain={domain.name} checking={recheck.isPending} />
          <VisuallyHidden role="status" aria-live="polite">
            {recheck.isPending
              ? 'Checking the records.'
              : recheck.isSuccess
                ? `Checked. ${progressText(domain.records)}.`
                : ''}
          </VisuallyHidden>
        </Panel>
        {domain.zone !== '' && !domain.managed && (
          <Panel
            title="All records at once"
            description="For name servers that take zone text (BIND). It holds the same records as above."
          >
            <Snippet label="Zone text" text={domain.zone} fileName={`${domain.name}.zone`} />
          </Panel>
        )}
        <DmarcPanel key={domain.name} domain={domain} editable={editable && !domain.managed} />
        <HistoryPanel path={path} />
        {editable && <RemovePanel domain={domain} />}
        {!editable && tenant.status === 'active' && (
          <Text size="sm" c="dimmed">
            Only admins can change domains.{' '}
            <LinkButton {...links.members(tenant.slug)} variant="transparent" size="compact-sm">
              See who is one
            </LinkButton>
          </Text>
        )}
      </Stack>
    </>
  )
}

function CheckedLine({ domain }: { domain: DomainDetail }) {
  if (domain.managed) return 'Published by the platform, shown for completeness.'
  return (
    <>
      {progressText(domain.records)}.{' '}
      {domain.lastCheckedAt ? (
        <>
          Last checked <Time at={domain.lastCheckedAt} />
          {domain.nextCheckAt && (
            <>
              , checked again by itself <Time at={domain.nextCheckAt} />
            </>
          )}
          .
        </>
      ) : (
        'Nothing has been looked up yet.'
      )}
    </>
  )
}
