import { z } from 'zod'
import { healthBand } from '../health-scores/health.ts'
import { instant, line } from '../platform/text.ts'
import { CohortQuery, GrowthQuery, MrrQuery } from './reports.ts'

/** The reports that a partner can keep, with the parameters that each of them takes. */
export const savedReportParams = {
  mrr: MrrQuery,
  growth: GrowthQuery,
  'revenue-by-plan': MrrQuery,
  'top-customers': MrrQuery.extend({ limit: z.number().int().min(1).max(100).optional() }),
  'signup-cohorts': CohortQuery,
  'churn-cohorts': CohortQuery,
  health: z.strictObject({ band: healthBand.optional() }),
} as const
export type SavedReportKind = keyof typeof savedReportParams
export const savedReportKinds = Object.keys(savedReportParams) as [
  SavedReportKind,
  ...SavedReportKind[],
]
export const savedReportKind = z.enum(savedReportKinds)

export const SavedReportView = z.object({
  id: z.uuid(),
  name: z.string(),
  kind: savedReportKind,
  params: z.record(z.string(), z.unknown()),
  createdBy: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  createdAt: instant,
})
export type SavedReportView = z.infer<typeof SavedReportView>

/** At most `savedReportLimit` a partner, by name. */
export const SavedReports = z.object({ items: z.array(SavedReportView), nextCursor: z.null() })
export type SavedReports = z.infer<typeof SavedReports>

export const savedReportLimit = 100

/**
 * What the parameters mean is decided by the kind. The name is the partner's own and used once, in
 * any case of letters.
 */
export const SaveReport = z
  .strictObject({
    slug: z.string().max(200),
    name: line(100),
    kind: savedReportKind,
    params: z.record(z.string(), z.unknown()).default({}),
  })
  .superRefine(({ kind, params }, context) => {
    const result = savedReportParams[kind].safeParse(params)
    for (const issue of result.error?.issues ?? []) {
      const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
      context.addIssue({
        code: 'custom',
        path: ['params', ...issue.path, ...unknown],
        message: issue.message,
      })
    }
  })
export type SaveReport = z.infer<typeof SaveReport>

export const SavedReportPath = z.strictObject({
  slug: z.string().max(200),
  id: z.uuid(),
})
export type SavedReportPath = z.infer<typeof SavedReportPath>
