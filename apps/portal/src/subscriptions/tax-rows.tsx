import type { TaxAmount } from '@atrium/core/billing/taxes'
import { formatMoney, formatPercent } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { countryName } from '../tenants/countries.ts'

const t = translations('portal.subscriptions')

interface Props {
  taxes: readonly TaxAmount[]
  netMinor: number
  currency: string
}

/** The net amount and each tax, as rows of a table of amounts. Nothing where no tax is computed. */
export function TaxRows({ taxes, netMinor, currency }: Props) {
  if (taxes.length === 0) return null
  return (
    <>
      <tr>
        <th scope="row">{t('quote.net')}</th>
        <td>{formatMoney(netMinor, currency)}</td>
      </tr>
      {taxes.map((tax) => (
        <tr key={`${tax.country} ${tax.percent} ${tax.reason} ${tax.behavior}`}>
          <th scope="row">{taxLabel(tax)}</th>
          <td>{formatMoney(tax.amountMinor, currency)}</td>
        </tr>
      ))}
    </>
  )
}

/** What a tax is called. A reverse charge says who owes it, as an invoice must. */
export function taxLabel({ percent, country, behavior, reason }: TaxAmount): string {
  if (reason === 'reverse_charge') return t('quote.reverseCharge')
  if (percent === null || percent === 0) return t('quote.notTaxed')
  const rate = formatPercent(percent)
  if (behavior === 'inclusive') return t('quote.vatIncluded', { percent: rate })
  return country === null
    ? t('quote.vat', { percent: rate })
    : t('quote.vatOf', { percent: rate, country: countryName(country) })
}
