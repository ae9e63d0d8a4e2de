import { movement, mrrFigures } from '@atrium/core/reports/reports'
import { z } from 'zod'
import type { FigureQuery } from './source.ts'

const month = z.string().regex(/^\d{4}-\d{2}$/)
const currency = z.string().regex(/^[a-z]{3}$/)
const shapes = [
  z.tuple([z.literal('mrr'), currency, z.enum(mrrFigures)]),
  z.tuple([
    z.literal('plan'),
    currency,
    z.enum(['free', 'starter', 'business', 'enterprise']),
    z.enum(['month', 'year']),
  ]),
  z.tuple([z.literal('growth'), month, currency, movement]),
  z.tuple([z.literal('signups'), month, z.coerce.number().int().min(0).max(23)]),
  z.tuple([z.literal('churn'), month, z.string()]),
] as const
const FigureQueryShape = z.union(shapes)

/** A figure as one word of an address. */
export function writeFigureQuery(figureQuery: FigureQuery): string {
  const { asOf: _, ...rest } = { asOf: undefined, reason: '', ...figureQuery }
  switch (rest.report) {
    case 'mrr':
      return ['mrr', rest.currency, rest.figure].join('~')
    case 'plan':
      return ['plan', rest.currency, rest.plan, rest.cycle].join('~')
    case 'growth':
      return ['growth', rest.month, rest.currency, rest.movement].join('~')
    case 'signups':
      return ['signups', rest.month, rest.n].join('~')
    case 'churn':
      return ['churn', rest.month, rest.reason].join('~')
  }
}

/** The figure that an address names; undefined for a word that names none. */
export function readFigureQuery(
  word: string | undefined,
  asOf: string | undefined,
): FigureQuery | undefined {
  const parsed = FigureQueryShape.safeParse(word?.split('~')).data
  switch (parsed?.[0]) {
    case 'mrr':
      return { report: 'mrr', currency: parsed[1], figure: parsed[2], asOf }
    case 'plan':
      return { report: 'plan', currency: parsed[1], plan: parsed[2], cycle: parsed[3], asOf }
    case 'growth':
      return { report: 'growth', month: parsed[1], currency: parsed[2], movement: parsed[3] }
    case 'signups':
      return { report: 'signups', month: parsed[1], n: parsed[2] }
    case 'churn':
      return { report: 'churn', month: parsed[1], reason: parsed[2] || undefined }
    default:
      return undefined
  }
}
