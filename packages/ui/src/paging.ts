/**
 * Where a reader stands in a list that is paged by cursors. The API hands out only the cursor of
 * the next page, so the way back is the list of cursors already passed. It travels in the address
 * as one word (`a*b*c`), so that a link opens the same page.
 */
// The one mark that no cursor holds and that a query carries unescaped.
const separator = '*'

// Long enough for anybody who pages by hand, short enough for every server's limit on the length of
// an address.
const longest = 30

/** Cursors passed so far, oldest first; empty on the first page. */
export function readCursorHistory(trail: string | undefined): string[] {
  return trail ? trail.split(separator).filter((cursor) => cursor !== '') : []
}

/** The cursor of the page being shown; undefined on the first. */
export function currentCursor(trail: string | undefined): string | undefined {
  return readCursorHistory(trail).at(-1)
}

/**
 * The trail after "Next". Beyond 30 pages the oldest step is forgotten, and "Previous" then ends on
 * the first page.
 */
export function stepForward(trail: string | undefined, nextCursor: string): string {
  return [...readCursorHistory(trail), nextCursor].slice(-longest).join(separator)
}

/** The trail after "Previous"; undefined means the first page. */
export function stepBack(trail: string | undefined): string | undefined {
  const rest = readCursorHistory(trail).slice(0, -1)
  return rest.length > 0 ? rest.join(separator) : undefined
}
