import pg from 'pg'

/** A prepared statement that is kept by name on each connection. */
export interface NamedStatement {
  readonly name: string
  readonly text: string
}

/** What a key can be made of. */
export type KeyPart = string | number | boolean | Buffer | null

type Parser = (text: string) => unknown

/** The columns of a statement as the server described them, with an empty row to copy. */
interface Shape {
  names: readonly string[]
  parsers: readonly Parser[]
  empty: Readonly<Record<string, null>>
}

/** Shapes by statement name. They hold for one connection: there a prepared statement cannot change its columns. */
export type Shapes = Map<string, Shape>

/** The part of pg's connection that a query writes to; `@types/pg` describes it only in part. */
interface Wire {
  parsedStatements: Record<string, string | undefined>
  submittedNamedStatements: Record<string, string | undefined>
  parse(message: { name: string; text: string }): void
  bind(message: { portal: string; statement: string; values: readonly KeyPart[]; binary: boolean; valueMapper: typeof toWire }): void
  describe(message: { type: 'P'; name: string }): void
  execute(message: { portal: string }): void
  sync(): void
}

interface FieldDescription {
  name: string
  dataTypeID: number
}

/**
 * One run of a named statement on a pipelined connection of pg 8. pg asks the server to describe the columns with every run and
 * builds its parsers anew each time, which costs more than the rows of a read by key; here that happens once per connection.
 */
export class KeyedRead extends pg.Query {
  // pg reads these fields and calls the methods below; other classes than its own it refuses on a pipelined connection.
  declare name: string
  declare callback: (error: Error | null) => void
  readonly #statement: NamedStatement
  readonly #values: readonly KeyPart[]
  readonly #shapes: Shapes
  #rows: Record<string, unknown>[] = []
  #failure: Error | undefined

  /** `done` is called once, with the rows or with the reason why there are none. */
  constructor(
    statement: NamedStatement,
    values: readonly KeyPart[],
    shapes: Shapes,
    done: (error: Error | null, rows: Record<string, unknown>[]) => void,
  ) {
    // As text alone: of a configuration pg makes a copy, property by property.
    super(statement.text)
    this.name = statement.name
    this.#statement = statement
    this.#values = values
    this.#shapes = shapes
    this.callback = (error) => {
      const rows = this.#rows
      // pg's queue outlives many collections and holds on to runs that are over; emptied, a run keeps nothing of its request alive.
      this.callback = nothing
      this.#rows = []
      done(error, rows)
    }
  }

  prepare(connection: Wire): void {
    const { name, text } = this.#statement
    if (connection.parsedStatements[name] === undefined && connection.submittedNamedStatements[name] === undefined) {
      connection.parse({ name, text })
      connection.submittedNamedStatements[name] = text
    }
    connection.bind({ portal: '', statement: name, values: this.#values, binary: false, valueMapper: toWire })
    if (!this.#shapes.has(name)) connection.describe({ type: 'P', name: '' })
    connection.execute({ portal: '' })
    connection.sync()
  }

  handleRowDescription({ fields }: { fields: readonly FieldDescription[] }): void {
    this.#shapes.set(this.#statement.name, {
      names: fields.map((field) => field.name),
      parsers: fields.map((field) => parserOf(field.dataTypeID)),
      empty: Object.fromEntries(fields.map((field) => [field.name, null])),
    })
  }

  handleDataRow({ fields: values }: { fields: readonly (string | null)[] }): void {
    const shape = this.#shapes.get(this.#statement.name)
    if (!shape || this.#failure) return
    try {
      this.#rows.push(toRow(shape, values))
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
    }
  }

  handleCommandComplete(): void {
    // The number of rows, which is all it tells, is known from the rows.
  }

  handleReadyForQuery(): void {
    this.callback(this.#failure ?? null)
  }

  handleError(error: Error): void {
    this.callback(error)
  }
}

function nothing(): void {}

function toRow({ names, parsers, empty }: Shape, values: readonly (string | null)[]): Record<string, unknown> {
  const row: Record<string, unknown> = { ...empty }
  for (let i = 0; i < names.length; i++) {
    const value = values[i]
    const name = names[i]
    const parse = parsers[i]
    if (name !== undefined && parse !== undefined && value !== null && value !== undefined) row[name] = parse(value)
  }
  return row
}

/** As pg reads a value in text format, with counts and sizes as numbers: they fit a double up to 2^53. */
export function parserOf(oid: number): Parser {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, 'text')
}

function toWire(value: KeyPart): string | Buffer | null {
  return value === null || Buffer.isBuffer(value) ? value : String(value)
}
