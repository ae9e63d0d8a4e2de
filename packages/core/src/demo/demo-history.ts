import {
  type CompanyRow,
  companyRows,
  demoCards,
  type PaidPlan,
  partnerRows,
} from './demo-companies.ts'
import { firstNames, lastNames } from './demo-names.ts'
import { seededNumbers } from './seeded-numbers.ts'

/**
 * What happened in a local workplace before it was started: companies that signed up, paid, grew
 * and left, the partners that sold to them, and their people. The sandbox's payment processor and
 * the seed of the database read the same history, so they agree. The same day gives the same
 * history. Never used in production.
 */
export interface DemoHistory {
  /** Midnight (UTC) of the day the history ends with. */
  readonly until: Date
  readonly partners: readonly DemoPartner[]
  /** In the order in which they signed up. */
  readonly companies: readonly DemoCompany[]
}

export interface DemoPartner {
  readonly slug: string
  readonly name: string
  readonly domain: string
  readonly marginPct: number
  readonly country: string
  readonly since: Date
  readonly consentAt: Date | null
  readonly staff: readonly HistoricPerson[]
}

export interface HistoricPerson {
  readonly email: string
  readonly name: string
  /** The `sub` claim, as `DemoPerson.subject`. */
  readonly subject: string
  readonly role: 'owner' | 'admin' | 'member'
  readonly lastSeenAt: Date | null
  /** Has an authenticator at the identity provider. */
  readonly secondFactor: boolean
}

export interface DemoCompany {
  readonly slug: string
  readonly name: string
  readonly industry: string
  readonly brandColor: string
  readonly country: string
  readonly partner: string | null
  readonly since: Date
  /** Empty for a demo tenant, whose people `demoPeople` names. */
  readonly people: readonly HistoricPerson[]
  readonly sale: DemoSale
}

export interface DemoSale {
  readonly at: Date
  readonly plan: PaidPlan
  readonly cycle: 'month' | 'year'
  readonly currency: 'eur' | 'usd'
  readonly seats: number
  readonly trialDays: number
  /** Number of a test card; null: none was entered. */
  readonly card: string | null
  /** Oldest first. */
  readonly moves: readonly DemoMove[]
}

export type DemoMove = { readonly at: Date } & (
  | { readonly kind: 'seats'; readonly seats: number }
  | { readonly kind: 'plan'; readonly plan: PaidPlan }
  | { readonly kind: 'card'; readonly card: string }
  | { readonly kind: 'cancel'; readonly feedback: string; readonly comment: string | null }
  | { readonly kind: 'refund' }
  | { readonly kind: 'credit_note'; readonly amount: number }
)

const dayMs = 86_400_000
const hourMs = 3_600_000

/** The history of the fifteen months before a moment's day (UTC). */
export function demoHistory(day: Date): DemoHistory {
  const until = new Date(Math.floor(day.getTime() / dayMs) * dayMs)
  const partners = partnerRows.map(({ months, consent, staff, ...row }, index) => {
    const random = seededNumbers(9_000 + index)
    const since = working(monthsBefore(until, months), random)
    return {
      ...row,
      since,
      consentAt: consent ? new Date(since.getTime() + 2 * dayMs) : null,
      staff: peopleOf(row.domain, staff, until, random),
    }
  })
  const companies = companyRows.map((row, index) =>
    toCompany(row, until, seededNumbers(1_000 + index)),
  )
  return {
    until,
    partners,
    companies: companies.sort((one, other) => one.since.getTime() - other.since.getTime()),
  }
}

function toCompany(row: CompanyRow, until: Date, random: () => number): DemoCompany {
  const slug =
    row.name === 'Acme Engineering' ? 'acme' : row.name.toLowerCase().replaceAll(' ', '-')
  const at = working(monthsBefore(daysBefore(until, row.renewed), row.months), random)
  const members =
    slug === 'acme' ? 0 : Math.max(2, Math.min(12, Math.round(row.seats * (0.6 + 0.35 * random()))))
  return {
    slug,
    name: row.name,
    industry: row.industry,
    brandColor: row.color,
    country: row.country,
    partner: row.partner,
    since: new Date(at.getTime() - (1 + 48 * random()) * hourMs),
    people: peopleOf(`${slug}.test`, members, until, random),
    sale: {
      at,
      plan: row.plan,
      cycle: row.cycle ?? 'month',
      currency: row.currency ?? 'eur',
      seats: row.seats,
      trialDays: row.trialDays ?? 0,
      card: row.card === undefined ? demoCards.good : row.card,
      moves: movesOf(row, at, until, random),
    },
  }
}

