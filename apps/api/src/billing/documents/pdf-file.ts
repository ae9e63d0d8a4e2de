import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** Drawn in place of characters that the font does not have: PDF/A forbids missing glyphs. */
export const replacementCharacter = '\ufffd'

export interface PdfFile {
  pdf: PDFKit.PDFDocument
  /** The text with `replacementCharacter` in place of what the font can't show. */
  printable(text: string): string
  /** Some text had such characters. */
  readonly replaced: boolean
  finish(): Promise<Buffer>
}

interface FileProperties {
  /** Written into the metadata: letters, digits and spaces. */
  title: string
  language: string
  at: Date
  /** The invoice data, embedded as `factur-x.xml`. */
  xml: string | null
}

/** Loaded when the first document is rendered: most processes never render one. */
async function loadRenderer() {
  const read = (name: string) =>
    readFile(fileURLToPath(import.meta.resolve(`@expo-google-fonts/noto-sans/${name}.ttf`)))
  const [{ default: Pdf }, { create }, regular, bold] = await Promise.all([
    import('pdfkit'),
    import('fontkit'),
    read('400Regular/NotoSans_400Regular'),
    read('700Bold/NotoSans_700Bold'),
  ])
  const font = create(regular)
  if (!('characterSet' in font)) throw new Error('the font file holds several fonts')
  return { Pdf, regular, bold, characters: new Set(font.characterSet) }
}

let renderer: ReturnType<typeof loadRenderer> | undefined

/**
 * An empty A4 file by PDF/A-3, with the fonts `regular` and `bold` and, with `xml`, what ZUGFeRD
 * and Factur-X ask for: the attachment and its description in the metadata. The same input gives
 * the same bytes.
 */
export async function openPdf({ title, language, at, xml }: FileProperties): Promise<PdfFile> {
  renderer ??= loadRenderer()
  const { Pdf, regular, bold, characters } = await renderer
  const pdf = new Pdf({
    pdfVersion: '1.7',
    subset: 'PDF/A-3b',
    size: 'A4',
    margins: { top: 50, bottom: 80, left: 56, right: 56 },
    bufferPages: true,
    lang: language,
    displayTitle: true,
    // In place of a standard font, which is not embedded and so not allowed.
    font: regular as unknown as string,
    info: { Title: title, Producer: 'Atrium', Creator: 'Atrium', CreationDate: at, ModDate: at },
  })
  pdf.registerFont('regular', regular)
  pdf.registerFont('bold', bold)
  if (xml !== null) embed(pdf, xml, at)
  const chunks: Buffer[] = []
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk))
  const done = new Promise<Buffer>((resolve, reject) => {
    pdf.on('end', () => resolve(Buffer.concat(chunks)))
    pdf.on('error', reject)
  })
  let replaced = false
  return {
    pdf,
    get replaced() {
      return replaced
    },
    printable(text) {
      const shown = Array.from(text.normalize('NFC').replaceAll(/\s/g, ' '), (character) =>
        characters.has(character.codePointAt(0) ?? 0) ? character : replacementCharacter,
      )
      replaced ||= shown.includes(replacementCharacter)
      return shown.join('')
    },
    finish() {
      pdf.end()
      return done
    },
  }
}

/** `@types/pdfkit` does not know this option yet. */
type Attachment = PDFKit.Mixins.PDFAttachmentOptions & { relationship: 'Alternative' }

function embed(pdf: PDFKit.PDFDocument, xml: string, at: Date): void {
  const attachment: Attachment = {
    name: 'factur-x.xml',
    type: 'text/xml',
    description: 'EN 16931',
    creationDate: at,
    modifiedDate: at,
    relationship: 'Alternative',
  }
  pdf.file(Buffer.from(xml), attachment)
  pdf.appendXML(facturX)
}

const properties = {
  DocumentFileName: 'The name of the embedded XML document',
  DocumentType: 'The type of the hybrid document in capital letters',
  Version: 'The version of the standard that the embedded XML data follows',
  ConformanceLevel: 'The conformance level of the embedded XML data',
}

/** Factur-X 1.0, section 6.2: the schema of these properties and their values. */
const facturX = `
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
  xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#"
  xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
  <pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
    <pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
    <pdfaSchema:namespaceURI>urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#</pdfaSchema:namespaceURI>
    <pdfaSchema:prefix>fx</pdfaSchema:prefix>
    <pdfaSchema:property><rdf:Seq>${Object.entries(properties)
      .map(
        ([name, description]) => `<rdf:li rdf:parseType="Resource">
      <pdfaProperty:name>${name}</pdfaProperty:name>
      <pdfaProperty:valueType>Text</pdfaProperty:valueType>
      <pdfaProperty:category>external</pdfaProperty:category>
      <pdfaProperty:description>${description}</pdfaProperty:description>
    </rdf:li>`,
      )
      .join('')}</rdf:Seq></pdfaSchema:property>
  </rdf:li></rdf:Bag></pdfaExtension:schemas>
</rdf:Description>
<rdf:Description rdf:about=""
  xmlns:fx="urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#">
  <fx:DocumentType>INVOICE</fx:DocumentType>
  <fx:DocumentFileName>factur-x.xml</fx:DocumentFileName>
  <fx:Version>1.0</fx:Version>
  <fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>
</rdf:Description>`
