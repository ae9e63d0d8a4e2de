import { relayDatabase } from './boundary-database.ts'
import { relayHttp } from './boundary-http.ts'
import { relaySmtp } from './boundary-smtp.ts'

/** What the service talks to. `jobs`: the job engine's own connections to the database. */
export type BoundarySystem =
  | 'database'
  | 'jobs'
  | 'identity'
  | 'mail'
  | 'files'
  | 'payments'
  | 'smtp'

/**
 * One question that left the process: a round trip to the database, a request over HTTP, a command
 * of SMTP.
 */
export interface Crossing {
  /** Counted over all systems since the last mark, from 1, in the order in which they left. */
  readonly number: number
  readonly system: BoundarySystem
  /**
   * Text of the statements, `METHOD /path` with ids as `*` (and the methods of JMAP), or the
   * command.
   */
  readonly what: string
  /** How many of this system and text there were since the mark, this one included. */
  readonly occurrence: number
  /**
   * System, text and occurrence: the same in every run of the same sequence, also where steps run
   * side by side.
   */
  readonly key: string
}

/**
 * Before: the other side has not received the request. After: it has responded, and the process has
 * not received the response.
 */
export type Side = 'before' | 'after'

export type Point = { readonly side: Side } & (
  | { readonly number: number }
  | { readonly key: string }
  | { readonly match: (crossing: Crossing) => boolean }
)

export interface Boundary extends AsyncDisposable {
  /** To start a process with: the addresses of the workplace, led through here. */
  readonly env: Readonly<Record<string, string>>
  /** What crossed since the mark. */
  crossings(): readonly Crossing[]
  /** Numbers and occurrences start again. */
  mark(): void
  /** Holds the first crossing that the point names, once; resolves when it is held. */
  arm(point: Point): Promise<Crossing>
  /** Forgets what is armed; what is held stays held. */
  disarm(): void
  /** Lets pass what is held. */
  release(): void
  /**
   * Forgets what is armed and held: what is held is dropped. Marks. For the time between a killed
   * process and the next.
   */
  reset(): void
}

/** What the relays ask for each crossing. */
export interface Gate {
  cross(system: BoundarySystem, what: string): Crossing
  /** Resolves at once where nothing is armed; else when released (true) or dropped (false). */
  pass(crossing: Crossing, side: Side): true | Promise<boolean>
}

/** A relay that listens on loopback. */
export interface Relay {
  readonly port: number
  close(): Promise<void>
}

interface Armed {
  readonly point: Point
  readonly held: (crossing: Crossing) => void
}

/**
 * Stands between one process of the service and everything that it talks to, counts what crosses,
 * and holds one crossing before it is passed on or after it was answered. A process that is killed
 * while it is held is killed at exactly that await.
 *
 * Work in the background (sweeps at the start and every minute, counts that are written out, the
 * job engine) crosses too. What the job engine asks by itself is passed uncounted; only the jobs
 * that the service sends are counted. `begin` and `rollback` are not counted: to die before a
 * `begin` is to die after the crossing before it. The rest of the background has statements of its
 * own, but it shifts numbers, and so do steps that run side by side. So record a run without kills,
 * and then kill at the `key`s it shows. Numbers are for moments that nobody chose.
 */
export async function openBoundary(env: Readonly<Record<string, string>>): Promise<Boundary> {
  let crossings: Crossing[] = []
  let seen = new Map<string, number>()
  let armed: Armed[] = []
  let held: ((pass: boolean) => void)[] = []
  const gate: Gate = {
    cross(system, what) {
      const name = `${system} ${what}`
      const occurrence = (seen.get(name) ?? 0) + 1
      seen.set(name, occurrence)
      const crossing = {
        number: crossings.length + 1,
        system,
        what,
        occurrence,
        key: `${name} #${occurrence}`,
      }
      crossings.push(crossing)
      return crossing
    },
    pass(crossing, side) {
      const hit = armed.find(({ point }) => point.side === side && names(point, crossing))
      if (!hit) return true
      armed = armed.filter((one) => one !== hit)
      return new Promise<boolean>((done) => {
        held.push(done)
        hit.held(crossing)
      })
    },
  }
  const mark = () => {
    crossings = []
    seen = new Map()
  }
  const letGo = (pass: boolean) => {
    const waiting = held
    held = []
    for (const done of waiting) done(pass)
  }
  const relays: Relay[] = []
  const led: Record<string, string> = {}
  for (const [name, open] of Object.entries(routes)) {
    const address = env[name]
    if (!address) continue
    const relay = await open(new URL(address), gate)
    relays.push(relay)
    led[name] = through(address, relay.port)
  }
  return {
    env: led,
    crossings: () => crossings,
    mark,
    arm: (point) => new Promise((resolve) => armed.push({ point, held: resolve })),
    disarm() {
      armed = []
    },
    release: () => letGo(true),
    reset() {
      armed = []
      letGo(false)
      mark()
    },
    async [Symbol.asyncDispose]() {
      armed = []
      letGo(false)
      await Promise.all(relays.map((relay) => relay.close()))
    },
  }
}

/**
 * The variables that name a system. Keys and discovery documents of the identity provider are read
 * past here: they change nothing.
 */
const routes: Readonly<Record<string, (target: URL, gate: Gate) => Promise<Relay>>> = {
  DATABASE_URL: relayDatabase,
  IDP_API_URL: (target, gate) => relayHttp(target, gate, 'identity'),
  MAIL_API_URL: (target, gate) => relayHttp(target, gate, 'mail'),
  FILES_API_URL: (target, gate) => relayHttp(target, gate, 'files'),
  STRIPE_API_URL: (target, gate) => relayHttp(target, gate, 'payments'),
  SMTP_URL: relaySmtp,
}

function names(point: Point, crossing: Crossing): boolean {
  if ('number' in point) return point.number === crossing.number
  return 'key' in point ? point.key === crossing.key : point.match(crossing)
}

/** The same address, letter by letter, at our port. */
function through(address: string, port: number): string {
  const { host } = new URL(address)
  return address.replace(host, `127.0.0.1:${port}`)
}