function movesOf(row: CompanyRow, began: Date, until: Date, random: () => number): DemoMove[] {
  const moves: DemoMove[] = []
  const leftAt = row.end && 'left' in row.end ? monthsBefore(until, row.end.left) : until
  // About every four months a company needs more seats; the last days are left out, so that the
  // demo's texts stay simple.
  let seats = row.seats
  for (let months = 3; ; months += 3 + Math.floor(3 * random())) {
    const at = working(daysBefore(monthsBefore(began, -months), -4), random)
    if (at.getTime() > leftAt.getTime() - 40 * dayMs) break
    seats += 1 + Math.floor(seats * 0.25 * random())
    moves.push({ at, kind: 'seats', seats })
  }
  if (row.upgrade)
    moves.push({
      at: working(monthsBefore(until, row.upgrade.months), random),
      kind: 'plan',
      plan: row.upgrade.plan,
    })
  if (row.extra === 'refund')
    moves.push({ at: working(monthsBefore(until, 3), random), kind: 'refund' })
  if (row.extra === 'credit_note')
    moves.push({ at: working(monthsBefore(until, 2), random), kind: 'credit_note', amount: 2_400 })
  if (row.end && 'declined' in row.end) {
    moves.push({
      at: working(daysBefore(until, row.renewed + 6), random),
      kind: 'card',
      card: demoCards.declined,
    })
  } else if (row.end) {
    const at = 'left' in row.end ? working(leftAt, random) : working(daysBefore(until, 3), random)
    moves.push({ at, kind: 'cancel', feedback: row.end.feedback, comment: row.end.comment })
  }
  return moves.sort((one, other) => one.at.getTime() - other.at.getTime())
}

/** The first is the owner, the second an admin. */
function peopleOf(
  domain: string,
  count: number,
  until: Date,
  random: () => number,
): HistoricPerson[] {
  const people = new Map<string, HistoricPerson>()
  while (people.size < count) {
    const [first, last] = [pick(firstNames, random), pick(lastNames, random)]
    const email = `${first}.${last}@${domain}`.toLowerCase()
    if (people.has(email)) continue
    const seen = random()
    people.set(email, {
      email,
      name: `${first} ${last}`,
      subject: Array.from({ length: 8 }, () =>
        Math.floor(random() * 4_294_967_296)
          .toString(16)
          .padStart(8, '0'),
      ).join(''),
      role: people.size === 0 ? 'owner' : people.size === 1 ? 'admin' : 'member',
      lastSeenAt: seen > 0.92 ? null : new Date(until.getTime() - (0.1 + 40 * seen ** 3) * dayMs),
      secondFactor: random() < 0.7,
    })
  }
  return [...people.values()]
}

function pick<T>(from: readonly T[], random: () => number): T {
  const found = from[Math.floor(random() * from.length)]
  if (found === undefined) throw new Error('nothing to pick from')
  return found
}

/** An hour of work on the day of a moment, to the second. */
function working(at: Date, random: () => number): Date {
  const midnight = Math.floor(at.getTime() / dayMs) * dayMs
  return new Date(midnight + 7 * hourMs + Math.floor(9 * 3600 * random()) * 1000)
}

function daysBefore(at: Date, days: number): Date {
  return new Date(at.getTime() - days * dayMs)
}

/** The same day of an earlier month, or its last one. Fewer than none: of a later month. */
function monthsBefore(at: Date, months: number): Date {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth() - months]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return new Date(
    Date.UTC(year, month, Math.min(at.getUTCDate(), lastDay)) + (at.getTime() % dayMs),
  )
}
