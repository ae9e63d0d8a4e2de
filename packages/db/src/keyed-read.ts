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

/** A read by key that waits for its rows. `done` is called once, with the rows or with the reason why there are none. */
export interface Read {
  readonly statement: NamedStatement
  readonly values: readonly KeyPart[]
  readonly done: (error: Error | null, rows: Record<string, unknown>[]) => void
}

/**
 * The first run of a named statement on a pipelined connection of pg 8: prepares it and learns the shape of its rows. pg asks the
 * server to describe the columns with every run and builds its parsers anew each time, which costs more than the rows of a read by
 * key; here that happens once per connection, and `KeyedReads` does the later runs.
 */
export class FirstRead extends pg.Query {
  // pg reads these fields and calls the methods below; other classes than its own it refuses on a pipelined connection.
  declare name: string
  declare callback: (error: Error | null) => void
  readonly #read: Read
  readonly #shapes: Shapes
  readonly #answer = new Answer()

  constructor(read: Read, shapes: Shapes) {
    // As text alone: of a configuration pg makes a copy, property by property.
    super(read.statement.text)
    this.name = read.statement.name
    this.#read = read
    this.#shapes = shapes
    this.callback = (error) => this.#answer.tell(read, error)
  }

  prepare(connection: Wire): void {
    const { name, text } = this.#read.statement
    if (connection.parsedStatements[name] === undefined && connection.submittedNamedStatements[name] === undefined) {
      connection.parse({ name, text })
      connection.submittedNamedStatements[name] = text
    }
    sendRun(connection, this.#read)
    connection.describe({ type: 'P', name: '' })
    connection.execute({ portal: '' })
    connection.sync()
  }

  handleRowDescription({ fields }: { fields: readonly FieldDescription[] }): void {
    this.#shapes.set(this.#read.statement.name, {
      names: fields.map((field) => field.name),
      parsers: fields.map((field) => parserOf(field.dataTypeID)),
      empty: Object.fromEntries(fields.map((field) => [field.name, null])),
    })
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    this.#answer.add(this.#shapes.get(this.#read.statement.name), fields)
  }

  handleCommandComplete(): void {
    // The number of rows, which is all it tells, is known from the rows.
  }

  handleReadyForQuery(): void {
    this.callback(null)
  }

  handleError(error: Error): void {
    this.callback(error)
  }
}

/**
 * Many reads in one go, of statements whose shape the connection knows: one round trip and one implicit transaction for all. The
 * server leaves out what follows a failed read; `again` is called with those, which did nothing wrong.
 */
export class KeyedReads extends pg.Query {
  declare name: string
  declare callback: (error: Error | null) => void
  readonly #reads: readonly Read[]
  readonly #shapes: Shapes
  readonly #again: (reads: readonly Read[]) => void
  #next = 0
  #answer = new Answer()

  constructor(reads: readonly Read[], shapes: Shapes, again: (reads: readonly Read[]) => void) {
    super('')
    // Any name makes pg use the extended protocol; none of this name is ever prepared.
    this.name = 'keyed reads'
    this.callback = () => {}
    this.#reads = reads
    this.#shapes = shapes
    this.#again = again
  }

  prepare(connection: Wire): void {
    for (const read of this.#reads) {
      sendRun(connection, read)
      connection.execute({ portal: '' })
    }
    connection.sync()
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    this.#answer.add(this.#shapes.get(this.#reads[this.#next]?.statement.name ?? ''), fields)
  }

  handleCommandComplete(): void {
    const [answer, read] = [this.#answer, this.#reads[this.#next++]]
    this.#answer = new Answer()
    if (read) answer.tell(read, null)
  }

  handleReadyForQuery(): void {
    // Each read was told its rows when it was complete.
  }

  handleError(error: Error): void {
    const [failed, ...rest] = this.#reads.slice(this.#next)
    this.#next = this.#reads.length
    failed?.done(error, [])
    if (error instanceof pg.DatabaseError && error.severity === 'ERROR') this.#again(rest)
    else for (const read of rest) read.done(error, [])
  }
}

/** The rows of one read as they come in. A value that cannot be parsed fails its read and must not end the process. */
class Answer {
  #rows: Record<string, unknown>[] = []
  #failure: Error | null = null

  add(shape: Shape | undefined, values: readonly (string | null)[]): void {
    try {
      if (!shape) throw new Error('rows came before their description')
      this.#rows.push(toRow(shape, values))
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
    }
  }

  tell({ done }: Read, error: Error | null): void {
    done(error ?? this.#failure, this.#rows)
  }
}

function sendRun(connection: Wire, { statement, values }: Read): void {
  connection.bind({ portal: '', statement: statement.name, values, binary: false, valueMapper: toWire })
}

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
