import { queues } from '@atrium/db/platform/jobs'
import type pg from 'pg'
import type { Check } from './shared-state.ts'

/** The hours between the nightly jobs and the morning. */
const nightSeconds = 4 * 3600
const longestWait = 30 * 60_000

/**
 * Every job with a schedule runs once while all health is out of date, and has to end before it is
 * due again: a nightly one within four hours.
 */
export async function checkJobWindows(client: pg.Client): Promise<Check> {
  await client.query(`update tenant_health set computed_at = now() - interval '2 days'`)
  const { rows: schedules } = await client.query<{ name: string; cron: string }>(
    'select name, cron from jobs.schedule',
  )
  const { rows: sent } = await client.query<{ id: string }>(
    'insert into jobs.job (name, data) select name, $1 from jobs.schedule returning id',
    [{}],
  )
  const ids = sent.map(({ id }) => id)
  const deadline = Date.now() + longestWait
  const unfinished = async () => {
    const { rows } = await client.query<{ name: string }>(
      `select name from jobs.job where id = any($1) and state not in ('completed', 'failed')`,
      [ids],
    )
    return rows.map(({ name }) => name)
  }
  let open = await unfinished()
  while (open.length > 0 && Date.now() < deadline) {
    await new Promise((done) => setTimeout(done, 1_000))
    open = await unfinished()
  }
  const { rows: ran } = await client.query<{ name: string; state: string; seconds: number }>(
    `select name, state, extract(epoch from completed_on - started_on)::float8 as seconds from jobs.job where id = any($1)`,
    [ids],
  )
  const windows = new Map(schedules.map(({ name, cron }) => [name, windowSeconds(cron)]))
  const late = ran.filter(
    ({ name, state, seconds }) => state !== 'completed' || seconds > (windows.get(name) ?? 0),
  )
  const slowest = ran.toSorted((one, other) => other.seconds - one.seconds).slice(0, 3)
  const say = ({ name, seconds }: { name: string; seconds: number }) =>
    `${name} ${seconds?.toFixed(1)} s of ${windows.get(name)}`
  return {
    what: 'scheduled jobs end before they are due again',
    measured: `${ran.length} jobs, slowest ${slowest.map(say).join(', ')}${late.length > 0 ? `; late or failed: ${late.map(say).join(', ')}` : ''}`,
    holds: open.length === 0 && late.length === 0 && windows.has(queues.health),
  }
}

/** Seconds between two runs of a schedule; of a nightly one the night. */
function windowSeconds(cron: string): number {
  const [minute = '', hour = ''] = cron.split(' ')
  if (hour !== '*') return nightSeconds
  if (minute === '*') return 60
  return minute.startsWith('*/') ? Number(minute.slice(2)) * 60 : 3600
}
