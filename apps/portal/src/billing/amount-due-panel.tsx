import type { BillingSummary, CustomerCredit, NextInvoice } from '@atrium/core/billing/billing'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { failed } from '@atrium/ui/done'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Button, Group, Stack, Text } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { vatMeta } from '../billing-info/billing-form.ts'
import * as links from '../links.ts'
import classes from '../subscriptions/subscriptions.module.css'
import { TaxRows } from '../subscriptions/tax-rows.tsx'
import { countryName } from '../tenants/countries.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'

const t = translations('portal.billing')

/** What is due, what comes next, and whom it goes to. */
export function AmountDuePanel({
  billing,
  editable,
}: {
  billing: BillingSummary
  editable: boolean
}) {
  const { slug } = useTenant()
  const { due, contact } = billing
  const next = useQuery(useTRPC().billing.nextInvoice.queryOptions({ slug }))
  return (
    <Panel
      title={t('due.title')}
      actions={
        editable && (
          <>
            <LinkButton {...links.billingInfo(slug)} variant="default" size="xs">
              {t('due.details')}
            </LinkButton>
            {billing.gate === 'open' && <OpenPortal />}
          </>
        )
      }
    >
      <DetailList>
        <DetailItem label={t('due.now')}>
          {due.length === 0 ? (
            t('due.nothing')
          ) : (
            <Stack gap={4}>
              {due.map(({ currency, amountMinor, invoices, overdue }) => (
                <Group key={currency} gap="xs">
                  {formatMoney(amountMinor, currency)}
                  <Text span size="sm" c="dimmed">
                    {t('due.invoices', { count: invoices })}
                  </Text>
                  {overdue && <StatusBadge label={t('due.overdue')} tone="bad" />}
                </Group>
              ))}
            </Stack>
          )}
        </DetailItem>
        <DetailItem label={t('due.next')}>
          {next.data && <NextInvoiceAmounts invoice={next.data} />}
          {next.data === null && t('due.none')}
        </DetailItem>
        {billing.credits.map((credit) => (
          <DetailItem
            key={credit.currency}
            label={t(credit.amountMinor > 0 ? 'due.credit' : 'due.carriedOver')}
          >
            {formatMoney(Math.abs(credit.amountMinor), credit.currency)}
            <Text size="sm" c="dimmed">
              {purposeOf(credit, next.data)}
            </Text>
          </DetailItem>
        ))}
        <DetailItem label={t('due.billedTo')}>
          {[contact.company, contact.country && countryName(contact.country)]
            .filter(Boolean)
            .join(', ')}
        </DetailItem>
        <DetailItem label={t('due.sentTo')}>{contact.email ?? t('due.owner')}</DetailItem>
        <DetailItem label={t('due.vatNumber')}>
          {contact.vatNumber && (
            <Group gap="xs">
              {contact.vatNumber}
              <StatusBadge
                label={vatMeta(contact.vatStatus).label}
                tone={vatMeta(contact.vatStatus).tone}
              />
            </Group>
          )}
        </DetailItem>
      </DetailList>
    </Panel>
  )
}

/** What a credit is used for, or where what earlier invoices left open is added. */
function purposeOf(
  { currency, amountMinor }: CustomerCredit,
  next: NextInvoice | null | undefined,
): string {
  const named = { currency: currency.toUpperCase() }
  if (amountMinor < 0) return t('due.carriedOverUse', named)
  return next?.currency === currency
    ? t('due.creditUse', { day: formatDay(next.at) })
    : t('due.creditKept', named)
}

/** What the next invoice comes to, and how it is made up. */
function NextInvoiceAmounts({ invoice }: { invoice: NextInvoice }) {
  const { at, currency, exact, netMinor, taxes, totalMinor, creditMinor, amountDueMinor } = invoice
  const money = (minor: number) => formatMoney(minor, currency)
  return (
    <>
      {t('due.nextInvoice', { amount: money(amountDueMinor), day: formatDay(at) })}
      {!exact && (
        <Text size="sm" c="dimmed">
          {t('due.withoutTax')}
        </Text>
      )}
      {(taxes.length > 0 || creditMinor > 0) && (
        <table className={classes.lines}>
          <caption className={classes.hidden}>{t('due.nextCaption')}</caption>
          <tbody>
            <TaxRows taxes={taxes} netMinor={netMinor} currency={currency} />
            <tr data-total={creditMinor === 0 || undefined}>
              <th scope="row">{t('due.total')}</th>
              <td>{money(totalMinor)}</td>
            </tr>
            {creditMinor > 0 && (
              <>
                <tr>
                  <th scope="row">{t('due.creditUsed')}</th>
                  <td>{money(-creditMinor)}</td>
                </tr>
                <tr data-total>
                  <th scope="row">{t('due.toPay')}</th>
                  <td>{money(amountDueMinor)}</td>
                </tr>
              </>
            )}
          </tbody>
        </table>
      )}
    </>
  )
}

/** The processor's own pages about this customer, by a link that is made when it is asked for. */
function OpenPortal() {
  const { slug } = useTenant()
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const [opening, setOpening] = useState(false)
  async function open() {
    setOpening(true)
    try {
      const { url } = await queryClient.fetchQuery(
        trpc.billing.portal.queryOptions({ slug }, { staleTime: 0, gcTime: 0 }),
      )
      window.location.assign(url)
    } catch (error) {
      failed(t('due.processorFailed'), problemOf(error).message)
      setOpening(false)
    }
  }
  return (
    <Button
      variant="default"
      size="xs"
      loading={opening}
      onClick={() => void open()}
      rightSection={<IconExternalLink size={14} aria-hidden />}
    >
      {t('due.processor')}
    </Button>
  )
}
