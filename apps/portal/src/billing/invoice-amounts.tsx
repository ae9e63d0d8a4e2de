import type { InvoiceView } from '@atrium/core/billing/billing'
import { formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Text } from '@mantine/core'

const t = translations('portal.billing')

/** The total, and what it is made up of where the customer's balance pays a part or gets one. */
export function InvoiceAmounts({ invoice }: { invoice: InvoiceView }) {
  const { totalMinor, currency } = invoice
  const style = { whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' } as const
  return (
    <>
      <Text span inherit style={style}>
        {formatMoney(totalMinor, currency)}
      </Text>
      {partsOf(invoice).map(({ part, minor }) => (
        <Text key={part} size="xs" c="dimmed" style={style}>
          {t(`invoices.parts.${part}`, { amount: formatMoney(minor, currency) })}
        </Text>
      ))}
    </>
  )
}

/**
 * How the total becomes what was paid and what is due. Nothing for an invoice without a part of the
 * balance, and for a void one, which gave it back.
 */
function partsOf(invoice: InvoiceView) {
  const { status, totalMinor, balanceAppliedMinor: applied, amountDueMinor } = invoice
  if (status === 'void' || applied === 0) return []
  const parts = [
    { part: 'fromCredit', minor: applied },
    { part: totalMinor < 0 ? 'toCredit' : 'carriedOver', minor: 0 - applied },
    { part: 'credited', minor: totalMinor - applied - amountDueMinor },
    { part: 'paid', minor: invoice.amountPaidMinor },
    { part: 'due', minor: invoice.amountRemainingMinor },
  ] as const
  return parts.filter(({ minor }) => minor > 0)
}
