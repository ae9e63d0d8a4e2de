import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Measurement } from '@atrium/testing/measurements'
import type { Target } from './targets.ts'

/** What the newest run of one goal in one form gave. */
export interface Result {
  id: string
  title: string
  reach: string
  form: 'short' | 'full'
  /** When the run ended. */
  at: string
  machine: string
  measurements: readonly Measurement[]
}

const folder = join(import.meta.dirname, 'results')

/**
 * The newest result of each goal and form, in the order of the goals; nothing where none was run.
 */
export async function readResults(suite: string): Promise<Result[]> {
  const text = await readFile(join(folder, `${suite}.json`), 'utf8').catch(() => '[]')
  return JSON.parse(text) as Result[]
}

/**
 * Puts what was measured in the place of what an earlier run gave for the same goals in the same
 * form; the others stay.
 */
export async function saveResults(
  targets: readonly Target[],
  form: Result['form'],
  measured: readonly { target: Target; measurements: readonly Measurement[] }[],
): Promise<void> {
  const suite = measured[0]?.target.suite
  if (!suite) return
  const machine = `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 1024 ** 3)} GiB, Node ${process.version}`
  const at = new Date().toISOString()
  const found = measured
    .filter(({ measurements }) => measurements.length > 0)
    .map(
      ({ target: { id, title, reach }, measurements }): Result => ({
        id,
        title,
        reach,
        form,
        at,
        machine,
        measurements,
      }),
    )
  const kept = (await readResults(suite)).filter(
    (old) => !found.some((one) => one.id === old.id && one.form === old.form),
  )
  const place = new Map(targets.map(({ id }, index) => [id, index]))
  const rows = [...kept, ...found].sort(
    (a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0) || (a.form < b.form ? -1 : 1),
  )
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${suite}.json`), `${JSON.stringify(rows, null, 2)}\n`)
}

/**
 * The results as a table of Markdown: of each goal the full form where it was run, else the short
 * one, and by how much a goal is missed.
 */
export function renderResults(results: readonly Result[]): string {
  const chosen = results.filter(
    ({ id, form }) =>
      form === 'full' || !results.some((other) => other.id === id && other.form === 'full'),
  )
  const lines = chosen.map(({ id, title, form, measurements }) => {
    const told = measurements
      .map(({ what, measured, reached }) => `${reached ? '' : '**missed** '}${what}: ${measured}`)
      .join('; ')
    return `| ${id} ${title} | ${form} | ${told.replaceAll('|', '\\|')} |`
  })
  return ['| Goal | Form | Figures |', '|---|---|---|', ...lines].join('\n')
}
