import { connect, createServer, type Socket } from 'node:net'
import type { Crossing, Gate, Relay } from './boundary.ts'
import { listenOnLoopback } from './boundary-listen.ts'

/** Our own connections of the job engine bear this name; see `apps/api/src/platform/jobs.ts`. */
const jobEngine = 'atrium-jobs'
/** A job that is sent: the engine writes the queue's name into the statement. */
const sentJob = /insert into jobs\.\w+ \( id, name.*? '([\w-]+)' as name/is

/**
 * PostgreSQL's protocol, version 3: the client's messages up to a Sync or a simple Query are one
 * request, the server's up to ReadyForQuery are its response.
 * https://www.postgresql.org/docs/18/protocol-flow.html
 */
export function relayDatabase(target: URL, gate: Gate): Promise<Relay> {
  return listenOnLoopback(createServer((client) => serve(client, target, gate)))
}

interface Question {
  readonly bytes: Buffer
  /** Whether a ReadyForQuery follows. */
  readonly answered: boolean
  /** Undefined for what is not counted. */
  readonly crossing: Crossing | undefined
}

function serve(client: Socket, target: URL, gate: Gate): void {
  const upstream = connect(Number(target.port), target.hostname)
  client.setNoDelay(true)
  upstream.setNoDelay(true)
  const end = () => {
    client.destroy()
    upstream.destroy()
  }
  client.on('error', end).on('close', end)
  // The last words of a server that goes are still delivered.
  upstream.on('error', end).on('close', () => client.end())
  const reader = new QuestionReader(gate)
  const asked: Question[] = []
  let toServer = Promise.resolve()
  let toClient = Promise.resolve()

  client.on('data', (chunk: Buffer) => {
    for (const question of reader.read(chunk)) {
      toServer = toServer.then(async () => {
        if (question.crossing && !(await gate.pass(question.crossing, 'before'))) return end()
        if (client.destroyed) return
        if (question.answered) asked.push(question)
        upstream.write(question.bytes)
      })
    }
  })

  const responses = new Frames()
  let response: Buffer[] = []
  upstream.on('data', (chunk: Buffer) => {
    for (const frame of responses.read(chunk)) {
      response.push(frame)
      const complete = frame[0] === ready
      // Before the first ReadyForQuery the two sides agree on who is asking; that is no question.
      const deliver = complete || !reader.countedResponses || asked.length === 0
      if (!deliver) continue
      const bytes = Buffer.concat(response)
      response = []
      const question = complete && reader.countedResponses ? asked.shift() : undefined
      if (complete) reader.countedResponses = true
      toClient = toClient.then(async () => {
        if (question?.crossing && !(await gate.pass(question.crossing, 'after'))) return end()
        if (!client.destroyed) client.write(bytes)
      })
    }
  })
}

/** Kinds of messages, https://www.postgresql.org/docs/18/protocol-message-formats.html */
const ready = 'Z'.charCodeAt(0)
const sync = 'S'.charCodeAt(0)
const query = 'Q'.charCodeAt(0)
const parse = 'P'.charCodeAt(0)
const bind = 'B'.charCodeAt(0)
const terminate = 'X'.charCodeAt(0)

/** Cuts a stream into messages: a letter, the length of the rest with itself, the rest. */
class Frames {
  #left: Buffer = Buffer.alloc(0)

  read(chunk: Buffer): Buffer[] {
    const frames: Buffer[] = []
    let bytes = this.#left.length === 0 ? chunk : Buffer.concat([this.#left, chunk])
    while (bytes.length >= 5) {
      const length = 1 + bytes.readInt32BE(1)
      if (bytes.length < length) break
      frames.push(bytes.subarray(0, length))
      bytes = bytes.subarray(length)
    }
    this.#left = bytes
    return frames
  }
}

/** Cuts what a client sends into questions, and knows what each asks. */
class QuestionReader {
  /** Set by who reads the answers, with the first ReadyForQuery. */
  countedResponses = false
  readonly #gate: Gate
  readonly #frames = new Frames()
  readonly #statements = new Map<string, string>()
  #greeting: Buffer | undefined = Buffer.alloc(0)
  #ofJobEngine = false
  #open: Buffer[] = []
  #texts: string[] = []
  /** First statement of the transaction that is open. */
  #transaction: string | undefined

  constructor(gate: Gate) {
    this.#gate = gate
  }

  *read(chunk: Buffer): Generator<Question> {
    let bytes: Buffer = chunk
    if (this.#greeting) {
      const greeting: Buffer = Buffer.concat([this.#greeting, chunk])
      this.#greeting = greeting
      const length = greeting.length >= 4 ? greeting.readInt32BE(0) : Number.POSITIVE_INFINITY
      if (greeting.length < length) return
      this.#ofJobEngine = greeting.subarray(0, length).includes(`application_name\0${jobEngine}\0`)
      this.#greeting = undefined
      yield { bytes: greeting.subarray(0, length), answered: false, crossing: undefined }
      bytes = greeting.subarray(length)
    }
    for (const frame of this.#frames.read(bytes)) {
      this.#open.push(frame)
      const kind = frame[0] ?? 0
      if (kind === parse) this.#parsed(frame)
      if (kind === bind) this.#bound(frame)
      if (kind === query) this.#texts.push(textAt(frame, 5).text)
      if (kind === sync || kind === query || kind === terminate || !this.countedResponses)
        yield this.#complete(kind)
    }
  }

  #parsed(frame: Buffer): void {
    const { text: name, next } = textAt(frame, 5)
    this.#statements.set(name, textAt(frame, next).text)
  }

  #bound(frame: Buffer): void {
    const name = textAt(frame, textAt(frame, 5).next).text
    this.#texts.push(this.#statements.get(name) ?? name)
  }

  #complete(kind: number): Question {
    const bytes = Buffer.concat(this.#open)
    const text = this.#texts.map((one) => one.replaceAll(/\s+/g, ' ').trim()).join(' | ')
    this.#open = []
    this.#texts = []
    const answered = this.countedResponses && kind !== terminate
    const counted = answered ? this.#nameOf(text) : undefined
    const crossing =
      counted === undefined
        ? undefined
        : this.#gate.cross(this.#ofJobEngine ? 'jobs' : 'database', counted)
    return { bytes, answered, crossing }
  }

  #nameOf(text: string): string | undefined {
    const job = sentJob.exec(text)?.[1]
    if (this.#ofJobEngine) return job && `send ${job}`
    if (/^(begin|start transaction)\b/i.test(text)) {
      this.#transaction = ''
      return undefined
    }
    const transaction = this.#transaction
    if (/^(commit|rollback)$/i.test(text)) {
      this.#transaction = undefined
      return /^commit$/i.test(text) ? `commit after ${transaction ?? ''}` : undefined
    }
    const name = job ? `send ${job}` : text
    if (transaction === '') this.#transaction = name
    return name
  }
}

/** Text up to the next NUL. */
function textAt(frame: Buffer, start: number): { text: string; next: number } {
  const end = frame.indexOf(0, start)
  return { text: frame.toString('utf8', start, end), next: end + 1 }
}
