import { documentTexts } from '@atrium/messages/documents'
import XMLBuilder from 'fast-xml-builder'
import { minorUnitDigits } from '../minor-units.ts'
import { decimalAmount } from '../statements.ts'
import {
  type BillingDocument,
  type DocumentLine,
  type DocumentParty,
  type DocumentPeriod,
  documentTypeCodes,
  isCredit,
  type VatCategory,
} from './document.ts'
import { exemptionOf, notesOf, paymentTermsOf } from './document-wording.ts'

/**
 * The specifications that the XML can claim (BT-24): the European norm, as ZUGFeRD and Factur-X
 * embed it, and the German usage of it.
 */
export const specifications = {
  en16931: 'urn:cen.eu:en16931:2017',
  xrechnung: 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0',
} as const
export type Specification = keyof typeof specifications

/**
 * Why a document can't be written as XML; null when it can. `decimals`: EN 16931 allows two
 * (BR-DEC), and an amount has a third one; amounts that the payment processor charges in currencies
 * with three digits end with 0 and fit. `tax`: the tax of a rate differs from amount times rate by
 * a whole unit of the currency or more, as rounding each of many lines can add up to (BR-S-09).
 */
export function unrepresentable(document: BillingDocument): 'decimals' | 'tax' | null {
  const digits = minorUnitDigits(document.currency)
  const amounts = [
    ...Object.values(document.totals),
    ...document.taxes.flatMap(({ netMinor, taxMinor }) => [netMinor, taxMinor]),
    ...document.lines.flatMap(({ netMinor, discountMinor }) => [netMinor, discountMinor]),
  ]
  if (digits === 3 && amounts.some((amount) => amount % 10 !== 0)) return 'decimals'
  const off = document.taxes.some(
    ({ netMinor, taxMinor, ratePercent }) =>
      Math.abs(taxMinor - (netMinor * ratePercent) / 100) >= 10 ** digits,
  )
  return off ? 'tax' : null
}

/**
 * What XRechnung asks for beyond EN 16931 (BR-DE-2 to BR-DE-9, PEPPOL-EN16931-R010 and R020) and
 * the document lacks. XRechnung has no code for a self-billed credit note (BR-DE-17).
 */
export function xrechnungGaps(document: BillingDocument): string[] {
  const { seller, buyer } = document
  const required: readonly [string, unknown][] = [
    ['kind', document.kind !== 'self_billed_credit_note'],
    ['seller.contact', seller.contact],
    ['seller.email', seller.email],
    ['seller.city', seller.address.city],
    ['seller.postalCode', seller.address.postalCode],
    ['seller.taxId', seller.taxNumber ?? seller.vatNumber],
    ['buyer.email', buyer.email],
    ['buyer.city', buyer.address.city],
    ['buyer.postalCode', buyer.address.postalCode],
  ]
  return required.filter(([, present]) => !present).map(([name]) => name)
}

type Node = { [name: string]: Node | readonly Node[] | string | number | undefined }

const builder = new XMLBuilder({
  attributeNamePrefix: '@',
  ignoreAttributes: false,
  suppressEmptyNode: true,
  format: true,
  indentBy: '  ',
})

/**
 * The document as Cross Industry Invoice (UN/CEFACT D16B), by the syntax binding of EN 16931-3-3.
 * RangeError where `unrepresentable`.
 */
export function crossIndustryInvoice(
  document: BillingDocument,
  specification: Specification,
): string {
  if (unrepresentable(document)) throw new RangeError('EN 16931 allows two decimals.')
  return builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    'rsm:CrossIndustryInvoice': {
      '@xmlns:rsm': 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
      '@xmlns:ram':
        'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
      '@xmlns:udt': 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
      '@xmlns:qdt': 'urn:un:unece:uncefact:data:standard:QualifiedDataType:100',
      'rsm:ExchangedDocumentContext': {
        'ram:BusinessProcessSpecifiedDocumentContextParameter': {
          'ram:ID': 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0',
        },
        'ram:GuidelineSpecifiedDocumentContextParameter': {
          'ram:ID': specifications[specification],
        },
      },
      'rsm:ExchangedDocument': {
        'ram:ID': xmlText(document.number),
        'ram:TypeCode': documentTypeCodes[document.kind],
        'ram:IssueDateTime': day(document.issueDate),
        'ram:IncludedNote': notesOf(document).map((note) => ({ 'ram:Content': xmlText(note) })),
      },
      'rsm:SupplyChainTradeTransaction': {
        'ram:IncludedSupplyChainTradeLineItem': document.lines.map((line, index) =>
          lineItem(document, line, index),
        ),
        'ram:ApplicableHeaderTradeAgreement': {
          'ram:BuyerReference': xmlText(document.buyerReference),
          'ram:SellerTradeParty': party(document.seller, outsideVat(document), true),
          'ram:BuyerTradeParty': party(document.buyer, outsideVat(document), false),
        },
        'ram:ApplicableHeaderTradeDelivery': '',
        'ram:ApplicableHeaderTradeSettlement': settlement(document),
      },
    },
  })
}

