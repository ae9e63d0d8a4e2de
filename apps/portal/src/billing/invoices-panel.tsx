import type { InvoiceView } from '@atrium/core/billing/billing'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { done, failed } from '@atrium/ui/done'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { invoiceMeta } from '@atrium/ui/invoice-status-meta'
import { translations } from '@atrium/ui/messages'
import { Pager } from '@atrium/ui/pager'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Button, Group, Text } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { DocumentsMenu } from './documents-menu.tsx'
import { InvoiceAmounts } from './invoice-amounts.tsx'
import { usePayInvoice } from './mutations.ts'
import { type BillingSearch, invoicesQuery } from './search.ts'

const t = translations('portal.billing')

const everyMs = 3_000

interface Props {
  search: BillingSearch
  /** Read again every few seconds: a payment is under way or missing. */
  live: boolean
  /** There is a paid subscription, so the first invoice is about to come when there is none yet. */
  expected: boolean
  /** Pages of the list. */
  onCursorHistory: (cursors: string | undefined) => void
  /** An admin, while payments are open and there is a card. */
  mayPay: boolean
}

/** What was invoiced, newest first. */
export function InvoicesPanel({ search, live, expected, onCursorHistory, mayPay }: Props) {
  const { slug, name } = useTenant()
  const [paying, setPaying] = useState<InvoiceView>()
  const pay = usePayInvoice()
  const query = useQuery(
    useTRPC().billing.invoices.queryOptions(invoicesQuery(slug, search), {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) =>
        (live || (expected && state.data?.items.length === 0)) && everyMs,
    }),
  )
  return (
    <Panel title={t('invoices.title')}>
      {query.isPending ? (
        <LoadingRows label={t('invoices.loading')} rows={3} />
      ) : query.isError ? (
        <ErrorState
          title={t('invoices.loadFailed')}
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      ) : query.data.items.length === 0 ? (
        <Text c="dimmed">{t('invoices.none')}</Text>
      ) : (
        <>
          <ResponsiveTable
            caption={t('invoices.caption', { tenant: name })}
            columns={columnsFor(mayPay, setPaying)}
            rows={query.data.items}
            rowKey={({ id }) => id}
            stale={query.isPlaceholderData}
          />
          <Pager
            label={t('invoices.pages')}
            cursors={search.cursors}
            nextCursor={query.data.nextCursor}
            onChange={onCursorHistory}
          />
        </>
      )}
      <ConfirmDialog
        opened={paying !== undefined}
        onClose={() => setPaying(undefined)}
        title={t('pay.title')}
        confirmLabel={
          paying
            ? t('pay.amount', { amount: formatMoney(paying.amountRemainingMinor, paying.currency) })
            : t('pay.plain')
        }
        destructive={false}
        onConfirm={async () => {
          if (!paying) return
          await pay.mutateAsync({ slug, invoiceId: paying.id })
          done(t('pay.done'))
        }}
      >
        {paying && t('pay.hint', { number: paying.number ?? t('invoices.noNumber') })}
      </ConfirmDialog>
    </Panel>
  )
}

function columnsFor(mayPay: boolean, onPay: (invoice: InvoiceView) => void): Column<InvoiceView>[] {
  return [
    {
      key: 'number',
      header: t('invoices.invoice'),
      primary: true,
      cell: ({ number, finalizedAt }) => (
        <>
          <Text span inherit fw={550} style={{ overflowWrap: 'anywhere' }}>
            {number ?? t('invoices.noNumber')}
          </Text>
          <Text size="xs" c="dimmed">
            {formatDay(finalizedAt)}
          </Text>
        </>
      ),
    },
    {
      key: 'status',
      header: t('invoices.status'),
      cell: ({ status }) => <StatusBadge {...invoiceMeta(status)} />,
    },
    {
      key: 'period',
      header: t('invoices.period'),
      cell: ({ periodStart, periodEnd }) =>
        periodStart && periodEnd
          ? t('invoices.range', { start: formatDay(periodStart), end: formatDay(periodEnd) })
          : '–',
    },
    {
      key: 'total',
      header: t('invoices.total'),
      align: 'end',
      cell: (invoice) => <InvoiceAmounts invoice={invoice} />,
    },
    {
      key: 'actions',
      header: t('invoices.actions'),
      hideHeader: true,
      align: 'end',
      cell: (invoice) => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          {mayPay && (invoice.status === 'open' || invoice.status === 'overdue') && (
            <Button
              size="xs"
              onClick={() => onPay(invoice)}
              aria-label={t('pay.nowNumber', { number: invoice.number ?? t('invoices.noNumber') })}
            >
              {t('pay.now')}
            </Button>
          )}
          <DocumentsMenu invoice={invoice} />
          <OpenInvoice invoice={invoice} />
        </Group>
      ),
    },
  ]
}

/** The link is made when it is asked for: it lapses. */
function OpenInvoice({ invoice }: { invoice: InvoiceView }) {
  const { slug } = useTenant()
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const [opening, setOpening] = useState(false)
  async function open() {
    setOpening(true)
    try {
      const { hostedUrl, pdfUrl } = await queryClient.fetchQuery(
        trpc.billing.invoiceDocument.queryOptions(
          { slug, invoiceId: invoice.id },
          { staleTime: 0, gcTime: 0 },
        ),
      )
      const url = hostedUrl ?? pdfUrl
      if (url === null) failed(t('invoices.noPage.title'), t('invoices.noPage.hint'))
      else window.location.assign(url)
    } catch (error) {
      failed(t('invoices.openFailed'), problemOf(error).message)
    } finally {
      setOpening(false)
    }
  }
  return (
    <Button
      size="xs"
      variant="default"
      loading={opening}
      onClick={() => void open()}
      aria-label={t('invoices.openNumber', { number: invoice.number ?? t('invoices.noNumber') })}
      rightSection={<IconExternalLink size={14} aria-hidden />}
    >
      {t('invoices.open')}
    </Button>
  )
}
