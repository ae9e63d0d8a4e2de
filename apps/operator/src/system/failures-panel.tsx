import { failureKinds, type SystemFailure } from '@atrium/core/system/system'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { FailureText } from '@atrium/ui/failure-text'
import { LinkAnchor } from '@atrium/ui/links'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { Stack, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { When } from '../parts/when.tsx'
import { useTRPC } from '../trpc.ts'
import { failureNames } from './labels.ts'
import type { SystemSearch } from './search.ts'
import { TryAgain } from './try-again.tsx'

const kinds = failureKinds.map((value) => ({ value, label: failureNames[value] }))

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
    <Panel title="Current failures" description="Resolved failures are in the audit log.">
      <Stack gap="md">
        <ChoiceFilter label="Kind" value={kind} choices={kinds} onChange={onKind} />
        {failures.data ? (
          failures.data.items.length === 0 ? (
            <EmptyState
              icon={<IconCircleCheck size={32} stroke={1.5} aria-hidden />}
              title={kind === undefined ? 'No open failures' : 'No open failures of this kind'}
            >
              Failed steps, mails, events, calendars and jobs appear here by themselves.
            </EmptyState>
          ) : (
            <ResponsiveTable
              caption="Current failures"
              columns={columns}
              rows={failures.data.items}
              rowKey={(failure) => `${failure.kind}:${failure.id}:${failure.part}`}
              stale={failures.isPlaceholderData}
            />
          )
        ) : failures.error ? (
          <ErrorState
            error={failures.error}
            title="The last failures could not be loaded."
            onRetry={() => void failures.refetch()}
            retrying={failures.isFetching}
          />
        ) : (
          <LoadingRows label="Loading failures" rows={3} />
        )}
      </Stack>
    </Panel>
  )
}

const columns: readonly Column<SystemFailure>[] = [
  {
    key: 'what',
    header: 'What',
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
    header: 'Why',
    cell: ({ message }) => (
      <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
        {message === '' ? 'No reason was given.' : <FailureText text={message} />}
      </Text>
    ),
  },
  { key: 'at', header: 'When', cell: ({ at }) => <When at={at} /> },
  {
    key: 'next',
    header: 'Next try',
    cell: ({ nextAt }) => (nextAt === null ? '–' : <When at={nextAt} />),
  },
  {
    key: 'again',
    header: 'Try again',
    hideHeader: true,
    align: 'end',
    cell: (failure) => <TryAgain failure={failure} />,
  },
]

/** A link to the page on which the failure is mended. */
function Place({ failure: { kind, id, part, tenantSlug } }: { failure: SystemFailure }) {
  const name = `${failureNames[kind]}${tenantSlug === null ? '' : ` of ${tenantSlug}`}`
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
