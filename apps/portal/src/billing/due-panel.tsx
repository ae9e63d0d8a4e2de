import type { BillingSummary } from '@atrium/core/billing'
import { failed } from '@atrium/ui/done'
import { Fact, Facts } from '@atrium/ui/facts'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { LinkButton } from '@atrium/ui/links'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Button, Group, Stack, Text } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { vatLooks } from '../billing-info/billing-form.ts'
import * as targets from '../targets.ts'
import { countryName } from '../tenants/countries.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'

/** What is due, what comes next, and whom it goes to. */
export function DuePanel({ billing, editable }: { billing: BillingSummary; editable: boolean }) {
  const { slug } = useTenant()
  const { due, nextInvoice, contact } = billing
  return (
    <Panel
      title="Due and next"
      actions={
        editable && (
          <>
            <LinkButton {...targets.billingInfo(slug)} variant="default" size="xs">
              Billing details
            </LinkButton>
            {billing.gate === 'open' && <OpenPortal />}
          </>
        )
      }
    >
      <Facts>
        <Fact label="Due now">
          {due.length === 0 ? (
            'Nothing'
          ) : (
            <Stack gap={4}>
              {due.map(({ currency, amountMinor, invoices, overdue }) => (
                <Group key={currency} gap="xs">
                  {formatMoney(amountMinor, currency)}
                  <Text span size="sm" c="dimmed">
                    {invoices === 1 ? '1 invoice' : `${invoices} invoices`}
                  </Text>
                  {overdue && <StatusBadge label="Overdue" tone="bad" />}
                </Group>
              ))}
            </Stack>
          )}
        </Fact>
        <Fact label="Next invoice">
          {nextInvoice && `${formatMoney(nextInvoice.amountMinor, nextInvoice.currency)} without tax, on ${formatDay(nextInvoice.at)}`}
        </Fact>
        <Fact label="Billed to">{[contact.company, contact.country && countryName(contact.country)].filter(Boolean).join(', ')}</Fact>
        <Fact label="Invoices go to">{contact.email ?? 'The owner'}</Fact>
        <Fact label="VAT number">
          {contact.vatNumber && (
            <Group gap="xs">
              {contact.vatNumber}
              <StatusBadge label={vatLooks[contact.vatStatus].label} tone={vatLooks[contact.vatStatus].tone} />
            </Group>
          )}
        </Fact>
      </Facts>
    </Panel>
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
      const { url } = await queryClient.fetchQuery(trpc.billing.portal.queryOptions({ slug }, { staleTime: 0, gcTime: 0 }))
      window.location.assign(url)
    } catch (error) {
      failed('The pages of the payment processor could not be opened.', problemOf(error).message)
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
      Payment processor
    </Button>
  )
}
