import { findSlots, type SlotQuestion } from '@atrium/core/scheduling/slots'
import { dayOf } from '@atrium/core/scheduling/time-zones'
import { type Contender, runRounds } from '../measure/slots.ts'
import { median, seededRandom } from '../measure/statistics.ts'
import type { Session } from '../session.ts'
import { type ComputeStarts, loadPeer, peerVersion } from '../slots-peer.ts'
import type { Bars, RowResult } from './result.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const days = 30
const busyPeriods = 100
const peerCalls = 20
const ownCalls = 2_000

const bars: Bars = {
  row: 'P10',
  what: `slots of ${days} days, CPU`,
  peer: `@calcom/platform-libraries ${peerVersion}`,
  unit: 'x',
  direction: 'at least',
  reach: 60,
  beyond: 120,
}

/**
 * P10: how many times the CPU of `findSlots` Cal.com's published library takes for the same starts.
 * `BENCH_CALCOM_DIR` names a folder in which `npm pack @calcom/platform-libraries@0.0.360` was
 * unpacked and `npm install dayjs` was run; without it there is no number.
 */
export async function measureSlots(session: Session): Promise<RowResult[]> {
  const root = process.env.BENCH_CALCOM_DIR
  if (!root)
    return [
      {
        ...bars,
        values: [],
        note: 'the peer cannot be reached: BENCH_CALCOM_DIR names no folder with it',
      },
    ]
  const question = questionFrom(Date.now())
  let peer: ComputeStarts
  try {
    peer = (await loadPeer(root, session.folder))(question, 'America/Los_Angeles')
  } catch (error) {
    return [
      {
        ...bars,
        values: [],
        note: `the peer cannot be reached: ${error instanceof Error ? error.message : String(error)}`,
      },
    ]
  }
  const own: ComputeStarts = () => findSlots(question).map(({ start }) => start)
  const [theirs, ours] = [peer(), own()]
  if (ours.length < 100 || JSON.stringify(theirs) !== JSON.stringify(ours)) {
    return [
      {
        ...bars,
        values: [],
        note: `the peer offers other starts: ${theirs.length} and not ${ours.length}`,
      },
    ]
  }
  const contenders = [
    cpuContender('peer', peerCalls, peer),
    cpuContender('peer again', peerCalls, peer),
    cpuContender('ours', ownCalls, own),
  ]
  for (const { measure } of contenders) await measure()
  const { measured } = await runRounds(contenders, session)
  const micros = (name: string) =>
    (measured.get(name) ?? []).map((figures) => figures.cpuMicrosPerCall ?? Number.NaN)
  const [a, b, o] = [micros('peer'), micros('peer again'), micros('ours')]
  const figure = (values: readonly number[]) => ({
    cpuMicrosPerCall: median(values),
    callsPerSecond: 1e6 / median(values),
  })
  return [
    {
      ...bars,
      values: o.map((cpu, i) => ((a[i] ?? Number.NaN) + (b[i] ?? Number.NaN)) / 2 / cpu),
      nullTest: a.map((cpu, i) => cpu / (b[i] ?? Number.NaN)),
      note: `${ours.length} starts, the same on both sides; the peer without its reads, limits and mapping to dates`,
      figures: { [bars.peer]: figure(a), [bars.what]: figure(o) },
    },
  ]
}

/**
 * A host in Berlin with a break at noon, a short and a closed day, and a calendar that is quite
 * full; 15-minute steps from tomorrow on.
 */
function questionFrom(now: number): SlotQuestion {
  const first = dayOf(new Date(now).toISOString().slice(0, 10)) + 1
  const start = first * dayMs
  const random = seededRandom(20_261_122)
  const below = (limit: number) => Math.floor(random() * limit)
  const working = [
    { start: 9 * 60, end: 12 * 60 },
    { start: 13 * 60, end: 17 * 60 },
  ]
  const firstMonday = first + ((11 - (first % 7)) % 7)
  return {
    schedule: {
      zone: 'Europe/Berlin',
      weekly: [working, working, working, working, working, [], []],
      overrides: new Map([
        [firstMonday, [{ start: 10 * 60, end: 11 * 60 }]],
        [firstMonday + 8, []],
      ]),
    },
    settings: {
      eventTypeId: 'bench',
      durationMinutes: 30,
      stepMinutes: 15,
      noticeMinutes: 60,
      beforeMinutes: 0,
      afterMinutes: 0,
      bookingWindow: { kind: 'open' },
      limits: {},
      hostLimits: {},
      seats: 1,
    },
    busy: Array.from({ length: busyPeriods }, () => {
      const from = start + below(days * 96) * 15 * minuteMs
      return { start: from, end: from + (1 + below(6)) * 15 * minuteMs }
    }),
    bookings: [],
    locks: [],
    now,
    range: { start, end: start + days * dayMs },
  }
}

function cpuContender(name: string, calls: number, compute: ComputeStarts): Contender {
  return {
    name,
    async measure() {
      const before = process.cpuUsage()
      const began = performance.now()
      for (let i = 0; i < calls; i++)
        if (compute().length === 0) throw new Error('no slot is on offer')
      const { user, system } = process.cpuUsage(before)
      return {
        cpuMicrosPerCall: (user + system) / calls,
        callsPerSecond: (calls * 1000) / (performance.now() - began),
      }
    },
  }
}
