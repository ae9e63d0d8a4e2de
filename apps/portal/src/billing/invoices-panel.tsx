import type { InvoiceView } from '@atrium/core/billing/billing'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { done, failed } from '@atrium/ui/done'
import { formatDay, formatMoney } from '@atrium/ui/format'
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
import { usePayInvoice } from './mutations.ts'
import { type BillingSearch, invoicesQuery } from './search.ts'
import { invoiceMeta } from './status-meta.ts'

const everyMs = 3_000

interface Props {
  search: BillingSearch
  /** Read again every few seconds: a payment is under way or missing. */
  live: boolean
  /** There is a paid subscription, so the first invoice is about to come when there is none yet. */
  expected: boolean
  /** Pages of the list. */
  onCursorHistory: (trail: string | undefined) => void
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
    <Panel title="Invoices">
      {query.isPending ? (
        <LoadingRows label="Loading invoices" rows={3} />
      ) : query.isError ? (
        <ErrorState
          title="The invoices could not be loaded."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      ) : query.data.items.length === 0 ? (
        <Text c="dimmed">
          No invoices yet. The first one appears here as soon as a paid plan begins.
        </Text>
      ) : (
        <>
          <ResponsiveTable
            caption={`Invoices of ${name}`}
            columns={columnsFor(mayPay, setPaying)}
            rows={query.data.items}
            rowKey={({ id }) => id}
            stale={query.isPlaceholderData}
          />
          <Pager
            label="Pages of invoices"
            trail={search.trail}
            nextCursor={query.data.nextCursor}
            onChange={onCursorHistory}
          />
        </>
      )}
      <ConfirmDialog
        opened={paying !== undefined}
        onClose={() => setPaying(undefined)}
        title="Pay this invoice now"
        confirmLabel={
          paying ? `Pay ${formatMoney(paying.amountRemainingMinor, paying.currency)}` : 'Pay'
        }
        destructive={false}
        onConfirm={async () => {
          if (!paying) return
          await pay.mutateAsync({ slug, invoiceId: paying.id })
          done('The invoice is paid. Thank you.')
        }}
      >
        The card on file is charged with what is left of invoice {paying?.number}.
      </ConfirmDialog>
    </Panel>
  )
}

function columnsFor(mayPay: boolean, onPay: (invoice: InvoiceView) => void): Column<InvoiceView>[] {
  return [
    {
      key: 'number',
      header: 'Invoice',
      primary: true,
      cell: ({ number, finalizedAt }) => (
        <>
          <Text span inherit fw={550} style={{ overflowWrap: 'anywhere' }}>
            {number ?? 'Without a number'}
          </Text>
          <Text size="xs" c="dimmed">
            {formatDay(finalizedAt)}
          </Text>
        </>
      ),
    },
    {
      key: 'status',
      header: 'Status',
      cell: ({ status }) => <StatusBadge {...invoiceMeta[status]} />,
    },
    {
      key: 'period',
      header: 'Period',
      cell: ({ periodStart, periodEnd }) =>
        periodStart && periodEnd ? `${formatDay(periodStart)} to ${formatDay(periodEnd)}` : '–',
    },
    {
      key: 'total',
      header: 'Total',
      align: 'end',
      cell: ({ totalMinor, currency }) => (
        <Text span inherit style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
          {formatMoney(totalMinor, currency)}
        </Text>
      ),
    },
    {
      key: 'acts',
      header: 'Acts',
      hideHeader: true,
      align: 'end',
      cell: (invoice) => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          {mayPay && (invoice.status === 'open' || invoice.status === 'overdue') && (
            <Button
              size="xs"
              onClick={() => onPay(invoice)}
              aria-label={`Pay now: invoice ${invoice.number}`}
            >
              Pay now
            </Button>
          )}
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
      if (url === null)
        failed('There is nothing to open.', 'The payment processor has no page for this invoice.')
      else window.location.assign(url)
    } catch (error) {
      failed('The invoice could not be opened.', problemOf(error).message)
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
      aria-label={`Open invoice ${invoice.number}`}
      rightSection={<IconExternalLink size={14} aria-hidden />}
    >
      Open
    </Button>
  )
}
