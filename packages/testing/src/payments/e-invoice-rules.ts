import { XMLParser } from 'fast-xml-parser'

/**
 * The business rules of EN 16931-1 and XRechnung 3.0 that concern what this product writes, applied
 * to the XML, by their published names. It shares no code with the writer. `tests/e-invoices`
 * applies the official rules, which are not part of this repository.
 */
type Element = { [name: string]: unknown }

const repeated = new Set([
  'IncludedSupplyChainTradeLineItem',
  'ApplicableTradeTax',
  'SpecifiedTradeAllowanceCharge',
  'SpecifiedTaxRegistration',
  'IncludedNote',
])
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  isArray: (name) => repeated.has(name),
})

/** The rules that the document breaks. */
export function brokenRules(xml: string): string[] {
  const invoice = at(parser.parse(xml), 'CrossIndustryInvoice')
  const facts = read(invoice)
  const german = facts.specification.includes('xrechnung')
  return [
    ...Object.entries(rules(facts)),
    ...Object.entries(categoryRules(facts)),
    ...facts.lines.flatMap((line) => Object.entries(lineRules(line))),
    ...(german ? Object.entries(xrechnungRules(facts)) : []),
  ]
    .filter(([, holds]) => !holds)
    .map(([id]) => id)
}

function at(value: unknown, ...path: string[]): Element {
  const found = path.reduce<unknown>(
    (element, name) => (isElement(element) ? element[name] : undefined),
    value,
  )
  return isElement(found) ? found : {}
}

const isElement = (value: unknown): value is Element =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function list(value: Element, name: string): Element[] {
  const found = value[name]
  return Array.isArray(found) ? found : []
}

/** The text of an element, without and with attributes; empty where there is none. */
function text(value: Element, ...path: string[]): string {
  const last = path.at(-1) ?? ''
  const found = at(value, ...path.slice(0, -1))[last]
  if (typeof found === 'string') return found.trim()
  const inner = isElement(found) ? found['#text'] : undefined
  return typeof inner === 'string' ? inner.trim() : ''
}

/** An amount in hundredths; NaN for what is no decimal with at most two digits. */
function cents(value: Element, ...path: string[]): number {
  const written = text(value, ...path)
  if (!/^-?\d+(\.\d{1,2})?$/.test(written)) return Number.NaN
  const [whole = '', fraction = ''] = written.replace('-', '').split('.')
  const size = Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
  return written.startsWith('-') ? -size : size
}

const total = (amounts: number[]) => amounts.reduce((sum, amount) => sum + amount, 0)

type Facts = ReturnType<typeof read>

function read(invoice: Element) {
  const trade = at(invoice, 'SupplyChainTradeTransaction')
  const agreement = at(trade, 'ApplicableHeaderTradeAgreement')
  const settlement = at(trade, 'ApplicableHeaderTradeSettlement')
  return {
    document: at(invoice, 'ExchangedDocument'),
    specification: text(
      invoice,
      'ExchangedDocumentContext',
      'GuidelineSpecifiedDocumentContextParameter',
      'ID',
    ),
    agreement,
    settlement,
    seller: at(agreement, 'SellerTradeParty'),
    buyer: at(agreement, 'BuyerTradeParty'),
    sums: at(settlement, 'SpecifiedTradeSettlementHeaderMonetarySummation'),
    taxes: list(settlement, 'ApplicableTradeTax'),
    lines: list(trade, 'IncludedSupplyChainTradeLineItem'),
    means: at(settlement, 'SpecifiedTradeSettlementPaymentMeans'),
    terms: at(settlement, 'SpecifiedTradePaymentTerms'),
  }
}

const taxIds = (party: Element, scheme: string) =>
  list(party, 'SpecifiedTaxRegistration').filter(
    (entry) => at(entry, 'ID')['@schemeID'] === scheme && text(entry, 'ID') !== '',
  )

/** Codes of UNTDID 1001 that BR-CL-01 allows, as far as they are used here. */
const typeCodes = ['380', '381', '389', '261']

