import { execFile } from 'node:child_process'
import { appendFile, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inFull, recordMeasurement, rounds } from '@atrium/testing/measurements'
import { afterAll, describe, expect, it } from 'vitest'
import { readBooks } from './accounts/books.ts'
import type { Books } from './accounts/checker/books.ts'
import { differencesOf } from './accounts/checker/checker.ts'
import { startSimulatedService, type TaxMode } from './accounts/service.ts'
import { playYear } from './accounts/year.ts'

const start = new Date('2026-01-01T00:00:00Z')
const days = 365
/** Minutes by default; the goal of 1,000 years of 300 customers has to be asked for. */
const customers = Number(process.env.ACCOUNTS_CUSTOMERS ?? rounds(10, 30))
/** A year of 300 customers takes minutes, and many times that beside other work. */
const timeout = 7_200_000
const taxModes: readonly TaxMode[] = ['none', 'fixed', 'computed']
/** `ACCOUNTS_SEEDS` is one seed or a range, so that several machines can share them. */
const [first = 1, last = first] = (process.env.ACCOUNTS_SEEDS ?? `1-${rounds(2, 5)}`)
  .split('-')
  .map(Number)
/** In full: the seeds that were played, so that a run goes on where the last one ended. */
const record = join(import.meta.dirname, '../results/accounts.ndjson')
const until = performance.now() + Number(process.env.ACCOUNTS_MINUTES ?? Infinity) * 60_000

type Fault = readonly [what: string, spoil: (books: Books) => void]

interface Played {
  seed: number
  customers: number
  /** The state of the program; another one starts again. */
  commit: string
  events: number
  differences: number
}

const commit = inFull ? await currentCommit() : undefined
const played: Played[] = (await playedBefore()).filter(({ seed }) => seed >= first && seed <= last)
const seeds = Array.from({ length: last - first + 1 }, (_, n) => first + n)
let sample: { books: Books; differences: number } | undefined

/** Undefined where it cannot be told which program runs: nothing is resumed then. */
async function currentCommit(): Promise<string | undefined> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', args, { cwd: import.meta.dirname })).stdout.trim()
  try {
    return (await git('status', '--porcelain')) === '' ? await git('rev-parse', 'HEAD') : undefined
  } catch {
    return undefined
  }
}

async function playedBefore(): Promise<Played[]> {
  if (commit === undefined) return []
  const lines = (await readFile(record, 'utf8').catch(() => '')).split('\n').filter(Boolean)
  return lines
    .map((line): Played => JSON.parse(line))
    .filter((one) => one.commit === commit && one.customers === customers && one.differences === 0)
}

async function play(seed: number): Promise<{ books: Books; differences: string[] }> {
  await using service = await startSimulatedService(
    start,
    taxModes[seed % taxModes.length] ?? 'none',
  )
  const year = await playYear(service, { seed, customers, days })
  const books = await readBooks(service, year)
  const differences = differencesOf(books)
  const result: Played = {
    seed,
    customers,
    commit: commit ?? '',
    events: year.events.length,
    differences: differences.length,
  }
  played.push(result)
  if (commit !== undefined) {
    await mkdir(join(record, '..'), { recursive: true })
    await appendFile(record, `${JSON.stringify(result)}\n`)
  }
  return { books, differences }
}

afterAll(async () => {
  const events = played.reduce((sum, one) => sum + one.events, 0)
  const differing = played.filter(({ differences }) => differences > 0).map(({ seed }) => seed)
  await recordMeasurement({
    target: 'R18',
    what: `years of ${customers} customers`,
    measured: `${played.length} seeds (${first} to ${last}), ${events} events, ${
      differing.length === 0 ? 'no difference' : `differences in seeds ${differing.join(', ')}`
    }`,
    reached: differing.length === 0 && played.length === seeds.length,
  })
})

const left = seeds.filter((seed) => !played.some((one) => one.seed === seed))
describe.runIf(left.length > 0)('a year', () => {
  it.each(left)('of seed %s agrees with the log of the processor', { timeout }, async (seed) => {
    if (performance.now() > until) return
    const { books, differences } = await play(seed)
    sample ??= { books, differences: differences.length }
    expect(differences.slice(0, 20).join('\n')).toBe('')
  })
})