/** BR-O-02 to BR-O-04: a document outside the scope of VAT has no VAT numbers. */
const outsideVat = ({ taxes }: BillingDocument) => taxes.some(({ category }) => category === 'O')

function lineItem(document: BillingDocument, line: DocumentLine, index: number): Node {
  const { currency } = document
  const gross = line.netMinor + line.discountMinor
  // A price is never negative (BR-27); the quantity of a line that takes away is.
  const quantity = Math.abs(line.quantity)
  const price = Math.abs(gross)
  // Exact also where the price of a unit is no decimal number: an amount for so many units.
  const even = Number.isSafeInteger(quantity) && price % quantity === 0
  return {
    'ram:AssociatedDocumentLineDocument': { 'ram:LineID': String(index + 1) },
    'ram:SpecifiedTradeProduct': { 'ram:Name': xmlText(line.description) },
    'ram:SpecifiedLineTradeAgreement': {
      'ram:NetPriceProductTradePrice': {
        'ram:ChargeAmount': decimalAmount(even ? price / quantity : price, currency),
        ...(!even && {
          'ram:BasisQuantity': { '@unitCode': 'C62', '#text': String(quantity) },
        }),
      },
    },
    'ram:SpecifiedLineTradeDelivery': {
      'ram:BilledQuantity': {
        '@unitCode': 'C62',
        '#text': String(gross < 0 ? -quantity : quantity),
      },
    },
    'ram:SpecifiedLineTradeSettlement': {
      'ram:ApplicableTradeTax': {
        'ram:TypeCode': 'VAT',
        'ram:CategoryCode': line.category,
        // BR-O-05: none outside the scope of VAT.
        ...(line.category !== 'O' && { 'ram:RateApplicablePercent': percent(line.ratePercent) }),
      },
      ...(line.period && { 'ram:BillingSpecifiedPeriod': period(line.period) }),
      ...(line.discountMinor > 0 && {
        'ram:SpecifiedTradeAllowanceCharge': {
          'ram:ChargeIndicator': { 'udt:Indicator': 'false' },
          'ram:ActualAmount': decimal(line.discountMinor, currency),
          'ram:ReasonCode': '95',
          'ram:Reason': xmlText(documentTexts(document.language)('discount')),
        },
      }),
      'ram:SpecifiedTradeSettlementLineMonetarySummation': {
        'ram:LineTotalAmount': decimal(line.netMinor, currency),
      },
    },
  }
}

function party(
  { name, address, vatNumber, taxNumber, register, email, contact }: DocumentParty,
  outside: boolean,
  seller: boolean,
): Node {
  return {
    // BR-CO-26: a seller is identified by something, also where its VAT number may not be written.
    ...(seller && outside && !register && { 'ram:ID': xmlText(taxNumber ?? vatNumber ?? name) }),
    'ram:Name': xmlText(name),
    ...(register && { 'ram:SpecifiedLegalOrganization': { 'ram:ID': xmlText(register) } }),
    ...(contact && {
      'ram:DefinedTradeContact': {
        'ram:PersonName': xmlText(contact.name),
        'ram:TelephoneUniversalCommunication': { 'ram:CompleteNumber': xmlText(contact.phone) },
        'ram:EmailURIUniversalCommunication': { 'ram:URIID': xmlText(contact.email) },
      },
    }),
    'ram:PostalTradeAddress': {
      ...(address.postalCode && { 'ram:PostcodeCode': xmlText(address.postalCode) }),
      ...(address.line1 && { 'ram:LineOne': xmlText(address.line1) }),
      ...(address.line2 && { 'ram:LineTwo': xmlText(address.line2) }),
      ...(address.city && { 'ram:CityName': xmlText(address.city) }),
      'ram:CountryID': address.country ?? '',
      ...(address.region && { 'ram:CountrySubDivisionName': xmlText(address.region) }),
    },
    ...(email && {
      'ram:URIUniversalCommunication': {
        'ram:URIID': { '@schemeID': 'EM', '#text': xmlText(email) },
      },
    }),
    'ram:SpecifiedTaxRegistration': [
      ...(vatNumber && !outside ? [taxId('VA', vatNumber)] : []),
      // A buyer has none in EN 16931.
      ...(taxNumber && seller ? [taxId('FC', taxNumber)] : []),
    ],
  }
}

