/**
 * The text of a CSV file in the encodings that spreadsheets write: UTF-8 and UTF-16 with a byte
 * order mark, UTF-8 without one, and Windows-1252 for what is no UTF-8. The mark itself is left
 * out.
 */
export function decodeCsv(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
