import {
  type BillingDocument,
  type DocumentLine,
  type DocumentParty,
  type DocumentTax,
  isCredit,
  isSelfBilled,
} from '@atrium/core/billing/documents/document'
import {
  documentTitle,
  exemptionOf,
  notesOf,
  paymentTermsOf,
} from '@atrium/core/billing/documents/document-wording'
import { crossIndustryInvoice, unrepresentable } from '@atrium/core/billing/documents/e-invoice'
import { formatAmount } from '@atrium/core/billing/money'
import { documentTexts } from '@atrium/messages/documents'
import { formatLocale } from '@atrium/messages/languages'
import { openPdf, type PdfFile, replacementCharacter } from './pdf-file.ts'

const ink = '#1a1a1a'
const faint = '#595959'
const rule = '#bfbfbf'
const small = 8
const normal = 9.5

interface Drawing extends PdfFile {
  document: BillingDocument
  texts: ReturnType<typeof documentTexts>
  left: number
  width: number
}

/**
 * The document as PDF/A-3 with its XML embedded as ZUGFeRD and Factur-X ask for it (profile EN
 * 16931). The same document always gives the same bytes. Where EN 16931 can't hold its amounts
 * (`unrepresentable`), the file has no XML.
 */
export async function documentPdf(document: BillingDocument): Promise<Buffer> {
  const { language, number } = document
  const texts = documentTexts(language)
  const xml = unrepresentable(document) ? null : crossIndustryInvoice(document, 'en16931')
  const file = await openPdf({
    // What the metadata can't hold as it is would have to be the same there and in the file's info.
    title: `${documentTitle(document)} ${number}`.replaceAll(/[^\p{L}\p{N} ._/-]/gu, ''),
    language,
    at: new Date(document.issueDate),
    xml,
  })
  const { left, right } = file.pdf.page.margins
  const drawing: Drawing = Object.assign(Object.create(file) as PdfFile, {
    document,
    texts,
    left,
    width: file.pdf.page.width - left - right,
  })
  file.pdf.fillColor(ink)
  drawParties(drawing)
  drawFields(drawing)
  drawLines(drawing)
  drawTotals(drawing)
  drawNotes(drawing, xml !== null)
  drawFooters(drawing)
  return file.finish()
}

const countryName = (language: string, code: string) =>
  new Intl.DisplayNames(language, { type: 'region', fallback: 'code' }).of(code) ?? code

const shortDay = (date: string, { language }: BillingDocument) =>
  new Date(date).toLocaleDateString(formatLocale(language), {
    day: '2-digit',
    month: '2-digit',
    year: 'numeric',
    timeZone: 'UTC',
  })

const amountIn = ({ currency, language }: BillingDocument, minor: number) =>
  formatAmount(BigInt(minor), currency, language)

const numberIn = ({ language }: BillingDocument, value: number) =>
  value.toLocaleString(formatLocale(language), { maximumFractionDigits: 4 })

const percentIn = ({ language }: BillingDocument, value: number) =>
  (value / 100).toLocaleString(formatLocale(language), {
    style: 'percent',
    maximumFractionDigits: 4,
  })

function addressLines({ name, address }: DocumentParty, language: string): string[] {
  const place = [address.postalCode, address.city].filter(Boolean).join(' ')
  return [
    name,
    address.line1,
    address.line2,
    place,
    address.region,
    address.country === null ? null : countryName(language, address.country),
  ].filter((line): line is string => line !== null && line !== '')
}

function identityLines({ texts }: Drawing, party: DocumentParty): string[] {
  const { vatNumber, taxNumber, register } = party
  return [
    ...(vatNumber === null ? [] : [texts('vatNumber', { number: vatNumber })]),
    ...(taxNumber === null ? [] : [texts('taxNumber', { number: taxNumber })]),
    ...(register === null ? [] : [texts('register', { register })]),
  ]
}

/** Both parties side by side; each column grows as its text needs. */
function drawParties(drawing: Drawing): void {
  const { pdf, document, texts, left, width } = drawing
  const half = width / 2 - 12
  const top = pdf.y
  const bottoms = (['seller', 'buyer'] as const).map((role, index) => {
    const x = left + index * (half + 24)
    pdf.font('regular').fontSize(small).fillColor(faint)
    pdf.text(drawing.printable(texts(`fields.${role}`)), x, top, { width: half })
    const [name = '', ...rest] = addressLines(document[role], document.language)
    pdf
      .font('bold')
      .fontSize(normal + 1)
      .fillColor(ink)
    pdf.text(drawing.printable(name), { width: half })
    pdf.font('regular').fontSize(normal)
    for (const line of rest) pdf.text(drawing.printable(line), { width: half })
    pdf.fontSize(small).fillColor(faint)
    for (const line of identityLines(drawing, document[role]))
      pdf.text(drawing.printable(line), { width: half })
    return pdf.y
  })
  pdf.fillColor(ink)
  pdf.y = Math.max(...bottoms) + 26
}

