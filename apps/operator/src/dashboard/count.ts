/**
 * How many there are, as far as one page tells: the exact number, or `25+` when more pages follow.
 */
export function countOfPage(page: {
  items: readonly unknown[]
  nextCursor: string | null
}): string {
  return page.nextCursor === null ? String(page.items.length) : `${page.items.length}+`
}
