import type { Plan } from '../tenants/tenants.ts'

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
  readonly plan: Exclude<Plan, 'free'>
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
  | { readonly kind: 'plan'; readonly plan: Exclude<Plan, 'free'> }
  | { readonly kind: 'card'; readonly card: string }
  | { readonly kind: 'cancel'; readonly feedback: string; readonly comment: string | null }
  | { readonly kind: 'refund' }
  | { readonly kind: 'credit_note'; readonly amount: number }
)

export const demoCards = {
  good: '4242424242424242',
  mastercard: '5555555555554444',
  declined: '4000000000000341',
} as const

/** Numbers from 0 to 1 that look random and are the same for the same seed (mulberry32). */
export function seededNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const dayMs = 86_400_000
const hourMs = 3_600_000

const firstNames = [
  ...[
    'Ada',
    'Ben',
    'Clara',
    'Deniz',
    'Elif',
    'Felix',
    'Greta',
    'Hugo',
    'Ida',
    'Jonas',
    'Karla',
    'Levi',
    'Mara',
    'Nils',
    'Olga',
    'Paul',
  ],
  ...[
    'Rosa',
    'Samir',
    'Tilda',
    'Uwe',
    'Vera',
    'Wim',
    'Yara',
    'Zoe',
    'Emil',
    'Lotte',
    'Milan',
    'Nora',
    'Oskar',
    'Selma',
    'Theo',
    'Una',
  ],
]
const lastNames = [
  ...[
    'Albers',
    'Brandt',
    'Castel',
    'Dietz',
    'Engel',
    'Fischer',
    'Graf',
    'Hansen',
    'Ivers',
    'Jansen',
    'Keller',
    'Lorenz',
    'Meyer',
    'Novak',
  ],
  ...[
    'Olsen',
    'Peters',
    'Quist',
    'Richter',
    'Sommer',
    'Thiel',
    'Ulrich',
    'Vogel',
    'Weber',
    'Xavier',
    'Yilmaz',
    'Zimmer',
    'Moreau',
    'Rossi',
  ],
]

type End =
  | { readonly left: number; readonly feedback: string; readonly comment: string | null }
  | { readonly leaving: true; readonly feedback: string; readonly comment: string | null }
  | { readonly declined: true }

interface Row {
  readonly name: string
  readonly industry: string
  readonly color: string
  readonly country: string
  readonly partner: 'north' | 'alster' | 'monte' | null
  readonly plan: DemoSale['plan']
  readonly cycle?: 'year'
  readonly currency?: 'usd'
  readonly seats: number
  /** Whole months before the last renewal at which the subscription began. */
  readonly months: number
  /** Days before the end of the history at which the last period began. */
  readonly renewed: number
  readonly trialDays?: number
  readonly card?: string | null
  readonly upgrade?: { readonly months: number; readonly plan: DemoSale['plan'] }
  readonly end?: End
  readonly extra?: 'refund' | 'credit_note'
}