function drawFields(drawing: Drawing): void {
  const { pdf, document, texts, left, width } = drawing
  const { period, preceding, payment } = document
  pdf.font('bold').fontSize(18)
  pdf.text(drawing.printable(documentTitle(document)), left, pdf.y, { width })
  pdf.moveDown(0.4)
  const fields: [string, string | null][] = [
    [texts('fields.number'), document.number],
    [texts('fields.issueDate'), shortDay(document.issueDate, document)],
    [
      texts('fields.period'),
      period &&
        texts('period', {
          from: shortDay(period.from, document),
          to: shortDay(period.to, document),
        }),
    ],
    [texts('fields.preceding'), preceding && precedingText(drawing, preceding)],
    [texts('fields.reference'), document.buyerReference],
    [texts('fields.dueDate'), payment.dueDate && shortDay(payment.dueDate, document)],
  ]
  for (const [name, value] of fields) {
    if (value === null) continue
    const y = pdf.y
    pdf.font('regular').fontSize(normal).fillColor(faint)
    pdf.text(drawing.printable(name), left, y, { width: 130 })
    pdf.fillColor(ink)
    pdf.text(drawing.printable(value), left + 140, y, { width: width - 140 })
  }
  pdf.y += 18
}

function precedingText(
  { texts, document }: Drawing,
  { number, issueDate }: NonNullable<BillingDocument['preceding']>,
): string {
  return issueDate === null
    ? number
    : texts('precedingWithDate', { number, date: shortDay(issueDate, document) })
}

type Align = 'left' | 'right'

/** Widths as parts of the page's width. */
const columns = [
  { key: 'position', part: 0.06, align: 'left' },
  { key: 'description', part: 0.42, align: 'left' },
  { key: 'quantity', part: 0.1, align: 'right' },
  { key: 'unitPrice', part: 0.17, align: 'right' },
  { key: 'tax', part: 0.09, align: 'right' },
  { key: 'net', part: 0.16, align: 'right' },
] as const satisfies readonly { key: string; part: number; align: Align }[]

function drawRow(drawing: Drawing, cells: readonly string[]): void {
  const { pdf, left, width } = drawing
  const boxes = columns.map(({ part, align }, index) => ({
    text: (cells[index] ?? '').split('\n').map(drawing.printable).join('\n'),
    width: part * width - 6,
    align,
  }))
  const height = Math.max(...boxes.map((box) => pdf.heightOfString(box.text, box)))
  if (ensureSpace(drawing, height + 10)) drawHeadings(drawing)
  const top = pdf.y + 4
  let x = left
  boxes.forEach((box, index) => {
    pdf.text(box.text, x + (box.align === 'right' ? 6 : 0), top, box)
    x += (columns[index]?.part ?? 0) * width
  })
  pdf.y = top + height + 4
  pdf
    .moveTo(left, pdf.y)
    .lineTo(left + width, pdf.y)
    .lineWidth(0.5)
    .stroke(rule)
}

/** True when it began another page. A box that is higher than a page begins on its own. */
function ensureSpace({ pdf }: Drawing, height: number): boolean {
  if (pdf.y + height <= pdf.page.height - pdf.page.margins.bottom) return false
  pdf.addPage()
  return true
}

function drawHeadings(drawing: Drawing): void {
  const { pdf, texts } = drawing
  pdf.font('bold').fontSize(small).fillColor(faint)
  drawRow(
    drawing,
    columns.map(({ key }) => texts(`columns.${key}`)),
  )
  pdf.font('regular').fontSize(normal).fillColor(ink)
}

function drawLines(drawing: Drawing): void {
  const { pdf, document } = drawing
  drawHeadings(drawing)
  document.lines.forEach((line, index) => {
    drawRow(drawing, cellsOf(drawing, line, index))
  })
  pdf.y += 8
}

function cellsOf(
  { document, texts }: Drawing,
  line: DocumentLine,
  index: number,
): readonly string[] {
  const { description, netMinor, discountMinor, category, ratePercent, period } = line
  const gross = netMinor + discountMinor
  const quantity = Math.abs(line.quantity)
  const each = Math.abs(gross) % quantity === 0 ? Math.abs(gross) / quantity : null
  const more = [
    period &&
      !(period.from === document.period?.from && period.to === document.period.to) &&
      texts('period', { from: shortDay(period.from, document), to: shortDay(period.to, document) }),
    discountMinor > 0
      ? texts('discountIncluded', { amount: amountIn(document, discountMinor) })
      : null,
  ].filter((text) => typeof text === 'string')
  return [
    String(index + 1),
    [description.replaceAll(/\s+/g, ' '), ...more].join('\n'),
    numberIn(document, gross < 0 ? -quantity : quantity),
    each === null ? '' : amountIn(document, each),
    category === 'S' || category === 'Z' ? percentIn(document, ratePercent) : texts('noTax'),
    amountIn(document, netMinor),
  ]
}

