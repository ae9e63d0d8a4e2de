/**
 * One page of plain lines as a PDF 1.4 document; characters outside of Latin-1 become question
 * marks.
 */
export function pdfOf(lines: readonly string[]): Uint8Array<ArrayBuffer> {
  const shown = lines.map((line) => `(${escaped(line)}) Tj T*`).join('\n')
  const content = `BT /F1 12 Tf 16 TL 56 780 Td\n${shown}\nET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ]
  let text = '%PDF-1.4\n'
  const places = objects.map((object, index) => {
    const place = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return String(place).padStart(10, '0')
  })
  const table = text.length
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.map((place) => `${place} 00000 n \n`).join('')}`
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`
  return Uint8Array.from(Buffer.from(text, 'latin1'))
}

function escaped(line: string): string {
  const latin = [...line.replace('€', 'EUR ')]
    .map((character) => ((character.codePointAt(0) ?? 0) < 256 ? character : '?'))
    .join('')
  return latin.replace(/[\\()]/g, '\\$&')
}
