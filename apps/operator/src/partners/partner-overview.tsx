import type { PartnerView } from '@atrium/core/partners'
import { CopyValue } from '@atrium/ui/copy'
import { Fact, Facts } from '@atrium/ui/facts'
import { formatCount, formatDay } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { Panel } from '@atrium/ui/panel'
import { moneyWords } from '@atrium/ui/partner-looks'
import { Time } from '@atrium/ui/time'
import { Warnings } from '@atrium/ui/warnings'
import { SimpleGrid, Stack } from '@mantine/core'
import { lazy } from 'react'
import { EditDialog } from '../parts/edit-dialog.tsx'
import { TerminatePartnerPanel } from './terminate-partner-panel.tsx'

// The form brings inputs that nothing else on the page needs; it loads when its button is pressed.
const PartnerEditor = lazy(() => import('./partner-editor.tsx').then((part) => ({ default: part.PartnerEditor })))

/** Everything that is stored of a partner, each part with the way to change it. */
export function PartnerOverview({ partner }: { partner: PartnerView }) {
  const editable = partner.status !== 'terminated'
  const { contactInfo, billingInfo, nextMargin } = partner
  const edit = (part: 'contact' | 'billing' | 'record', label: string) =>
    editable && <EditDialog label={label}>{(close) => <PartnerEditor partner={partner} part={part} onClose={close} />}</EditDialog>
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Stack gap="lg">
        <Panel title="Business">
          <Facts>
            <Fact label="Customers">
              <LinkAnchor to="/partners/$slug" params={{ slug: partner.slug }} search={{ tab: 'customers' }} fz="inherit">
                {formatCount(partner.customers)}
              </LinkAnchor>
            </Fact>
            <Fact label="MRR">{moneyWords(partner.mrr ?? [])}</Fact>
            <Fact label="Margin">
              {`${partner.marginPct ?? 0} %`}
              {nextMargin && `, ${nextMargin.marginPct} % from ${formatDay(nextMargin.effectiveFrom)}`}
            </Fact>
            <Fact label="Staff">
              <LinkAnchor to="/partners/$slug" params={{ slug: partner.slug }} search={{ tab: 'staff' }} fz="inherit">
                {formatCount(partner.staff)}
              </LinkAnchor>
            </Fact>
          </Facts>
        </Panel>
        <Panel title="Record" actions={edit('record', 'Edit record')}>
          <Facts>
            <Fact label="Name">{partner.name}</Fact>
            <Fact label="Slug">
              <CopyValue label="Slug" value={partner.slug} hideLabel />
            </Fact>
            <Fact label="Domain">{partner.domain}</Fact>
            <Fact label="Partner id">
              <CopyValue label="Partner id" value={partner.id} hideLabel />
            </Fact>
            <Fact label="Created">
              <Time at={partner.createdAt} show="both" />
            </Fact>
            <Fact label="Changed">
              <Time at={partner.updatedAt} show="both" />
            </Fact>
          </Facts>
        </Panel>
      </Stack>
      <Stack gap="lg">
        <Panel title="Contact" actions={edit('contact', 'Edit contact')}>
          <Facts>
            <Fact label="Person">{contactInfo.name}</Fact>
            <Fact label="E-mail">{contactInfo.email}</Fact>
            <Fact label="Phone">{contactInfo.phone}</Fact>
          </Facts>
        </Panel>
        <Panel title="Billing details" actions={edit('billing', 'Edit billing details')}>
          <Stack>
            <Facts>
              <Fact label="Company">{billingInfo.company}</Fact>
              <Fact label="VAT number">{billingInfo.vatNumber}</Fact>
              <Fact label="Country">{billingInfo.country}</Fact>
              <Fact label="E-mail">{billingInfo.email}</Fact>
            </Facts>
            <Warnings title="About the VAT number" messages={partner.warnings.map(({ message }) => message)} />
          </Stack>
        </Panel>
        {editable && <TerminatePartnerPanel partner={partner} />}
      </Stack>
    </SimpleGrid>
  )
}