function rules({
  document,
  specification,
  settlement,
  seller,
  buyer,
  sums,
  taxes,
  ...rest
}: Facts) {
  const { lines, means, terms } = rest
  const due = cents(sums, 'DuePayableAmount')
  const net = cents(sums, 'TaxBasisTotalAmount')
  const gross = cents(sums, 'GrandTotalAmount')
  const tax = cents(sums, 'TaxTotalAmount')
  const prepaid = text(sums, 'TotalPrepaidAmount') ? cents(sums, 'TotalPrepaidAmount') : 0
  const registered = text(seller, 'SpecifiedLegalOrganization', 'ID') || text(seller, 'ID')
  const period = at(settlement, 'BillingSpecifiedPeriod')
  const start = text(period, 'StartDateTime', 'DateTimeString')
  const end = text(period, 'EndDateTime', 'DateTimeString')
  return {
    'BR-01': specification !== '',
    'BR-02': text(document, 'ID') !== '',
    'BR-03': /^\d{8}$/.test(text(document, 'IssueDateTime', 'DateTimeString')),
    'BR-04': text(document, 'TypeCode') !== '',
    'BR-CL-01': typeCodes.includes(text(document, 'TypeCode')),
    'BR-05': /^[A-Z]{3}$/.test(text(settlement, 'InvoiceCurrencyCode')),
    'BR-06': text(seller, 'Name') !== '',
    'BR-07': text(buyer, 'Name') !== '',
    'BR-09': /^[A-Z]{2}$/.test(text(seller, 'PostalTradeAddress', 'CountryID')),
    'BR-11': /^[A-Z]{2}$/.test(text(buyer, 'PostalTradeAddress', 'CountryID')),
    'BR-12': !Number.isNaN(cents(sums, 'LineTotalAmount')),
    'BR-13': !Number.isNaN(net),
    'BR-14': !Number.isNaN(gross),
    'BR-15': !Number.isNaN(due),
    'BR-16': lines.length > 0,
    'BR-29': start === '' || end === '' || start <= end,
    'BR-49': text(means, 'TypeCode') !== '',
    'BR-55':
      Object.keys(at(settlement, 'InvoiceReferencedDocument')).length === 0 ||
      text(settlement, 'InvoiceReferencedDocument', 'IssuerAssignedID') !== '',
    'BR-61':
      !['30', '58'].includes(text(means, 'TypeCode')) ||
      text(means, 'PayeePartyCreditorFinancialAccount', 'IBANID') !== '',
    'BR-62': schemed(seller),
    'BR-63': schemed(buyer),
    'BR-CO-09': [...taxIds(seller, 'VA'), ...taxIds(buyer, 'VA')].every((entry) =>
      /^[A-Z]{2}/.test(text(entry, 'ID')),
    ),
    'BR-CO-10':
      cents(sums, 'LineTotalAmount') === total(lines.map((line) => cents(line, ...lineAmount))),
    'BR-CO-13': net === cents(sums, 'LineTotalAmount'),
    'BR-CO-14': tax === total(taxes.map((entry) => cents(entry, 'CalculatedAmount'))),
    'BR-CO-15': gross === net + tax,
    'BR-CO-16': due === gross - prepaid,
    'BR-CO-18': taxes.length > 0,
    'BR-CO-25':
      due <= 0 ||
      text(terms, 'Description') !== '' ||
      text(terms, 'DueDateDateTime', 'DateTimeString') !== '',
    'BR-CO-26': registered !== '' || taxIds(seller, 'VA').length > 0,
    'BR-53': text(sums, 'TaxTotalAmount') !== '',
  }
}

const lineAmount = [
  'SpecifiedLineTradeSettlement',
  'SpecifiedTradeSettlementLineMonetarySummation',
  'LineTotalAmount',
]

function schemed(party: Element): boolean {
  const endpoint = at(party, 'URIUniversalCommunication', 'URIID')
  return Object.keys(endpoint).length === 0 || endpoint['@schemeID'] === 'EM'
}

function lineRules(line: Element) {
  const price = at(line, 'SpecifiedLineTradeAgreement', 'NetPriceProductTradePrice')
  const charged = Number(text(price, 'ChargeAmount'))
  const settlement = at(line, 'SpecifiedLineTradeSettlement')
  const tax = list(settlement, 'ApplicableTradeTax')
  const quantity = Number(text(line, 'SpecifiedLineTradeDelivery', 'BilledQuantity'))
  const allowances = list(settlement, 'SpecifiedTradeAllowanceCharge')
  const per = text(price, 'BasisQuantity') === '' ? 1 : Number(text(price, 'BasisQuantity'))
  const taken = total(allowances.map((allowance) => cents(allowance, 'ActualAmount')))
  return {
    'BR-21': text(line, 'AssociatedDocumentLineDocument', 'LineID') !== '',
    'BR-22': Number.isFinite(quantity) && quantity !== 0,
    'BR-23': text(at(line, 'SpecifiedLineTradeDelivery', 'BilledQuantity'), '@unitCode') !== '',
    'BR-24': !Number.isNaN(cents(line, ...lineAmount)),
    'BR-25': text(line, 'SpecifiedTradeProduct', 'Name') !== '',
    'BR-26': text(price, 'ChargeAmount') !== '',
    'BR-27': charged >= 0,
    'BR-41': !Number.isNaN(taken),
    'BR-42': allowances.every((allowance) => text(allowance, 'Reason') !== ''),
    'BR-CO-04': tax.length === 1 && text(tax[0] ?? {}, 'CategoryCode') !== '',
    'PEPPOL-EN16931-R120':
      Math.round((quantity * charged * 100) / per) - taken === cents(line, ...lineAmount),
  }
}

