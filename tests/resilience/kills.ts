import { setTimeout as delay } from 'node:timers/promises'
import { type ApiProcess, send, startApi } from '@atrium/testing/api-process'
import { rounds } from '@atrium/testing/measurements'
import type { TestResponse } from '@atrium/testing/test-app'
import { type Boundary, type Crossing, openBoundary, type Point, type Side } from './boundary.ts'

/** Where the killed processes live. */
export interface KillTestApp {
  readonly env: Readonly<Record<string, string>>
}

/** A write of the contract, as a kill finds it and as it has to be afterwards. */
export interface Write<Target = unknown> {
  readonly name: string
  /** A kill leaves a lease that has to lapse, for up to minutes: too long for the everyday form. */
  readonly lapses?: true
  /** Carried out by a job, of which one runs at a time: each kill has a process of its own. */
  readonly alone?: true
  /** Makes what the call is about, through the app of the test itself; another one each time. */
  prepare(): Promise<Target>
  /** The call as its caller sends it. */
  call(send: Send, target: Target): Promise<Pick<TestResponse, 'status' | 'body'>>
  /**
   * What our records and the upstream systems hold, counted, with what differs between two targets
   * left out.
   */
  state(target: Target): Promise<unknown>
  /**
   * Whether nothing of it is under way or due any more: every step ended, ok or with a reported
   * error.
   */
  settled(target: Target): Promise<boolean>
  /**
   * Whether this may stand between before and after until the caller repeats the call, or the next
   * check puts it right.
   */
  mayRest?(state: unknown): boolean
  /** Lets leases pass that last longer than a test waits. */
  passLeases?(): Promise<void>
}

/** A request to the process that is tried. */
export type Send = (
  method: string,
  path: string,
  token: string,
  body?: object,
) => Promise<Pick<TestResponse, 'status' | 'body'>>

export interface Kill {
  /**
   * Where the process died in this write; undefined where it died after the response, or while it
   * waited for something else.
   */
  readonly point: string
  readonly side: Side | 'answered' | 'elsewhere'
  /** From the start of the next process until the write was settled. */
  readonly settledMs: number
  /** What is wrong afterwards. */
  readonly faults: readonly string[]
}

/** A point of a sequence at which its process is to die. */
export interface KillPoint {
  readonly label: string
  readonly point: Point
}

/** How long a write may take until it is settled; longer is reported as a failure. */
const patienceMs = 150_000
/**
 * How long a write may take to reach its point beside others that are held; one that waits for
 * their locks is killed where it is.
 */
const reachMs = rounds(15_000, 45_000)

/**
 * Two runs without kills: the crossings that both have, in order, so that work in the background is
 * none of them; and what stands before and after. The write has to settle by itself.
 */
export async function rehearse<Target>(
  testApp: KillTestApp,
  write: Write<Target>,
): Promise<Rehearsal> {
  const [target, other] = [await write.prepare(), await write.prepare()]
  const before = await write.state(target)
  await using boundary = await openBoundary(testApp.env)
  await using api = await start(testApp, boundary.env)
  const once = async (one: Target) => {
    await quiet(boundary)
    boundary.mark()
    const response = await write.call(sendTo(api), one)
    if (response.status >= 300)
      throw new Error(
        `${write.name} was refused: ${response.status} ${JSON.stringify(response.body)}`,
      )
    const crossings = [...boundary.crossings()]
    if (!(await within(patienceMs, () => write.settled(one))))
      throw new Error(`${write.name} does not settle by itself`)
    return crossings
  }
  const first = await once(target)
  const second = new Set((await once(other)).map(({ key }) => key))
  return {
    crossings: first.filter(({ key }) => second.has(key)),
    before,
    after: await write.state(target),
  }
}

export interface Rehearsal {
  readonly crossings: readonly Crossing[]
  readonly before: unknown
  readonly after: unknown
}

/** Every crossing, before it is forwarded and after its response. */
export function everyPoint(crossings: readonly Crossing[]): KillPoint[] {
  return crossings.flatMap(({ key }) =>
    (['before', 'after'] as const).map((side) => ({
      label: `${side} ${key.slice(0, 90)}`,
      point: { key, side },
    })),
  )
}

/** `count` of them, spread over the whole sequence. */
export function spread<Item>(items: readonly Item[], count: number): Item[] {
  if (count >= items.length) return [...items]
  return Array.from(
    { length: count },
    (_, n) => items[Math.floor(((n + 0.5) * items.length) / count)] as Item,
  )
}

/**
 * As many moments that nobody chose: crossings of a sequence of this length, whatever they turn out
 * to be.
 */
export function atRandom(length: number, count: number): KillPoint[] {
  return Array.from({ length: count }, () => {
    const number = 1 + Math.floor(Math.random() * length)
    return { label: `at crossing ${number}`, point: { number, side: 'before' } }
  })
}

/**
 * How many writes one process is brought to their points with; each may keep a connection to the
 * database.
 */
const atOnce = 6

/**
 * Kills the write at every one of the points. A point that could not be reached beside the others,
 * because one of them held a lock, is tried again beside fewer.
 */