const rows: readonly Row[] = [
  {
    name: 'Acme Engineering',
    industry: 'Manufacturing',
    color: '#b4391f',
    country: 'DE',
    partner: 'north',
    plan: 'business',
    seats: 3,
    months: 14,
    renewed: 9,
  },
  {
    name: 'Harbour Logistics',
    industry: 'Logistics',
    color: '#1c5d99',
    country: 'DE',
    partner: 'north',
    plan: 'business',
    seats: 18,
    months: 13,
    renewed: 20,
  },
  {
    name: 'Lindqvist Architects',
    industry: 'Architecture',
    color: '#6b4f9e',
    country: 'SE',
    partner: null,
    plan: 'starter',
    seats: 6,
    months: 13,
    renewed: 4,
    upgrade: { months: 6, plan: 'business' },
  },
  {
    name: 'Bluebird Media',
    industry: 'Media',
    color: '#0a7ea4',
    country: 'US',
    partner: null,
    plan: 'business',
    currency: 'usd',
    seats: 14,
    months: 12,
    renewed: 26,
  },
  {
    name: 'Corvin Dental',
    industry: 'Health care',
    color: '#2b8a6b',
    country: 'AT',
    partner: 'alster',
    plan: 'starter',
    seats: 5,
    months: 12,
    renewed: 11,
  },
  {
    name: 'Ostrava Steel Trading',
    industry: 'Wholesale',
    color: '#5c6b7a',
    country: 'CZ',
    partner: 'north',
    plan: 'enterprise',
    seats: 35,
    months: 12,
    renewed: 16,
  },
  {
    name: 'Fjord Analytics',
    industry: 'Software',
    color: '#3b5bdb',
    country: 'NO',
    partner: null,
    plan: 'business',
    cycle: 'year',
    seats: 22,
    months: 12,
    renewed: 34,
  },
  {
    name: 'Bakery Sommer',
    industry: 'Food',
    color: '#c2761b',
    country: 'DE',
    partner: 'alster',
    plan: 'starter',
    seats: 4,
    months: 11,
    renewed: 7,
    end: { left: 4, feedback: 'too_expensive', comment: 'We are too small for this.' },
  },
  {
    name: 'Notary Dietz and Partners',
    industry: 'Legal',
    color: '#7a2e4d',
    country: 'DE',
    partner: 'north',
    plan: 'business',
    seats: 9,
    months: 11,
    renewed: 23,
  },
  {
    name: 'Greenfield Farms',
    industry: 'Agriculture',
    color: '#4b7f2c',
    country: 'NL',
    partner: null,
    plan: 'starter',
    seats: 7,
    months: 10,
    renewed: 2,
  },
  {
    name: 'Kestrel Robotics',
    industry: 'Manufacturing',
    color: '#a83232',
    country: 'DE',
    partner: 'alster',
    plan: 'business',
    seats: 26,
    months: 10,
    renewed: 14,
    extra: 'credit_note',
  },
  {
    name: 'Sunline Travel',
    industry: 'Travel',
    color: '#d1672a',
    country: 'US',
    partner: null,
    plan: 'business',
    currency: 'usd',
    seats: 11,
    months: 9,
    renewed: 19,
    end: { left: 3, feedback: 'switched_service', comment: null },
  },
  {
    name: 'Meridian Insurance',
    industry: 'Insurance',
    color: '#23527a',
    country: 'CH',
    partner: 'monte',
    plan: 'enterprise',
    seats: 48,
    months: 9,
    renewed: 6,
  },
  {
    name: 'Atelier Moreau',
    industry: 'Design',
    color: '#8e44ad',
    country: 'FR',
    partner: null,
    plan: 'starter',
    seats: 3,
    months: 8,
    renewed: 28,
    upgrade: { months: 3, plan: 'business' },
  },
  {
    name: 'Polaris Schools',
    industry: 'Education',
    color: '#2c6e91',
    country: 'FI',
    partner: null,
    plan: 'business',
    cycle: 'year',
    seats: 60,
    months: 0,
    renewed: 240,
  },
  {
    name: 'Union Cinema',
    industry: 'Culture',
    color: '#b03060',
    country: 'DE',
    partner: 'north',
    plan: 'starter',
    seats: 8,
    months: 7,
    renewed: 21,
    extra: 'refund',
  },
  {
    name: 'Delta Freight',
    industry: 'Logistics',
    color: '#41607d',
    country: 'BE',
    partner: 'alster',
    plan: 'business',
    seats: 16,
    months: 6,
    renewed: 12,
  },
  {
    name: 'Orchard Clinics',
    industry: 'Health care',
    color: '#2f8f83',
    country: 'IE',
    partner: 'monte',
    plan: 'business',
    seats: 19,
    months: 6,
    renewed: 3,
    card: demoCards.mastercard,
    end: { declined: true },
  },
  {
    name: 'Paper Lantern Press',
    industry: 'Publishing',
    color: '#95612c',
    country: 'US',
    partner: null,
    plan: 'starter',
    currency: 'usd',
    seats: 5,
    months: 5,
    renewed: 17,
  },
  {
    name: 'Quarry Stoneworks',
    industry: 'Construction',
    color: '#6f6a60',
    country: 'DE',
    partner: 'north',
    plan: 'business',
    seats: 13,
    months: 5,
    renewed: 25,
  },
  {
    name: 'Halden Energy',
    industry: 'Energy',
    color: '#1f7a4d',
    country: 'NO',
    partner: 'monte',
    plan: 'enterprise',
    cycle: 'year',
    seats: 40,
    months: 0,
    renewed: 130,
  },
  {
    name: 'Velo Republic',
    industry: 'Retail',
    color: '#c0392b',
    country: 'DE',
    partner: null,
    plan: 'starter',
    seats: 6,
    months: 4,
    renewed: 8,
    end: { leaving: true, feedback: 'missing_features', comment: 'No shop integration yet.' },
  },
  {
    name: 'Nimbus Weather',
    industry: 'Software',
    color: '#3a6ea5',
    country: 'GB',
    partner: null,
    plan: 'business',
    seats: 12,
    months: 3,
    renewed: 22,
  },
  {
    name: 'Cedar Carpentry',
    industry: 'Crafts',
    color: '#8d5524',
    country: 'DE',
    partner: 'alster',
    plan: 'starter',
    seats: 4,
    months: 3,
    renewed: 10,
  },
  {
    name: 'Tidewater Hotels',
    industry: 'Hospitality',
    color: '#16808d',
    country: 'PT',
    partner: 'north',
    plan: 'business',
    seats: 21,
    months: 2,
    renewed: 15,
  },
  {
    name: 'Ravelin Security',
    industry: 'Software',
    color: '#2d3e50',
    country: 'EE',
    partner: null,
    plan: 'enterprise',
    seats: 15,
    months: 1,
    renewed: 18,
  },
  {
    name: 'Brightside Advisors',
    industry: 'Consulting',
    color: '#b8860b',
    country: 'LU',
    partner: 'monte',
    plan: 'business',
    seats: 8,
    months: 1,
    renewed: 5,
  },
  {
    name: 'Foundry Nine',
    industry: 'Manufacturing',
    color: '#7d3c98',
    country: 'PL',
    partner: null,
    plan: 'business',
    seats: 10,
    months: 0,
    renewed: 9,
    trialDays: 14,
  },
  {
    name: 'Wattle and Daub',
    industry: 'Construction',
    color: '#9c640c',
    country: 'DE',
    partner: 'north',
    plan: 'starter',
    seats: 5,
    months: 0,
    renewed: 5,
    trialDays: 14,
    card: null,
  },
]

