import type { InvoiceLine } from '@atrium/core/billing/billing'
import type {
  InvoiceReversalView,
  OperatorInvoiceDetail,
} from '@atrium/core/billing/operator-invoices'
import { CopyValue } from '@atrium/ui/copy'
import { QueryState } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatDay, formatMoney, formatPercent } from '@atrium/ui/format'
import { invoiceMeta } from '@atrium/ui/invoice-status-meta'
import { Amount } from '@atrium/ui/ledger-table'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { ledgerEntryName } from '@atrium/ui/payout-status-meta'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Grid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { MissingPage } from '../layout/not-found-page.tsx'
import { isMissing } from '../parts/problems.ts'
import { When } from '../parts/when.tsx'
import { useTRPC } from '../trpc.ts'
import { CorrectionsTable } from './corrections-table.tsx'
import { InvoiceActions } from './invoice-actions.tsx'
import { InvoiceDocuments } from './invoice-documents.tsx'

const t = translations('operator.invoices')

const route = getRouteApi('/authenticated/invoices/$id')

export const Route = createLazyRoute('/authenticated/invoices/$id')({ component: InvoicePage })

function InvoicePage() {
  const { id } = route.useParams()
  const query = useQuery(useTRPC().operatorInvoices.get.queryOptions({ id }))
  const { data: invoice, error } = query
  if (!invoice && error && isMissing(error)) {
    return (
      <MissingPage
        title={t('page.missing.title')}
        back={<LinkAnchor to="/invoices">{t('page.missing.back')}</LinkAnchor>}
      >
        {t('page.missing.hint')}
      </MissingPage>
    )
  }
  return (
    <>
      <PageHeader
        title={
          invoice
            ? t('page.title', { number: invoice.number ?? t('noNumber') })
            : t('page.fallbackTitle')
        }
        description={invoice?.tenantName}
        marks={invoice && <StatusBadge {...invoiceMeta(invoice.status)} />}
        actions={invoice && <InvoiceActions invoice={invoice} />}
      />
      {invoice ? (
        <Detail invoice={invoice} />
      ) : (
        <QueryState query={query} loading={t('page.loading')} failed={t('page.loadFailed')} />
      )}
    </>
  )
}

function Detail({ invoice }: { invoice: OperatorInvoiceDetail }) {
  return (
    <Stack gap="lg">
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Amounts invoice={invoice} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <History invoice={invoice} />
        </Grid.Col>
      </Grid>
      <InvoiceDocuments invoice={invoice} />
      <Panel title={t('lines.title')}>
        <ResponsiveTable
          caption={t('lines.title')}
          columns={lineColumns(invoice.currency)}
          rows={invoice.lines.map((line, index) => ({ ...line, key: String(index) }))}
          rowKey={({ key }) => key}
        />
      </Panel>
      {invoice.corrections.length > 0 && (
        <Panel title={t('corrections.caption')}>
          <CorrectionsTable corrections={invoice.corrections} />
        </Panel>
      )}
      {invoice.reversals.length > 0 && (
        <Panel title={t('reversals.title')} description={t('reversals.hint')}>
          <ResponsiveTable
            caption={t('reversals.title')}
            columns={reversalColumns(invoice.currency)}
            rows={invoice.reversals}
            rowKey={({ id }) => id}
          />
        </Panel>
      )}
      <Share invoice={invoice} />
    </Stack>
  )
}

function Amounts({ invoice }: { invoice: OperatorInvoiceDetail }) {
  const money = (minor: number) => formatMoney(minor, invoice.currency)
  const withAmount = (label: string, minor: number) =>
    minor !== 0 && <DetailItem label={label}>{money(minor)}</DetailItem>
  return (
    <Panel title={t('amounts.title')}>
      <DetailList>
        <DetailItem label={t('columns.tenant')}>
          <LinkAnchor to="/tenants/$slug" params={{ slug: invoice.tenantSlug }} fz="inherit">
            {invoice.tenantName}
          </LinkAnchor>
        </DetailItem>
        <DetailItem label={t('amounts.net')}>
          {money(invoice.subtotalMinor - invoice.discountMinor)}
        </DetailItem>
        <DetailItem label={t('amounts.tax')}>{money(invoice.taxMinor)}</DetailItem>
        <DetailItem label={t('columns.total')}>{money(invoice.totalMinor)}</DetailItem>
        {withAmount(t('amounts.balance'), invoice.balanceAppliedMinor)}
        <DetailItem label={t('amounts.paid')}>{money(invoice.amountPaidMinor)}</DetailItem>
        {withAmount(t('columns.due'), invoice.amountRemainingMinor)}
        {withAmount(t('amounts.refunded'), invoice.refundedMinor)}
        {withAmount(t('amounts.credited'), invoice.creditedMinor)}
        {withAmount(t('amounts.disputed'), invoice.disputedMinor)}
        <DetailItem label={t('amounts.processor')}>
          <CopyValue label={t('amounts.processor')} value={invoice.stripeInvoiceId} hideLabel />
        </DetailItem>
      </DetailList>
    </Panel>
  )
}

