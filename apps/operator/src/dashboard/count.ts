/** The number of items as far as one page shows it: exact, or `25+` when more pages follow. */
export function countOfPage(page: {
  items: readonly unknown[]
  nextCursor: string | null
}): string {
  return page.nextCursor === null ? String(page.items.length) : `${page.items.length}+`
}
