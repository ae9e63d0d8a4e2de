import { failureKinds, type SystemFailure } from '@atrium/core/system/system'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { FailureText } from '@atrium/ui/failure-text'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { Stack, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { When } from '../parts/when.tsx'
import { useTRPC } from '../trpc.ts'
import type { SystemSearch } from './search.ts'
import { TryAgain } from './try-again.tsx'

const t = translations('operator.system')

const kinds = () => failureKinds.map((value) => ({ value, label: t(`failures.kinds.${value}`) }))

interface Props {
  kind: SystemSearch['kind']
  onKind: (kind: SystemSearch['kind']) => void
  everyMs: number
}

/** Open failures, each with a link to where it is resolved. */
export function FailuresPanel({ kind, onKind, everyMs }: Props) {
  const failures = useQuery(
    useTRPC().system.failures.queryOptions(
      { kind, limit: 50 },
      { placeholderData: keepPreviousData, refetchInterval: everyMs },
    ),
  )
  return (
    <Panel title={t('failures.title')} description={t('failures.hint')}>
      <Stack gap="md">
        <ChoiceFilter label={t('failures.kind')} value={kind} choices={kinds()} onChange={onKind} />
        {failures.data ? (
          failures.data.items.length === 0 ? (
            <EmptyState
              icon={<IconCircleCheck size={32} stroke={1.5} aria-hidden />}
              title={t(kind === undefined ? 'failures.empty.title' : 'failures.empty.titleOfKind')}
            >
              {t('failures.empty.hint')}
            </EmptyState>
          ) : (
            <ResponsiveTable
              caption={t('failures.title')}
              columns={columns()}
              rows={failures.data.items}
              rowKey={(failure) => `${failure.kind}:${failure.id}:${failure.part}`}
              stale={failures.isPlaceholderData}
            />
          )
        ) : failures.error ? (
          <ErrorState
            error={failures.error}
            title={t('failures.loadFailed')}
            onRetry={() => void failures.refetch()}
            retrying={failures.isFetching}
          />
        ) : (
          <LoadingRows label={t('failures.loading')} rows={3} />
        )}
      </Stack>
    </Panel>
  )
}

const columns = (): readonly Column<SystemFailure>[] => [
  {
    key: 'what',
    header: t('failures.columns.what'),
    primary: true,
    cell: (failure) => (
      <>
        <Place failure={failure} />
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {failure.part}
        </Text>
      </>
    ),
  },
  {
    key: 'message',
    header: t('failures.columns.why'),
    cell: ({ message }) => (
      <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
        {message === '' ? t('failures.noReason') : <FailureText text={message} />}
      </Text>
    ),
  },
  { key: 'at', header: t('failures.columns.when'), cell: ({ at }) => <When at={at} /> },
  {
    key: 'next',
    header: t('failures.columns.next'),
    cell: ({ nextAt }) => (nextAt === null ? '–' : <When at={nextAt} />),
  },
  {
    key: 'again',
    header: t('failures.columns.retry'),
    hideHeader: true,
    align: 'end',
    cell: (failure) => <TryAgain failure={failure} />,
  },
]

/** A link to the page on which the failure can be resolved. */
function Place({ failure: { kind, id, part, tenantSlug } }: { failure: SystemFailure }) {
  const kindName = t(`failures.kinds.${kind}`)
  const name =
    tenantSlug === null
      ? kindName
      : t('failures.nameOfTenant', { name: kindName, tenant: tenantSlug })
  const meta = { fw: 550, fz: 'inherit', underline: 'hover' } as const
  if (kind === 'event')
    return (
      <LinkAnchor to="/webhooks" search={{ event: id }} {...meta}>
        {name}
      </LinkAnchor>
    )
  if (kind === 'mail')
    return (
      <LinkAnchor to="/mail" search={{ q: part }} {...meta}>
        {name}
      </LinkAnchor>
    )
  if (tenantSlug !== null)
    return (
      <LinkAnchor
        to="/tenants/$slug"
        params={{ slug: tenantSlug }}
        search={{ tab: kind === 'member' ? 'members' : undefined }}
        {...meta}
      >
        {name}
      </LinkAnchor>
    )
  return (
    <Text span fw={550} inherit>
      {name}
    </Text>
  )
}
