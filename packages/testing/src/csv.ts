/** Rows and cells of a CSV text (RFC 4180), read as strictly as a spreadsheet would. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  let cell = ''
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (quoted && character === '"' && text[i + 1] === '"') {
      cell += '"'
      i += 1
    } else if (character === '"') quoted = !quoted
    else if (!quoted && character === ',') {
      rows.at(-1)?.push(cell)
      cell = ''
    } else if (!quoted && character === '\r' && text[i + 1] === '\n') {
      rows.at(-1)?.push(cell)
      cell = ''
      rows.push([])
      i += 1
    } else cell += character
  }
  return rows.slice(0, -1)
}
