import { inflateSync } from 'node:zlib'
import { crossIndustryInvoice } from '@atrium/core/billing/documents/e-invoice'
import { sampleDocument, sampleDocuments } from '@atrium/testing/payments/billing-documents'
import { expect, it } from 'vitest'
import { documentPdf } from '../src/billing/documents/pdf.ts'

/** Every compressed part of the file, as text. */
function partsOf(pdf: Buffer): string[] {
  const parts: string[] = []
  for (let from = pdf.indexOf('stream\n'); from !== -1; from = pdf.indexOf('stream\n', from + 7)) {
    if (pdf.subarray(from - 3, from).toString() === 'end') continue
    const end = pdf.indexOf('\nendstream', from)
    const part = pdf.subarray(from + 7, end)
    parts.push(part[0] === 0x78 ? inflateSync(part).toString() : part.toString())
  }
  return parts
}

it('gives the same bytes for the same document', async () => {
  const document = sampleDocument('invoice')
  expect((await documentPdf(document)).equals(await documentPdf(document))).toBe(true)
})

it('is PDF/A-3 with the XML of EN 16931 embedded as factur-x.xml', async () => {
  const document = sampleDocument('invoice')
  const pdf = await documentPdf(document)
  const parts = partsOf(pdf)
  expect(parts).toContain(crossIndustryInvoice(document, 'en16931'))
  const metadata = parts.find((part) => part.includes('x:xmpmeta'))
  expect(metadata).toContain('<pdfaid:part>3</pdfaid:part>')
  expect(metadata).toContain('<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>')
  expect(pdf.toString('latin1')).toContain('/AFRelationship /Alternative')
})

it('holds no XML when EN 16931 can not express the amounts', async () => {
  const [line] = sampleDocument('invoice').lines
  if (!line) throw new Error('the sample has no line')
  const lines = [{ ...line, netMinor: 20_011, taxMinor: 2_001, ratePercent: 10 }]
  const pdf = await documentPdf(sampleDocument('invoice', { currency: 'kwd', lines }))
  expect(pdf.toString('latin1')).not.toContain('factur-x.xml')
})

it('renders every tax treatment and currency, also with names that its font can not show', async () => {
  for (const [name, document] of sampleDocuments()) {
    if (document.kind !== 'invoice' || document.language !== 'de') continue
    const pdf = await documentPdf(document)
    expect(pdf.subarray(0, 8).toString(), name).toBe('%PDF-1.7')
  }
})
