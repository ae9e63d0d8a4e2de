/**
 * The reader's position in a list that is paged by cursors. The API only returns the cursor of the
 * next page, so the way back is the list of cursors already passed. It is one word in the address
 * (`a*b*c`), so that a link opens the same page.
 */
// The one mark that no cursor holds and that a query carries unescaped.
const separator = '*'

// Long enough for paging by hand, short enough for every server's limit on the length of an
// address.
const longest = 30

/** Cursors passed so far, oldest first; empty on the first page. */
export function readCursorHistory(cursors: string | undefined): string[] {
  return cursors ? cursors.split(separator).filter((cursor) => cursor !== '') : []
}

/** The cursor of the page being shown; undefined on the first. */
export function currentCursor(cursors: string | undefined): string | undefined {
  return readCursorHistory(cursors).at(-1)
}

/**
 * The cursors after "Next". Beyond 30 pages the oldest step is forgotten, and "Previous" then ends
 * on the first page.
 */
export function stepForward(cursors: string | undefined, nextCursor: string): string {
  return [...readCursorHistory(cursors), nextCursor].slice(-longest).join(separator)
}

/** The cursors after "Previous"; undefined means the first page. */
export function stepBack(cursors: string | undefined): string | undefined {
  const rest = readCursorHistory(cursors).slice(0, -1)
  return rest.length > 0 ? rest.join(separator) : undefined
}