const partnerRows = [
  {
    slug: 'north',
    name: 'North Cloud Services',
    domain: 'north.test',
    marginPct: 20,
    country: 'DE',
    months: 15,
    consent: true,
    staff: 0,
  },
  {
    slug: 'alster',
    name: 'Alster IT Partners',
    domain: 'alster.test',
    marginPct: 15,
    country: 'DE',
    months: 14,
    consent: true,
    staff: 3,
  },
  {
    slug: 'monte',
    name: 'Monte Digital',
    domain: 'monte.test',
    marginPct: 25,
    country: 'CH',
    months: 11,
    consent: false,
    staff: 2,
  },
] as const

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
  const companies = rows.map((row, index) => toCompany(row, until, seededNumbers(1_000 + index)))
  return {
    until,
    partners,
    companies: companies.sort((one, other) => one.since.getTime() - other.since.getTime()),
  }
}

function toCompany(row: Row, until: Date, random: () => number): DemoCompany {
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

function movesOf(row: Row, began: Date, until: Date, random: () => number): DemoMove[] {
  const moves: DemoMove[] = []
  const leftAt = row.end && 'left' in row.end ? monthsBefore(until, row.end.left) : until
  // Once in about four months a company needs more seats; the last days are kept free, so that what
  // is told of them stays simple.
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