describe('the checker', () => {
  it('imports nothing but its own files', async () => {
    const folder = join(import.meta.dirname, 'accounts/checker')
    const names = await readdir(folder)
    expect(names).toContain('checker.ts')
    for (const name of names) {
      const text = await readFile(join(folder, name), 'utf8')
      const imported = [...text.matchAll(/\b(?:from|import|require)\b\s*\(?\s*'([^']*)'/g)]
      for (const [, path = ''] of imported) expect(names, name).toContain(path.replace('./', ''))
    }
  })

  const decided = ({ decisions }: Books, what: string) =>
    decisions.filter((one) => one.what === what)
  /** One cent, one seat or one number off. */
  const faults: readonly Fault[] = [
    [
      'an invoice',
      ({ tenants }) =>
        void bump(
          tenants.flatMap((one) => one.invoices),
          'taxMinor',
        ),
    ],
    [
      'a document',
      ({ tenants }) =>
        void bump(
          tenants.flatMap((one) => one.documents.flatMap(({ totals }) => totals ?? [])),
          'taxMinor',
        ),
    ],
    [
      'a number of a document',
      ({ tenants }) => void tenants.find((one) => one.documents.length > 0)?.documents.pop(),
    ],
    [
      'a balance',
      ({ partners }) =>
        void bump(
          partners.flatMap((one) => one.billing.balances),
          'balanceMinor',
        ),
    ],
    [
      'a share',
      ({ partners }) =>
        void bump(
          partners.flatMap((one) => one.ledger),
          'amountMinor',
        ),
    ],
    [
      'recurring revenue',
      ({ scopes }) =>
        void bump(
          scopes.flatMap((one) => one.mrr.flatMap((month) => month.currencies)),
          'arrMinor',
        ),
    ],
    [
      'invoiced revenue',
      ({ scopes }) =>
        void bump(
          scopes.flatMap((one) => one.invoiced),
          'collectedMinor',
        ),
    ],
    ...(['creditedMinor', 'refundedMinor', 'disputedMinor', 'recognizedMinor'] as const).map(
      (field): Fault => [
        `invoiced revenue, ${field}`,
        ({ scopes }) =>
          void bump(
            scopes.flatMap((one) => one.invoiced),
            field,
          ),
      ],
    ),
    [
      'entitlements',
      ({ tenants }) =>
        void bump(
          tenants.filter((one) => one.status !== 'deleted'),
          'seats',
        ),
    ],
    ['what was quoted', (books) => bump(decided(books, 'quoted'), 'totalMinor')],
    ['what a start was to cost', (books) => bump(decided(books, 'quoted start'), 'totalMinor')],
    [
      'what an owner was only asked for',
      (books) => {
        for (const { what, at, ...one } of decided(books, 'quoted start'))
          if ('tenant' in one) books.decisions.push({ what: 'asked', tenant: one.tenant, at })
      },
    ],
    ['the margin', (books) => bump(decided(books, 'margin'), 'basisPoints', 1_000)],
    [
      'what was agreed',
      (books) => {
        for (const one of decided(books, 'terms'))
          if (one.what === 'terms' && one.terms) one.terms.seats += 1
      },
    ],
    [
      'entitlements within the year',
      ({ closings }) =>
        void bump(
          closings.flatMap(({ tenants }) => tenants.filter((one) => one.status !== 'deleted')),
          'seats',
        ),
    ],
    [
      'balances of partners within the year',
      ({ closings }) =>
        void bump(
          closings.flatMap((one) => one.partners.flatMap(({ billing }) => billing.balances)),
          'balanceMinor',
        ),
    ],
    [
      "the bookkeeping's amounts",
      ({ bookkeeping }) =>
        void bump(
          bookkeeping.months.flatMap(({ rows }) => rows),
          'grossMinor',
        ),
    ],
    [
      "the bookkeeping's balances",
      ({ bookkeeping }) =>
        void bump(
          bookkeeping.months.flatMap(({ balances }) => balances),
          'payoutsMinor',
        ),
    ],
    ['a movement of the account at the processor', ({ movements }) => void movements.splice(0, 1)],
    ['a mail', (books) => void books.mails.splice(lastReceipt(books), 1)],
    [
      'a mail that comes twice',
      (books) => void books.mails.push(...books.mails.slice(lastReceipt(books)).slice(0, 1)),
    ],
    ['the amount in a mail', ({ mails }) => void bump(mails, 'digits')],
    [
      'the kind of a tax',
      ({ tenants }) => {
        for (const { documents } of tenants)
          for (const document of documents)
            document.taxCategories &&= document.taxCategories.map((one) =>
              one === 'AE' ? 'S' : 'AE',
            )
      },
    ],
    ['the overview', ({ overview }) => void bump(overview.currencies, 'openMinor')],
    [
      'the numbers of invoices',
      ({ tenants }) => void tenants.find((one) => one.invoices.length > 0)?.invoices.pop(),
    ],
  ]
  /** Of a customer who was not deleted: nobody asks what the others were told. */
  function lastReceipt({ mails, tenants }: Books): number {
    const kept = tenants.filter(({ status }) => status !== 'deleted').map(({ id }) => id)
    const index = mails.findLastIndex(
      ({ tenantId, template }) => template === 'invoice.paid' && kept.includes(tenantId),
    )
    if (index === -1) throw new Error('the sample has no such row')
    return index
  }
  function bump(rows: readonly object[], field: string, by = 1): void {
    if (rows.length === 0) throw new Error('the sample has no such row')
    for (const row of rows) Reflect.set(row, field, Number(Reflect.get(row, field)) + by)
  }

  it.each(faults)('notices a fault in %s', (_, spoil) => {
    if (!sample) return
    const books = structuredClone(sample.books)
    spoil(books)
    expect(differencesOf(books).length).toBeGreaterThan(sample.differences)
  })
})
