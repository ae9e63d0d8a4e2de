import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SlotQuestion } from '@atrium/core/scheduling/slots'

/** Version of `@calcom/platform-libraries` whose parts are called here. */
export const peerVersion = '0.0.360'

/** Computes the starts on offer, in milliseconds since 1970, ascending. */
export type ComputeStarts = () => number[]

/** As far as it is used here (day.js.org). */
interface Dayjs {
  valueOf(): number
  toISOString(): string
}
interface DateRange {
  start: Dayjs
  end: Dayjs
}
type Availability =
  | { days: number[]; startTime: Date; endTime: Date }
  | { date: Date; startTime: Date; endTime: Date }
interface Parts {
  buildDateRanges(input: {
    availability: Availability[]
    timeZone: string
    dateFrom: Dayjs
    dateTo: Dayjs
    travelSchedules: never[]
    outOfOffice: undefined
  }): { dateRanges: DateRange[]; oooExcludedDateRanges: DateRange[] }
  subtract(ranges: DateRange[], busy: DateRange[]): DateRange[]
  getAggregatedAvailability(
    users: { dateRanges: DateRange[]; oooExcludedDateRanges: DateRange[] }[],
    schedulingType: null,
  ): DateRange[]
  buildSlotsWithDateRanges(input: {
    dateRanges: DateRange[]
    frequency: number
    eventLength: number
    timeZone: string
    minimumBookingNotice: number
    offsetStart: number
  }): { time: Dayjs }[]
  utc(instant: number): Dayjs
}

/**
 * The slot computation of Cal.com's published library, from `root`: the unpacked package with
 * `dayjs` beside it. Its entry needs Cal.com's whole database client, so the parts are taken from
 * its files one by one: ranges of working hours and their subtraction are modules of their own, the
 * rest of the path of a request is copied out of the slots module as it is published, into a file
 * of this run in `folder`. Throws when the files are not what they are in this version.
 */
export async function loadPeer(
  root: string,
  folder: string,
): Promise<(question: SlotQuestion, visitorZone: string) => ComputeStarts> {
  const dist = [
    join(root, 'package', 'dist'),
    join(root, 'node_modules', '@calcom', 'platform-libraries', 'dist'),
  ].find(existsSync)
  if (!dist) throw new Error(`${root} has no unpacked @calcom/platform-libraries`)
  const { version } = JSON.parse(await readFile(join(dist, '..', 'package.json'), 'utf8')) as {
    version: string
  }
  if (version !== peerVersion)
    throw new Error(`${root} holds version ${version} and not ${peerVersion}`)
  const named = async (start: string) => {
    const file = (await readdir(dist)).find(
      (name) => name.startsWith(start) && name.endsWith('.js'),
    )
    if (!file) throw new Error(`the package has no file ${start}*.js`)
    return pathToFileURL(join(dist, file)).href
  }
  const dayjs = pathToFileURL(createRequire(join(dist, 'slots.js')).resolve('dayjs')).href
  const ranges = await named('date-ranges-')
  const source = await readFile(join(dist, 'slots.js'), 'utf8')
  const [from, to] = [
    source.indexOf('function createIntervalNodes('),
    source.indexOf('const getSlots = ('),
  ]
  if (from < 0 || to < from) throw new Error('the slots module is not built as expected')
  const copied = join(folder, 'slots-peer.mjs')
  await writeFile(
    copied,
    `import dayjs from ${JSON.stringify(dayjs)}
import { b as buildDateRanges, i as intersect, s as subtract } from ${JSON.stringify(ranges)}
const SchedulingType = { COLLECTIVE: 'COLLECTIVE', ROUND_ROBIN: 'ROUND_ROBIN' }
const DEFAULT_GROUP_ID = 'default_group_id'
${source.slice(from, to)}
export { buildDateRanges, subtract, getAggregatedAvailability, buildSlotsWithDateRanges }
export const utc = (instant) => dayjs.utc(instant)
`,
  )
  const parts = (await import(pathToFileURL(copied).href)) as Parts
  return (question, visitorZone) => startsOf(parts, question, visitorZone)
}

/**
 * As the peer stores them: one record for all days with the same hours, because it walks through
 * the range once per record.
 */
function workingHours(weekly: SlotQuestion['schedule']['weekly']): Availability[] {
  const records = new Map<string, { days: number[]; startTime: Date; endTime: Date }>()
  weekly.forEach((windows, day) => {
    for (const { start, end } of windows) {
      const record = records.get(`${start}-${end}`) ?? {
        days: [],
        startTime: timeOf(start),
        endTime: timeOf(end),
      }
      // Sunday is 0 there.
      record.days.push((day + 1) % 7)
      records.set(`${start}-${end}`, record)
    }
  })
  return [...records.values()]
}

const timeOf = (minutes: number) => new Date(minutes * 60_000)

/**
 * The question in the peer's words; busy times get their objects within each run, as a request
 * makes them.
 */
function startsOf(
  parts: Parts,
  { schedule, settings, busy, range }: SlotQuestion,
  visitorZone: string,
): ComputeStarts {
  const availability: Availability[] = [
    ...workingHours(schedule.weekly),
    ...[...schedule.overrides].flatMap(([day, windows]) =>
      (windows.length > 0 ? windows : [{ start: 0, end: 0 }]).map(({ start, end }) => ({
        date: new Date(day * 86_400_000),
        startTime: timeOf(start),
        endTime: timeOf(end),
      })),
    ),
  ]
  return () => {
    const { dateRanges, oooExcludedDateRanges } = parts.buildDateRanges({
      availability,
      timeZone: schedule.zone,
      travelSchedules: [],
      outOfOffice: undefined,
      dateFrom: parts.utc(range.start),
      dateTo: parts.utc(range.end),
    })
    const taken = busy.map(({ start, end }) => ({ start: parts.utc(start), end: parts.utc(end) }))
    const free = {
      dateRanges: parts.subtract(dateRanges, taken),
      oooExcludedDateRanges: parts.subtract(oooExcludedDateRanges, taken),
    }
    const slots = parts.buildSlotsWithDateRanges({
      dateRanges: parts.getAggregatedAvailability([free], null),
      frequency: settings.stepMinutes,
      eventLength: settings.durationMinutes,
      timeZone: visitorZone,
      minimumBookingNotice: settings.noticeMinutes,
      offsetStart: 0,
    })
    return slots.map(({ time }) => time.valueOf())
  }
}
