import { mailStates } from '@atrium/core/mail/mail-states'
import type { MailQueuePage } from '@atrium/core/outbox/outbox'
import { EmptyState } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { countFilters } from '@atrium/ui/search-params'
import { Warnings } from '@atrium/ui/warnings'
import { Box, Button } from '@mantine/core'
import { IconMailForward, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { useTRPC } from '../trpc.ts'
import { mailColumns } from './mail-columns.tsx'
import { type MailQueueSearch, mailQueueQuery } from './search.ts'
import { mailMeta } from './status-meta.ts'

const route = getRouteApi('/authenticated/mail')

export const Route = createLazyRoute('/authenticated/mail')({ component: MailPage })

const stateChoices = mailStates.map((value) => ({ value, label: mailMeta[value].label }))
const pollIntervalMs = 15_000

/** The mails that the platform sends by itself: what waits, what failed, what went out. */
function MailPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const queue = useQuery(
    useTRPC().outbox.list.queryOptions(mailQueueQuery(search), {
      placeholderData: keepPreviousData,
      refetchInterval: pollIntervalMs,
    }),
  )
  const filtered = countFilters(search) > 0 || search.trail !== undefined
  const troubling = queue.data ? troubles(queue.data.summary) : []
  const clear = () => void navigate({ search: {} })
  const narrow = (change: Partial<MailQueueSearch>) =>
    void navigate({
      search: (before) => ({ ...before, ...change, trail: undefined }),
      replace: true,
    })
  return (
    <>
      <PageHeader
        title="Mail queue"
        description="Mails that the platform sends by itself. Recipients and contents are erased 30 days after a mail is over."
      />
      {troubling.length > 0 && (
        <Box mb="lg">
          <Warnings title="Some mails need a look" messages={troubling} />
        </Box>
      )}
      <FilterBar label="Filter mails">
        <DebouncedInput
          label="Search"
          type="search"
          placeholder="Message or tenant"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search.q}
          onChange={(q) => narrow({ q })}
        />
        <ChoiceFilter
          label="State"
          value={search.state}
          choices={stateChoices}
          onChange={(state) => narrow({ state })}
        />
        {countFilters(search) > 0 && (
          <Button
            variant="subtle"
            color="gray"
            onClick={() => narrow({ q: undefined, state: undefined })}
          >
            Clear filters
          </Button>
        )}
      </FilterBar>
      <PagedTable
        of="mails"
        failure="The mail queue could not be loaded."
        found={queue}
        columns={mailColumns}
        rowKey={(mail) => mail.id}
        trail={search.trail}
        onCursorHistory={(trail) => void navigate({ search: (before) => ({ ...before, trail }) })}
        empty={<NoMails filtered={filtered} onClear={clear} />}
      />
    </>
  )
}

function troubles({ sending, waiting, failed, gaveUp }: MailQueuePage['summary']): string[] {
  const mails = (count: number) => (count === 1 ? '1 mail' : `${count} mails`)
  return [
    ...(sending === 'off'
      ? [
          `This installation has no outgoing mail server (SMTP_URL), so nothing is sent. ${mails(waiting)} wait for one.`,
        ]
      : []),
    ...(failed > 0 ? [`${mails(failed)} failed and will be tried again.`] : []),
    ...(gaveUp > 0
      ? [`${mails(gaveUp)} given up. See why, and send them again when the reason is gone.`]
      : []),
  ]
}

function NoMails({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const icon = <IconMailForward size={32} stroke={1.5} aria-hidden />
  return filtered ? (
    <EmptyState
      title="No mail matches"
      icon={icon}
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      Search by part of the message's name or of the tenant, or take a filter away.
    </EmptyState>
  ) : (
    <EmptyState title="No mails yet" icon={icon}>
      Mails appear here when somebody joins a tenant, a password is reset or a payment needs
      attention.
    </EmptyState>
  )
}
