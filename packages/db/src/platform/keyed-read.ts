import pg from 'pg'
import { nearestSafe, parseRows } from './shown-numbers.ts'

/** A prepared statement that is kept by name on each connection. */
export interface NamedStatement {
  readonly name: string
  readonly text: string
}

/** What a key can be made of. */
export type KeyPart = string | number | boolean | Buffer | null

/**
 * A read by key that waits for its rows. `done` is called once, with the rows or with the reason
 * why there are none.
 */
export interface KeyedRead {
  readonly statement: NamedStatement
  readonly values: readonly KeyPart[]
  readonly done: (error: Error | null, rows: Record<string, unknown>[]) => void
}

type Parser = (text: string) => unknown

/** The columns of a statement as the server described them, with an empty row to copy. */
interface Shape {
  names: readonly string[]
  parsers: readonly Parser[]
  empty: Readonly<Record<string, null>>
}

/**
 * Shapes of the statements that are prepared on one connection, by name. There a prepared statement
 * cannot change its columns.
 */
export type Shapes = Map<string, Shape>

/** The part of pg's connection that a query writes to; `@types/pg` describes it only in part. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void }
  parse(message: { name: string; text: string }): void
  bind(message: {
    portal: string
    statement: string
    values: readonly KeyPart[]
    binary: boolean
    valueMapper: typeof toWire
  }): void
  describe(message: { type: 'S'; name: string }): void
  execute(message: { portal: string }): void
  sync(): void
}

interface FieldDescription {
  name: string
  dataTypeID: number
}

/**
 * Many reads by key in one go, for `Client.query` of pg 8: one write, one round trip and one
 * implicit transaction for all. A statement is prepared and described when its connection sees it
 * for the first time; pg itself asks for the description with every run and builds its parsers
 * again each time, which costs more than the rows of a read by key.
 *
 * The server leaves out what follows a failed read; `over` is called with those reads, which did
 * nothing wrong, when the connection can take the next go. It is not called when the connection is
 * lost.
 */
export class KeyedReads implements pg.Submittable {
  readonly #reads: readonly KeyedRead[]
  readonly #shapes: Shapes
  readonly #over: (left: readonly KeyedRead[]) => void
  #next = 0
  #rows: Record<string, unknown>[] = []
  #failure: Error | null = null

  constructor(
    reads: readonly KeyedRead[],
    shapes: Shapes,
    over: (left: readonly KeyedRead[]) => void,
  ) {
    this.#reads = reads
    this.#shapes = shapes
    this.#over = over
  }

  // What follows is called by pg's client.

  submit(connection: pg.Connection): void {
    const wire = connection as unknown as Wire
    const prepared = new Set<string>()
    wire.stream.cork()
    for (const { statement, values } of this.#reads) {
      const { name } = statement
      if (!this.#shapes.has(name) && !prepared.has(name)) {
        prepared.add(name)
        wire.parse(statement)
        wire.describe({ type: 'S', name })
      }
      wire.bind({ portal: '', statement: name, values, binary: false, valueMapper: toWire })
      wire.execute({ portal: '' })
    }
    wire.sync()
    wire.stream.uncork()
  }

  handleRowDescription({ fields }: { fields: readonly FieldDescription[] }): void {
    const read = this.#reads[this.#next]
    if (!read) return
    this.#shapes.set(read.statement.name, {
      names: fields.map((field) => field.name),
      parsers: fields.map((field) => parserOf(field.dataTypeID)),
      empty: Object.fromEntries(fields.map((field) => [field.name, null])),
    })
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const shape = this.#shapes.get(this.#reads[this.#next]?.statement.name ?? '')
    // A value that cannot be parsed fails its read; thrown here it would end the process.
    try {
      if (!shape) throw new Error('rows came before their description')
      this.#rows.push(toRow(shape, fields))
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
    }
  }

  handleCommandComplete(): void {
    const [rows, failure] = [this.#rows, this.#failure]
    this.#rows = []
    this.#failure = null
    this.#reads[this.#next++]?.done(failure, rows)
  }

  handleReadyForQuery(): void {
    this.#over([])
  }

  /**
   * A rejected statement, after which the connection can go on; or the end of the connection, which
   * nothing follows.
   */
  handleError(error: Error): void {
    const [failed, ...rest] = this.#reads.slice(this.#next)
    this.#next = this.#reads.length
    failed?.done(error, [])
    if (error instanceof pg.DatabaseError && error.severity === 'ERROR') this.#over(rest)
    else for (const read of rest) read.done(error, [])
  }
}

function toRow(
  { names, parsers, empty }: Shape,
  values: readonly (string | null)[],
): Record<string, unknown> {
  const row: Record<string, unknown> = { ...empty }
  for (let i = 0; i < names.length; i++) {
    const value = values[i]
    const name = names[i]
    const parse = parsers[i]
    if (name !== undefined && parse !== undefined && value !== null && value !== undefined)
      row[name] = parse(value)
  }
  return row
}

/**
 * As pg reads a value in text format, but for counts and sizes, which are numbers (they fit a
 * double up to 2^53), and for instants, which are read faster.
 */
export function parserOf(oid: number): Parser {
  if (oid === pg.types.builtins.INT8) return parseWhole
  if (oid === pg.types.builtins.JSON) return parseRows
  return oid === pg.types.builtins.TIMESTAMPTZ ? parseInstant : parseAsPg(oid)
}

const parseWhole = (text: string) => nearestSafe(Number(text))

const parseAsPg = (oid: number) => pg.types.getTypeParser(oid, 'text')
const parseRareInstant = parseAsPg(pg.types.builtins.TIMESTAMPTZ)

/**
 * `2026-11-21 10:00:00.123456+00`, as nearly every instant comes, is ISO 8601 but for two
 * characters; for the rest there is pg's parser.
 */
function parseInstant(text: string): unknown {
  if (text.charCodeAt(10) !== 0x20 || !text.endsWith('+00')) return parseRareInstant(text)
  const instant = new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
  return Number.isNaN(instant.getTime()) ? parseRareInstant(text) : instant
}

function toWire(value: KeyPart): string | Buffer | null {
  return value === null || Buffer.isBuffer(value) ? value : String(value)
}
