import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * One measured figure of a goal; a goal may have several, and is reached when all of its figures
 * are.
 */
export interface Measurement {
  /** Of a goal in `goals.ts`, such as `R1`. */
  target: string
  /** What was measured, in a few words: `kills at every await of create`. */
  what: string
  /** The figure as people read it: `212 kills, 0 lost, 0 doubled, slowest recovery 6.1 s`. */
  measured: string
  reached: boolean
}

/**
 * Notes what a test measured, for the table that `pnpm test:resilience` and `pnpm test:security`
 * print. Call it before the assertions that would end the test, so that a goal that is missed shows
 * by how much. Without a run of those commands it writes nothing.
 */
export async function recordMeasurement(measurement: Measurement): Promise<void> {
  const folder = process.env.ATRIUM_MEASUREMENTS
  if (!folder) return
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, `${measurement.target}-${randomUUID()}.json`),
    JSON.stringify({ ...measurement, at: new Date().toISOString() }),
  )
}

/** The figures that a run left in its folder, oldest first. */
export async function readMeasurements(folder: string): Promise<Measurement[]> {
  const names = await readdir(folder).catch(() => [])
  const measurements = await Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .map(
        async (name) =>
          JSON.parse(await readFile(join(folder, name), 'utf8')) as Measurement & { at: string },
      ),
  )
  return measurements.sort((a, b) => a.at.localeCompare(b.at))
}

/** Whether the goals are measured in full. The everyday tests try the same with fewer rounds. */
export const inFull = process.env.ATRIUM_TEST_FORM === 'full'

/** Rounds, kills or requests: few in the everyday tests, as many as the goal asks for in full. */
export function rounds(everyday: number, full: number): number {
  return inFull ? full : everyday
}
