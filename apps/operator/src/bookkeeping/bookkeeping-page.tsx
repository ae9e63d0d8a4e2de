import type { Bookkeeping } from '@atrium/core/billing/bookkeeping'
import { datevRowsPerBatch } from '@atrium/core/billing/datev'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { FailureText } from '@atrium/ui/failure-text'
import { formatList, formatMonth, formatTime } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { ResponsiveTable } from '@atrium/ui/responsive-table'
import { Alert, Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { IconCircleCheck, IconDownload } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { useTRPC } from '../trpc.ts'
import { balanceColumns, balanceFigures, differenceColumns } from './columns.tsx'
import { exportAddress, monthsUpTo } from './search.ts'

const t = translations('operator.bookkeeping')

const route = getRouteApi('/authenticated/bookkeeping')

export const Route = createLazyRoute('/authenticated/bookkeeping')({ component: BookkeepingPage })

/** The books of a month as files, and whether they agree with the payment processor. */
function BookkeepingPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const months = monthsUpTo(new Date(), search.month)
  // What accountants ask for first is the last month that is over.
  const month = search.month ?? months[1] ?? ''
  const books = useQuery(
    useTRPC().bookkeeping.get.queryOptions({ month }, { placeholderData: keepPreviousData }),
  )
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <Stack gap="lg">
        <NativeSelect
          label={t('month')}
          data={months.map((value) => ({ value, label: formatMonth(value) }))}
          value={month}
          maw={240}
          onChange={({ currentTarget: { value } }) =>
            void navigate({ search: { month: value }, replace: true })
          }
        />
        {books.isPending && <LoadingRows label={t('loading')} rows={6} />}
        {books.isError && (
          <ErrorState
            title={t('loadFailed')}
            error={books.error}
            onRetry={() => void books.refetch()}
            retrying={books.isFetching}
          />
        )}
        {books.data && <Month books={books.data} />}
      </Stack>
    </>
  )
}

function Month({ books }: { books: Bookkeeping }) {
  const { balances, differences } = books
  return (
    <>
      <Downloads books={books} />
      <Panel title={t('differences.title')} description={t('differences.hint')}>
        <Stack>
          <Reading books={books} />
          {differences.length === 0 ? (
            <Group gap="xs" wrap="nowrap">
              <IconCircleCheck size={18} aria-hidden />
              <Text>{t('differences.none')}</Text>
            </Group>
          ) : (
            <ResponsiveTable
              caption={t('differences.caption')}
              columns={differenceColumns()}
              rows={differences}
              rowKey={({ kind, reference }) => `${kind} ${reference}`}
            />
          )}
        </Stack>
      </Panel>
      <Panel title={t('balance.title')} description={t('balance.hint')}>
        {balances.length === 0 ? (
          <Text c="dimmed">{t('balance.empty')}</Text>
        ) : (
          <ResponsiveTable
            caption={t('balance.title')}
            columns={balanceColumns(balances)}
            rows={balanceFigures}
            rowKey={(figure) => figure}
          />
        )}
      </Panel>
    </>
  )
}

function Downloads({ books: { month, currencies, datevBatches } }: { books: Bookkeeping }) {
  const shown = (currency: string) => currency.toUpperCase()
  const unwritten = currencies.filter((one) =>
    datevBatches.every(({ currency }) => currency !== one),
  )
  return (
    <Panel title={t('downloads')} description={t('downloadsHint')}>
      {currencies.length === 0 ? (
        <Text c="dimmed">{t('empty')}</Text>
      ) : (
        <Stack>
          <Group>
            <Download href={exportAddress(month, { format: 'csv' })} label={t('csv')} />
            {datevBatches.flatMap(({ currency, parts }) =>
              Array.from({ length: parts }, (_, index) => index + 1).map((part) => (
                <Download
                  key={`${currency} ${part}`}
                  href={exportAddress(month, { format: 'datev', currency, part })}
                  label={
                    parts === 1
                      ? t('datev', { currency: shown(currency) })
                      : t('datevPart', { currency: shown(currency), part, parts })
                  }
                />
              )),
            )}
          </Group>
          {datevBatches.some(({ parts }) => parts > 1) && (
            <Text size="sm" c="dimmed">
              {t('datevParts', { rows: datevRowsPerBatch })}
            </Text>
          )}
          {unwritten.length > 0 && (
            <Text size="sm" c="dimmed">
              {t('datevDecimals', { currencies: formatList(unwritten.map(shown)) })}
            </Text>
          )}
        </Stack>
      )}
    </Panel>
  )
}

function Download({ href, label }: { href: string; label: string }) {
  return (
    <Button
      component="a"
      href={href}
      download
      variant="default"
      leftSection={<IconDownload size={17} aria-hidden />}
    >
      {label}
    </Button>
  )
}

/** How far the processor's transactions are known. */
function Reading({ books: { month, readUntil, readError } }: { books: Bookkeeping }) {
  if (readUntil === null && readError === null)
    return <Alert color="yellow">{t('reading.never')}</Alert>
  const incomplete = readUntil === null || readUntil.slice(0, 7) <= month
  return (
    <>
      {readError !== null && (
        <Alert color="yellow">
          {t.rich('reading.failed', { failure: () => <FailureText text={readError} /> })}
        </Alert>
      )}
      {readUntil !== null && (
        <Text size="sm" c="dimmed">
          {t('reading.until', { time: formatTime(readUntil) })}{' '}
          {incomplete && t('reading.incomplete')}
        </Text>
      )}
    </>
  )
}