const exemptionNeeded = ['E', 'AE', 'O']

/** BR-S, BR-Z, BR-E, BR-AE and BR-O, and what all categories have in common. */
function categoryRules({ taxes, lines, seller, buyer }: Facts) {
  const used = new Set(
    lines.flatMap((line) =>
      list(at(line, 'SpecifiedLineTradeSettlement'), 'ApplicableTradeTax').map(rateKey),
    ),
  )
  const outcome: Record<string, boolean> = {
    'BR-CO-18-set': used.size === taxes.length && taxes.every((entry) => used.has(rateKey(entry))),
    'BR-O-11': taxes.length === 1 || taxes.every((entry) => text(entry, 'CategoryCode') !== 'O'),
  }
  for (const entry of taxes) {
    const category = text(entry, 'CategoryCode')
    const rate = Number(text(entry, 'RateApplicablePercent'))
    const net = cents(entry, 'BasisAmount')
    const tax = cents(entry, 'CalculatedAmount')
    const netOfLines = lines.filter((line) =>
      list(at(line, 'SpecifiedLineTradeSettlement'), 'ApplicableTradeTax').some(
        (of) => rateKey(of) === rateKey(entry),
      ),
    )
    const id = `BR-${category}`
    outcome[`${id}-08`] = net === total(netOfLines.map((line) => cents(line, ...lineAmount)))
    outcome[`${id}-09`] =
      category === 'S' ? Math.abs(tax - (net * rate) / 100) < 100 : tax === 0 && rate === 0
    outcome[`${id}-10`] = exemptionNeeded.includes(category)
      ? text(entry, 'ExemptionReason') !== ''
      : text(entry, 'ExemptionReason') === ''
    outcome[`${id}-02`] = identified(category, seller, buyer)
    if (category === 'S') outcome['BR-S-05'] = rate > 0
  }
  return outcome
}

const rateKey = (entry: Element) =>
  `${text(entry, 'CategoryCode')} ${text(entry, 'RateApplicablePercent') || '0'}`

function identified(category: string, seller: Element, buyer: Element): boolean {
  const vat = taxIds(seller, 'VA').length
  if (category === 'O') return vat + taxIds(buyer, 'VA').length === 0
  const supplier = vat + taxIds(seller, 'FC').length > 0
  if (category !== 'AE') return supplier
  const legal = text(buyer, 'SpecifiedLegalOrganization', 'ID')
  return supplier && (taxIds(buyer, 'VA').length > 0 || legal !== '')
}

function xrechnungRules({ document, agreement, seller, buyer, means, taxes }: Facts) {
  const contact = at(seller, 'DefinedTradeContact')
  const phone = text(contact, 'TelephoneUniversalCommunication', 'CompleteNumber')
  const mail = text(contact, 'EmailURIUniversalCommunication', 'URIID')
  const outside = taxes.some((entry) => text(entry, 'CategoryCode') === 'O')
  return {
    'BR-DE-1': text(means, 'TypeCode') !== '',
    'BR-DE-2': Object.keys(contact).length > 0,
    'BR-DE-3': text(seller, 'PostalTradeAddress', 'CityName') !== '',
    'BR-DE-4': text(seller, 'PostalTradeAddress', 'PostcodeCode') !== '',
    'BR-DE-5': text(contact, 'PersonName') !== '',
    'BR-DE-6': phone !== '',
    'BR-DE-7': mail !== '',
    'BR-DE-8': text(buyer, 'PostalTradeAddress', 'CityName') !== '',
    'BR-DE-9': text(buyer, 'PostalTradeAddress', 'PostcodeCode') !== '',
    'BR-DE-14': taxes.every((entry) => text(entry, 'RateApplicablePercent') !== ''),
    'BR-DE-15': text(agreement, 'BuyerReference') !== '',
    'BR-DE-16': outside || taxIds(seller, 'VA').length + taxIds(seller, 'FC').length > 0,
    'BR-DE-17': ['380', '381', '389'].includes(text(document, 'TypeCode')),
    'BR-DE-27': phone.replaceAll(/\D/g, '').length >= 3,
    'BR-DE-28': /^[^@\s]+@([^@.\s]+\.)+[^@.\s]+$/.test(mail),
    'PEPPOL-EN16931-R010': text(buyer, 'URIUniversalCommunication', 'URIID') !== '',
    'PEPPOL-EN16931-R020': text(seller, 'URIUniversalCommunication', 'URIID') !== '',
  }
}