const taxId = (scheme: 'VA' | 'FC', value: string): Node => ({
  'ram:ID': { '@schemeID': scheme, '#text': xmlText(value) },
})

/** UNTDID 4461: online payment service, SEPA credit transfer, mutually defined. */
function meansOf({ payment, seller }: BillingDocument): '68' | '58' | 'ZZZ' {
  if (payment.means === 'online') return '68'
  return payment.means === 'transfer' && seller.bank ? '58' : 'ZZZ'
}

function settlement(document: BillingDocument): Node {
  const { currency, totals, payment, preceding } = document
  const amount = (minor: number) => decimal(minor, currency)
  const means = meansOf(document)
  return {
    'ram:InvoiceCurrencyCode': currency.toUpperCase(),
    'ram:SpecifiedTradeSettlementPaymentMeans': {
      'ram:TypeCode': means,
      'ram:Information': xmlText(documentTexts(document.language)(`means.${payment.means}`)),
      ...(means === '58' && {
        'ram:PayeePartyCreditorFinancialAccount': { 'ram:IBANID': document.seller.bank?.iban },
        ...(document.seller.bank?.bic && {
          'ram:PayeeSpecifiedCreditorFinancialInstitution': {
            'ram:BICID': document.seller.bank.bic,
          },
        }),
      }),
    },
    'ram:ApplicableTradeTax': document.taxes.map((tax) => ({
      'ram:CalculatedAmount': amount(tax.taxMinor),
      'ram:TypeCode': 'VAT',
      ...exemption(document, tax.category),
      'ram:BasisAmount': amount(tax.netMinor),
      'ram:CategoryCode': tax.category,
      ...(reasonCodes[tax.category] && { 'ram:ExemptionReasonCode': reasonCodes[tax.category] }),
      'ram:RateApplicablePercent': percent(tax.ratePercent),
    })),
    ...(document.period && { 'ram:BillingSpecifiedPeriod': period(document.period) }),
    // Nothing is due of a credit note.
    'ram:SpecifiedTradePaymentTerms': {
      'ram:Description': xmlText(paymentTermsOf(document)),
      ...(payment.dueDate &&
        !isCredit(document.kind) && { 'ram:DueDateDateTime': day(payment.dueDate) }),
    },
    'ram:SpecifiedTradeSettlementHeaderMonetarySummation': {
      'ram:LineTotalAmount': amount(totals.netMinor),
      'ram:TaxBasisTotalAmount': amount(totals.netMinor),
      'ram:TaxTotalAmount': {
        '@currencyID': currency.toUpperCase(),
        '#text': amount(totals.taxMinor),
      },
      'ram:GrandTotalAmount': amount(totals.grossMinor),
      ...(totals.paidMinor !== 0 && { 'ram:TotalPrepaidAmount': amount(totals.paidMinor) }),
      'ram:DuePayableAmount': amount(totals.dueMinor),
    },
    ...(preceding && {
      'ram:InvoiceReferencedDocument': {
        'ram:IssuerAssignedID': xmlText(preceding.number),
        ...(preceding.issueDate && {
          'ram:FormattedIssueDateTime': {
            'qdt:DateTimeString': { '@format': '102', '#text': compact(preceding.issueDate) },
          },
        }),
      },
    }),
  }
}

function exemption(document: BillingDocument, category: VatCategory): Node {
  const reason = exemptionOf(document, category)
  return reason === null ? {} : { 'ram:ExemptionReason': xmlText(reason) }
}

/** The codes of the VATEX list. An exemption has none: its reason is the seller's. */
const reasonCodes: Partial<Record<VatCategory, string>> = {
  AE: 'VATEX-EU-AE',
  O: 'VATEX-EU-O',
}

const compact = (date: string) => date.replaceAll('-', '')
const day = (date: string): Node => ({
  'udt:DateTimeString': { '@format': '102', '#text': compact(date) },
})
const period = ({ from, to }: DocumentPeriod): Node => ({
  'ram:StartDateTime': day(from),
  'ram:EndDateTime': day(to),
})

/** Without an exponent and without zeros that say nothing: 19, 8.875. */
const percent = (value: number) =>
  value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 4 })

/** With two decimals where the currency has three: the third is 0, see `unrepresentable`. */
function decimal(minor: number, currency: string): string {
  const text = decimalAmount(minor, currency)
  return minorUnitDigits(currency) === 3 ? text.slice(0, -1) : text
}

/** XML 1.0 has no way to write these characters; a lone surrogate is no character. */
function xmlText(value: string): string {
  return (
    value
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML can't hold.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .trim()
  )
}
