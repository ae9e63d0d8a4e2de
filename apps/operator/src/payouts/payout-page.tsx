import type { PayoutDetail } from '@atrium/core/billing/payouts'
import { splitUpstreamMessage } from '@atrium/core/platform/upstream-messages'
import { CopyValue } from '@atrium/ui/copy'
import { QueryState } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { LedgerTable } from '@atrium/ui/ledger-table'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { payoutMeta } from '@atrium/ui/payout-status-meta'
import { StatementLinks } from '@atrium/ui/statement-links'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert, Button, Grid, Stack, Text } from '@mantine/core'
import { IconDownload, IconHandStop } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { MissingPage } from '../layout/not-found-page.tsx'
import { isMissing } from '../parts/problems.ts'
import { useTRPC } from '../trpc.ts'
import { PayoutActions } from './payout-actions.tsx'

const t = translations('operator.payouts')

const route = getRouteApi('/authenticated/payouts/$id')

export const Route = createLazyRoute('/authenticated/payouts/$id')({ component: PayoutPage })

function PayoutPage() {
  const { id } = route.useParams()
  const query = useQuery(useTRPC().payouts.get.queryOptions({ id }))
  const { data: payout, error } = query
  if (!payout && error && isMissing(error)) {
    return (
      <MissingPage
        title={t('page.missing.title')}
        back={<LinkAnchor to="/payouts">{t('page.missing.back')}</LinkAnchor>}
      >
        {t('page.missing.hint')}
      </MissingPage>
    )
  }
  return (
    <>
      <PageHeader
        title={
          payout
            ? t('page.title', {
                amount: formatMoney(payout.amountMinor, payout.currency),
                partner: payout.partnerName,
              })
            : t('page.fallbackTitle')
        }
        description={payout?.statementNumber}
        marks={payout && <StatusBadge {...payoutMeta(payout.status)} />}
        actions={payout && <PayoutActions payout={payout} />}
      />
      {payout ? (
        <Detail payout={payout} />
      ) : (
        <QueryState query={query} loading={t('page.loading')} failed={t('page.loadFailed')} />
      )}
    </>
  )
}

function Detail({ payout }: { payout: PayoutDetail }) {
  return (
    <Stack gap="lg">
      <Notice payout={payout} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Panel title={t('details.title')} actions={<LedgerLink slug={payout.partnerSlug} />}>
            <DetailList>
              <DetailItem label={t('columns.partner')}>
                <LinkAnchor to="/partners/$slug" params={{ slug: payout.partnerSlug }} fz="inherit">
                  {payout.partnerName}
                </LinkAnchor>
              </DetailItem>
              <DetailItem label={t('columns.amount')}>
                {formatMoney(payout.amountMinor, payout.currency)}
              </DetailItem>
              <DetailItem label={t('details.period')}>
                {payout.periodFrom
                  ? t('details.range', {
                      from: formatDay(payout.periodFrom),
                      to: formatDay(payout.periodTo),
                    })
                  : t('details.until', { to: formatDay(payout.periodTo) })}
              </DetailItem>
              <DetailItem label={t('details.selfBilling')}>
                {payout.selfBillingConsentAt ? (
                  <Time at={payout.selfBillingConsentAt} show="both" />
                ) : (
                  t('details.notYet')
                )}
              </DetailItem>
              <DetailItem label={t('details.reference')}>
                {payout.reference && (
                  <CopyValue label={t('details.reference')} value={payout.reference} hideLabel />
                )}
              </DetailItem>
            </DetailList>
          </Panel>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Panel
            title={t('timeline.title')}
            actions={
              <StatementLinks href={`/api/payouts/${payout.id}/statement`} payout={payout} />
            }
          >
            <DetailList>
              <DetailItem label={t('timeline.created')}>
                <Step at={payout.createdAt} by={payout.requestedBy ?? t('timeline.monthlyRun')} />
              </DetailItem>
              <DetailItem label={t('timeline.approved')}>
                {payout.approvedAt && <Step at={payout.approvedAt} by={payout.approvedBy} />}
              </DetailItem>
              <DetailItem label={t('timeline.sent')}>
                {payout.sentAt && <Step at={payout.sentAt} />}
              </DetailItem>
              <DetailItem label={t('timeline.paid')}>
                {payout.paidAt && <Step at={payout.paidAt} />}
              </DetailItem>
              {payout.canceledAt && (
                <DetailItem label={t('timeline.canceled')}>
                  <Step at={payout.canceledAt} />
                </DetailItem>
              )}
              {payout.cancellationNumber && (
                <DetailItem label={t('timeline.cancellation')}>
                  {payout.cancellationNumber}
                </DetailItem>
              )}
            </DetailList>
          </Panel>
        </Grid.Col>
      </Grid>
      <Panel title={t('entries.title')} description={t('entries.hint')}>
        {payout.entries.length > 0 ? (
          <LedgerTable caption={t('entries.caption')} entries={payout.entries} />
        ) : (
          <Text size="sm" c="dimmed">
            {t('entries.none')}
          </Text>
        )}
      </Panel>
    </Stack>
  )
}

function Step({ at, by = null }: { at: string; by?: string | null }) {
  const time = () => <Time at={at} show="both" />
  return by === null ? time() : t.rich('timeline.step', { time, by })
}

/** Downloads the partner's whole ledger. */
function LedgerLink({ slug }: { slug: string }) {
  return (
    <Button
      component="a"
      href={`/api/partners/${slug}/ledger`}
      download
      size="xs"
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
    >
      {t('details.ledger')}
    </Button>
  )
}

function Notice({ payout }: { payout: PayoutDetail }) {
  if (payout.status === 'held') {
    return (
      <Alert color="yellow" icon={<IconHandStop aria-hidden />} title={t('notice.held.title')}>
        <Text inherit mb={4}>
          {payout.heldReason && splitUpstreamMessage(payout.heldReason).sentence}
        </Text>
        {t('notice.held.hint')}
      </Alert>
    )
  }
  if (payout.status === 'failed') {
    return (
      <Alert color="red" icon={<IconHandStop aria-hidden />} title={t('notice.failed.title')}>
        <Text inherit mb={4}>
          {payout.failureReason}
        </Text>
        {t('notice.failed.hint')}
      </Alert>
    )
  }
  return null
}