function drawTotals(drawing: Drawing): void {
  const { pdf, document, texts } = drawing
  const { totals, kind, taxes } = document
  const rows: [string, number, 'regular' | 'bold'][] = [
    [texts('net'), totals.netMinor, 'regular'],
    ...taxes.map((tax): [string, number, 'regular'] => [
      taxLabel(drawing, tax),
      tax.taxMinor,
      'regular',
    ]),
    [isCredit(kind) ? texts('credited') : texts('gross'), totals.grossMinor, 'bold'],
  ]
  if (totals.paidMinor !== 0)
    rows.push(
      isCredit(kind)
        ? [texts('toCredit'), totals.paidMinor, 'regular']
        : [texts('fromCredit'), -totals.paidMinor, 'regular'],
    )
  if (!isCredit(kind)) rows.push([texts('due'), totals.dueMinor, 'bold'])
  ensureSpace(drawing, rows.length * 18)
  for (const [label, minor, font] of rows)
    drawTotal(drawing, label, amountIn(document, minor), font)
  pdf.y += 14
}

function taxLabel({ document, texts }: Drawing, tax: DocumentTax): string {
  const amount = amountIn(document, tax.netMinor)
  return tax.category === 'S' || tax.category === 'Z'
    ? texts('taxAtRate', { rate: percentIn(document, tax.ratePercent), amount })
    : texts('taxNone', { amount })
}

function drawTotal(drawing: Drawing, label: string, amount: string, font: 'regular' | 'bold') {
  const { pdf, left, width } = drawing
  const labels = { width: width * 0.5, align: 'right' } as const
  pdf.font(font).fontSize(normal)
  const text = drawing.printable(label)
  const height = pdf.heightOfString(text, labels)
  ensureSpace(drawing, height + 4)
  const y = pdf.y
  pdf.text(text, left + width * 0.24, y, labels)
  pdf.text(drawing.printable(amount), left + width * 0.76, y, {
    width: width * 0.24,
    align: 'right',
  })
  pdf.y = y + height + 4
}

function drawNotes(drawing: Drawing, embedded: boolean): void {
  const { pdf, document, texts, left, width } = drawing
  const reasons = document.taxes
    .map(({ category }) => exemptionOf(document, category))
    .filter((reason) => reason !== null)
  const said = [...new Set(reasons), ...notesOf(document), paymentTermsOf(document)]
  const paragraphs = said.map((text) => drawing.printable(text))
  if (embedded) paragraphs.push(drawing.printable(texts('eInvoice')))
  if (drawing.replaced)
    paragraphs.push(drawing.printable(texts('unreadable', { character: replacementCharacter })))
  pdf.font('regular').fontSize(normal)
  for (const text of paragraphs) {
    ensureSpace(drawing, pdf.heightOfString(text, { width }) + 6)
    pdf.text(text, left, pdf.y, { width })
    pdf.moveDown(0.4)
  }
}

/** On every page: who issued it, and which page of how many it is. */
function drawFooters(drawing: Drawing): void {
  const { pdf, document, texts, left, width } = drawing
  const { seller, buyer, kind } = document
  const issuer = isSelfBilled(kind) ? buyer : seller
  const said = [
    addressLines(issuer, document.language).join(', '),
    [
      ...(issuer.contact ? [texts('contact', issuer.contact)] : []),
      ...(issuer.bank ? [bankText(drawing, issuer.bank)] : []),
    ].join(' · '),
  ].filter((line) => line !== '')
  const { start, count } = pdf.bufferedPageRange()
  for (let index = start; index < start + count; index++) {
    pdf.switchToPage(index)
    // What is written below the margin would open another page.
    pdf.page.margins.bottom = 0
    pdf.font('regular').fontSize(7).fillColor(faint)
    pdf.text(
      drawing.printable(said.join('\n').replaceAll('\n', ' · ')),
      left,
      pdf.page.height - 62,
      {
        width: width - 90,
        height: 40,
        ellipsis: true,
      },
    )
    const page = texts('page', { page: index + 1, pages: count })
    pdf.text(drawing.printable(page), left + width - 80, pdf.page.height - 62, {
      width: 80,
      align: 'right',
    })
  }
}

function bankText({ texts }: Drawing, { iban, bic }: NonNullable<DocumentParty['bank']>): string {
  const grouped = iban.replaceAll(/(.{4})(?=.)/g, '$1 ')
  return bic === null
    ? texts('bank', { iban: grouped })
    : texts('bankWithBic', { iban: grouped, bic })
}
