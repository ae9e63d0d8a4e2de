import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { recordMeasurement } from '@atrium/testing/measurements'
import { beforeAll, describe, expect, it } from 'vitest'
import { requirements } from './asvs-requirements.ts'

const root = join(import.meta.dirname, '../..')
const stands = ['test', 'reason', 'other', 'none', 'open'] as const

interface Row {
  numbers: string[]
  stand: string
  how: string
}

let rows: Row[]
beforeAll(async () => {
  const text = await readFile(join(root, 'docs/reference/asvs.md'), 'utf8')
  rows = [...text.matchAll(/^\| (\d[\d., ]*) \| (\w+) \| (.+) \|$/gm)].map(
    ([, numbers = '', stand = '', how = '']) => ({
      numbers: numbers.split(', '),
      stand,
      how,
    }),
  )
})

const testsOf = ({ how }: Row) =>
  [...how.matchAll(/`((?:apps|packages|tests|e2e)\/[^`]+\.test\.tsx?)`/g)].map(
    ([, file = '']) => file,
  )

describe('the table of ASVS requirements', () => {
  it('names every requirement of levels 1 and 2 once, and no other', () => {
    const listed = rows.flatMap((row) => row.numbers)
    const requested = Object.entries(requirements).flatMap(([section, numbers]) =>
      numbers.map((number) => `${section}.${number}`),
    )
    expect(requested).toHaveLength(253)
    expect([...listed].sort()).toEqual([...requested].sort())
  })

  it('reports the state of each', () => {
    expect(rows.filter(({ stand }) => !stands.some((known) => known === stand))).toEqual([])
    expect(rows.filter(({ how }) => how.length < 8)).toEqual([])
  })

  it('names tests that exist, wherever it says that one holds it', () => {
    expect(rows.filter((row) => row.stand === 'test' && testsOf(row).length === 0)).toEqual([])
    expect(rows.flatMap(testsOf).filter((file) => !existsSync(join(root, file)))).toEqual([])
  })

  it('has no requirement without a test or a reason', async () => {
    const count = (stand: string) =>
      rows.filter((row) => row.stand === stand).reduce((sum, row) => sum + row.numbers.length, 0)
    const open = rows.filter(({ stand }) => stand === 'open').flatMap(({ numbers }) => numbers)
    await recordMeasurement({
      target: 'S22',
      what: 'requirements of levels 1 and 2',
      measured: `${stands.map((stand) => `${stand} ${count(stand)}`).join(', ')}${open.length > 0 ? `; open: ${open.join(', ')}` : ''}`,
      reached: open.length === 0,
    })
    expect(count('test')).toBeGreaterThan(0)
  })
})