export async function killEverywhere<Target>(
  testApp: KillTestApp,
  write: Write<Target>,
  rehearsal: Rehearsal,
  points: readonly KillPoint[],
): Promise<Kill[]> {
  const kills: Kill[] = []
  const tries = new Map<KillPoint, number>()
  // Neighbours in a sequence hold the same locks, so they go to different processes.
  const size = write.alone ? 1 : atOnce
  const processes = Math.ceil(points.length / size)
  const waiting = points
    .map((point, n) => ({ point, turn: n % processes }))
    .sort((a, b) => a.turn - b.turn)
  const left = waiting.map(({ point }) => point)
  while (left.length > 0) {
    const group = left.splice(0, size)
    const done = await killAt(testApp, write, rehearsal, group)
    for (const [n, point] of group.entries()) {
      const kill = done[n]
      const tried = (tries.get(point) ?? 0) + (kill ? 1 : 0)
      tries.set(point, tried)
      if (kill) kills.push(kill)
      const reached = kill?.side === 'before' || kill?.side === 'after'
      if (!reached && tried < 2) left.push(point)
    }
  }
  return kills
}

interface Victim<Target> {
  readonly label: string
  readonly side: Kill['side']
  readonly target: Target
  /** Of the response, if there was one before the kill. */
  readonly status: number | undefined
}

/**
 * Brings one process to several points, each in a write of its own, and kills it with all of them
 * held; then starts one more process, which has to bring all of them to an end, and repeats the
 * calls that were not answered, as their callers would.
 */
export async function killAt<Target>(
  testApp: KillTestApp,
  write: Write<Target>,
  rehearsal: Rehearsal,
  points: readonly KillPoint[],
): Promise<Kill[]> {
  const victims = await killHeld(testApp, write, points)
  await write.passLeases?.()
  const started = performance.now()
  await using rescuer = await start(testApp)
  return await Promise.all(
    victims.map(async ({ label, side, target, status }): Promise<Kill> => {
      const settledInTime = await within(patienceMs, () => write.settled(target))
      const settledMs = performance.now() - started
      const faults = settledInTime ? [] : [`not settled after ${patienceMs / 1000} s`]
      faults.push(
        ...(await examine(write, rehearsal, {
          target,
          acknowledged: status !== undefined && status < 300,
          again: sendTo(rescuer),
        })),
      )
      return { point: label, side, settledMs, faults }
    }),
  )
}

/**
 * No acknowledged write lost, nothing half done, and complete once the caller has repeated
 * unanswered calls.
 */
async function examine<Target>(
  write: Write<Target>,
  rehearsal: Rehearsal,
  { target, acknowledged, again }: { target: Target; acknowledged: boolean; again: Send },
): Promise<string[]> {
  const [before, after] = [JSON.stringify(rehearsal.before), JSON.stringify(rehearsal.after)]
  const state = await write.state(target)
  const found = JSON.stringify(state)
  if (found === after) return []
  if (acknowledged) return [`acknowledged and lost: ${found}`]
  const faults = found === before || write.mayRest?.(state) ? [] : [`half done: ${found}`]
  const response = await write.call(again, target)
  if (response.status >= 300)
    faults.push(`repeated, it is refused: ${response.status} ${JSON.stringify(response.body)}`)
  if (!(await within(patienceMs, () => write.settled(target))))
    faults.push('repeated, it does not settle')
  const repeated = JSON.stringify(await write.state(target))
  if (repeated !== after) faults.push(`repeated, it is ${repeated}`)
  return faults
}

async function killHeld<Target>(
  testApp: KillTestApp,
  write: Write<Target>,
  points: readonly KillPoint[],
): Promise<Victim<Target>[]> {
  const targets: Target[] = []
  for (const _ of points) targets.push(await write.prepare())
  await using boundary = await openBoundary(testApp.env)
  const api = await start(testApp, boundary.env)
  const begun: (Omit<Victim<Target>, 'status'> & { answered: Promise<number | undefined> })[] = []
  for (const [n, { label, point }] of points.entries()) {
    const target = targets[n] as Target
    await quiet(boundary)
    boundary.mark()
    const held = boundary.arm(point).then(() => point.side)
    const answered = write.call(sendTo(api), target).then(
      ({ status }) => status,
      () => undefined,
    )
    const late = delay(reachMs, 'elsewhere' as const, { ref: false })
    // A caller that got a response before the point is reached is killed as well, and must have
    // lost nothing.
    const side = await Promise.race([held, answered.then(() => 'answered' as const), late])
    begun.push({ label, side, target, answered })
    boundary.disarm()
    if (side === 'elsewhere') break
  }
  api.signal('SIGKILL')
  await api.ended
  boundary.reset()
  return await Promise.all(
    begun.map(async ({ answered, ...victim }) => ({ ...victim, status: await answered })),
  )
}

function start(
  { env }: KillTestApp,
  led: Readonly<Record<string, string>> = {},
): Promise<ApiProcess> {
  return startApi({ env }, led)
}

const sendTo =
  ({ url }: ApiProcess): Send =>
  (method, path, token, body) =>
    send(url, method, path, token, body)

/**
 * Resolves when the sweeps of the start are over: nothing has crossed for a while. What still comes
 * only costs a point its hit.
 */
async function quiet(boundary: Boundary): Promise<void> {
  for (let seen = -1; seen !== boundary.crossings().length; ) {
    seen = boundary.crossings().length
    await delay(250)
  }
}

async function within(ms: number, holds: () => Promise<boolean>): Promise<boolean> {
  for (const until = performance.now() + ms; performance.now() < until; ) {
    if (await holds()) return true
    await delay(100)
  }
  return false
}
