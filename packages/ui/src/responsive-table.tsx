import type { ReactNode } from 'react'
import classes from './responsive-table.module.css'

export interface Column<Row> {
  key: string
  header: string
  cell: (row: Row) => ReactNode
  align?: 'start' | 'end'
  /**
   * The cell that names the row. It heads the card on a phone and is the row's header for screen
   * readers.
   */
  primary?: boolean
  /** Left out of the cards on a phone. */
  wideOnly?: boolean
  /** Holds addresses: longer ones may break anywhere. The primary cell may by itself. */
  breaks?: boolean
  /** Keeps the header for screen readers only: columns of buttons. */
  hideHeader?: boolean
}

interface Props<Row> {
  /** Names the table: "Members". */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  /** Rows being replaced by newer ones are dimmed. */
  stale?: boolean
}

/**
 * A table that becomes a stack of cards under 48em; a wider one than its place scrolls by itself,
 * and never the page. There is one set of elements for both, so the roles are spelled out: a table
 * whose `display` is changed loses them in browsers. A link marked `data-row-link` in the primary
 * cell makes the whole row its target.
 */
export function ResponsiveTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  stale = false,
}: Props<Row>) {
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: the redundancy is the point, see above
    <div className={classes.scroller}>
      <table
        role="table"
        className={classes.table}
        data-stale={stale || undefined}
        aria-busy={stale}
      >
        <caption className={classes.hidden}>{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.key} role="columnheader" scope="col" data-align={column.align}>
                {column.hideHeader ? (
                  <span className={classes.hidden}>{column.header}</span>
                ) : (
                  column.header
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={rowKey(row)} role="row">
              {columns.map((column) => {
                const marks = {
                  'data-align': column.align,
                  'data-wide-only': column.wideOnly || undefined,
                  'data-breaks': column.breaks || undefined,
                }
                return column.primary ? (
                  <th key={column.key} role="rowheader" scope="row" data-primary {...marks}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.key} role="cell" {...marks}>
                    {!column.hideHeader && (
                      <span className={classes.label} aria-hidden>
                        {column.header}
                      </span>
                    )}
                    <span className={classes.content}>{column.cell(row)}</span>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    // biome-ignore-end lint/a11y/noRedundantRoles: see above
  )
}