function History({ invoice }: { invoice: OperatorInvoiceDetail }) {
  const step = (label: string, at: string | null) =>
    at && (
      <DetailItem label={label}>
        <Time at={at} show="both" />
      </DetailItem>
    )
  return (
    <Panel title={t('history.title')}>
      <DetailList>
        {invoice.periodStart && invoice.periodEnd && (
          <DetailItem label={t('history.period')}>
            {t('history.range', {
              from: formatDay(invoice.periodStart),
              to: formatDay(invoice.periodEnd),
            })}
          </DetailItem>
        )}
        {step(t('history.finalized'), invoice.finalizedAt)}
        {step(t('history.due'), invoice.dueDate)}
        {invoice.attemptCount > 0 && (
          <DetailItem label={t('history.attempts')}>{invoice.attemptCount}</DetailItem>
        )}
        {step(t('history.nextAttempt'), invoice.nextPaymentAttempt)}
        {step(t('history.paid'), invoice.paidAt)}
        {step(t('history.uncollectible'), invoice.uncollectibleAt)}
        {step(t('history.voided'), invoice.voidedAt)}
        <DetailItem label={t('history.audit')}>
          <LinkAnchor to="/audit" search={{ q: invoice.number ?? invoice.id }} fz="inherit">
            {t('history.auditLink')}
          </LinkAnchor>
        </DetailItem>
      </DetailList>
    </Panel>
  )
}

type KeyedLine = InvoiceLine & { key: string }

const lineColumns = (currency: string): readonly Column<KeyedLine>[] => [
  {
    key: 'description',
    header: t('lines.description'),
    primary: true,
    breaks: true,
    cell: ({ description }) => description ?? '–',
  },
  {
    key: 'period',
    header: t('history.period'),
    cell: ({ periodStart, periodEnd }) =>
      t('history.range', { from: formatDay(periodStart), to: formatDay(periodEnd) }),
  },
  {
    key: 'quantity',
    header: t('lines.quantity'),
    align: 'end',
    cell: ({ quantity }) => quantity ?? '–',
  },
  {
    key: 'amount',
    header: t('lines.amount'),
    align: 'end',
    cell: ({ amountMinor }) => <Amount minor={amountMinor} currency={currency} />,
  },
]

const reversalColumns = (currency: string): readonly Column<InvoiceReversalView>[] => [
  {
    key: 'kind',
    header: t('reversals.kind'),
    primary: true,
    cell: ({ id, kind, number }) => (
      <>
        <Text span inherit fw={550}>
          {t(`reversals.kinds.${kind}`)}
        </Text>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {number ?? id}
        </Text>
      </>
    ),
  },
  { key: 'status', header: t('columns.status'), cell: ({ status }) => status },
  {
    key: 'where',
    header: t('reversals.where'),
    cell: ({ balanceMinor, outsideMinor }) =>
      balanceMinor > 0
        ? t('reversals.toBalance', { amount: formatMoney(balanceMinor, currency) })
        : outsideMinor > 0
          ? t('reversals.outside', { amount: formatMoney(outsideMinor, currency) })
          : '–',
  },
  {
    key: 'at',
    header: t('corrections.columns.at'),
    cell: ({ createdAt }) => <When at={createdAt} />,
  },
  {
    key: 'amount',
    header: t('lines.amount'),
    align: 'end',
    cell: ({ amountMinor }) => <Amount minor={amountMinor} currency={currency} />,
  },
]

function Share({ invoice: { share, currency } }: { invoice: OperatorInvoiceDetail }) {
  if (!share) return null
  return (
    <Panel
      title={t('share.title')}
      description={
        share.marginPct === null
          ? share.partnerName
          : t('share.hint', {
              partner: share.partnerName,
              margin: formatPercent(share.marginPct),
              amount: formatMoney(share.amountMinor, currency),
            })
      }
    >
      {share.entries.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('share.none')}
        </Text>
      ) : (
        <DetailList>
          {share.entries.map(({ type, amountMinor, createdAt }, index) => (
            <DetailItem key={`${createdAt}:${index}`} label={ledgerEntryName(type)}>
              <Amount minor={amountMinor} currency={currency} />{' '}
              <Text span size="xs" c="dimmed">
                <When at={createdAt} />
              </Text>
            </DetailItem>
          ))}
        </DetailList>
      )}
    </Panel>
  )
}
