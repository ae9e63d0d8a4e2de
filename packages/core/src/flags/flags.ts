import { z } from 'zod'
import { percentage } from '../billing/percentage.ts'
import { flagStates } from '../platform/choices.ts'
import { says } from '../platform/issue-text.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { calendarDate, instant, line } from '../platform/text.ts'
import { slugFilter } from '../tenants/slugs.ts'
import { plan, tenantStatus } from '../tenants/tenants.ts'
import { FlagGuards, FlagRollback, guardSignal } from './flag-guards.ts'

export { flagStates }

export const flagState = z.enum(flagStates)
export type FlagState = z.infer<typeof flagState>

/**
 * The note that makes an update to state `off` a kill (docs/reference/contract.md, feature flags).
 */
export const killSwitchNote = 'kill-switch'

export const mostPrerequisites = 5
/** The maximum length of a chain of prerequisites. */
export const deepestPrerequisites = 5
export const mostListedTenants = 1_000
export const mostListedPartners = 200
/** A flag that code asked for by its name within these days is not removed. */
export const recentUseDays = 7

const keyShape = /^[a-z][a-z0-9_]{1,62}$/

/**
 * A valid key of a flag. Excludes the words that addresses use in its place: POST /flags/evaluate,
 * and the page /flags/new.
 */
export const flagKey = z
  .string()
  .max(63)
  .regex(keyShape, says('flagKey'))
  .refine((key) => key !== 'evaluate' && key !== 'new', says('reservedName'))

export const Prerequisite = z.strictObject({ key: flagKey, value: z.boolean() })
export type Prerequisite = z.infer<typeof Prerequisite>

/** In UTC, so that the same moment written in two ways is no change. */
const moment = instant.transform((value) => new Date(value).toISOString())

const unique = <Item>(items: Item[]) => [...new Set(items)]

/** What an operator decides about a flag, each field of it optional. */
const settings = {
  description: line(500).nullable().optional(),
  owner: line(200).nullable().optional(),
  state: flagState.optional(),
  percentage: percentage.optional(),
  allowTenants: z.array(slugFilter).max(mostListedTenants).transform(unique).optional(),
  denyTenants: z.array(slugFilter).max(mostListedTenants).transform(unique).optional(),
  allowPartners: z.array(slugFilter).max(mostListedPartners).transform(unique).optional(),
  allowPlans: z.array(plan).max(20).transform(unique).optional(),
  prerequisites: z
    .array(Prerequisite)
    .max(mostPrerequisites)
    .refine((all) => new Set(all.map((one) => one.key)).size === all.length, says('onlyOnce'))
    .optional(),
  guards: FlagGuards.optional(),
  enabledFrom: moment.nullable().optional(),
  enabledUntil: moment.nullable().optional(),
  staleAfter: calendarDate().nullable().optional(),
}
const note = line(500)

export const CreateFlag = z.strictObject({
  key: flagKey,
  ...settings,
  /**
   * Replaces the key in the hash of the rollout. Cannot be changed: that would turn tenants off.
   */
  salt: line(100).optional(),
  note: note.optional(),
})
export type CreateFlag = z.infer<typeof CreateFlag>

/**
 * Names a flag by its path. Accepts any text, so that an impossible key returns 404 like an unknown
 * one; it becomes an empty one, because the database would reject some such texts.
 */
export const FlagPath = z.strictObject({
  key: z
    .string()
    .max(200)
    .transform((key) => (keyShape.test(key) ? key : '')),
})
export type FlagPath = z.infer<typeof FlagPath>

export const UpdateFlag = z
  .strictObject({
    key: FlagPath.shape.key,
    ...settings,
    note,
    version: z.number().int().min(1).optional(),
  })
  .refine(
    ({ key: _, note: __, version: ___, ...fields }) =>
      Object.values(fields).some((value) => value !== undefined),
    says('nothingToChange'),
  )
  .refine((input) => input.version !== undefined || isBareKill(input), {
    path: ['version'],
    ...says('versionMissing'),
  })
  .meta({ openapi: { minProperties: 1 } })
export type UpdateFlag = z.infer<typeof UpdateFlag>

/** State `off` with the note `kill-switch` (seed 3, feature flag state). */
export function isKill(input: {
  state?: FlagState | undefined
  note?: string | undefined
}): boolean {
  return input.state === 'off' && input.note === killSwitchNote
}

/** A kill that changes nothing else. It needs no version: an emergency must not meet a guard. */
export function isBareKill(input: {
  state?: FlagState | undefined
  note?: string | undefined
}): boolean {
  const fields = Object.entries(input).flatMap(([field, value]) =>
    value === undefined ? [] : [field],
  )
  return (
    isKill(input) && fields.every((field) => ['key', 'state', 'note', 'version'].includes(field))
  )
}

export const RemoveFlag = z.strictObject({ key: FlagPath.shape.key, note: note.optional() })
export type RemoveFlag = z.infer<typeof RemoveFlag>

export const ListFlags = z.strictObject({
  q: line(200).optional(),
  state: flagState.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListFlags = z.infer<typeof ListFlags>

/** A flag as it was decided at one version; what the history keeps before and after each change. */
export const FlagSettings = z.object({
  description: z.string().nullable(),
  owner: z.string().nullable(),
  state: flagState,
  percentage: z.number(),
  allowTenants: z.array(z.string()),
  denyTenants: z.array(z.string()),
  allowPartners: z.array(z.string()),
  allowPlans: z.array(plan),
  prerequisites: z.array(z.object({ key: z.string(), value: z.boolean() })),
  guards: z.array(
    z.object({
      signal: guardSignal,
      windowMinutes: z.number().int(),
      threshold: z.number(),
      minimum: z.number().int(),
    }),
  ),
  enabledFrom: instant.nullable(),
  enabledUntil: instant.nullable(),
  staleAfter: z.iso.date().nullable(),
  killedAt: instant.nullable(),
  /** Why a guard turned it off; null when it is on, or a person did it. */
  rollback: FlagRollback.nullable(),
})
export type FlagSettings = z.infer<typeof FlagSettings>

/** A flag that is off, without anything else decided. */
export const offFlag: FlagSettings = {
  description: null,
  owner: null,
  state: 'off',
  percentage: 0,
  allowTenants: [],
  denyTenants: [],
  allowPartners: [],
  allowPlans: [],
  prerequisites: [],
  guards: [],
  enabledFrom: null,
  enabledUntil: null,
  staleAfter: null,
  killedAt: null,
  rollback: null,
}

export const FlagView = FlagSettings.extend({
  id: z.uuid(),
  key: z.string(),
  salt: z.string().nullable(),
  /** Why it is as it is: the note of the newest change. */
  note: z.string(),
  version: z.number().int(),
  /** Keys of the flags that name this one as a prerequisite. */
  requiredBy: z.array(z.string()),
  /** When code last asked for it by its name, to the minute; null when it never did. */
  lastAskedAt: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
  updatedBy: z.string().nullable(),
})
export type FlagView = z.infer<typeof FlagView>

export const FlagPage = page(FlagView)
export type FlagPage = z.infer<typeof FlagPage>

export const flagChangeKinds = ['created', 'updated', 'killed', 'removed'] as const
export type FlagChangeKind = (typeof flagChangeKinds)[number]

export const FlagChange = z.object({
  id: z.uuid(),
  version: z.number().int(),
  kind: z.enum(flagChangeKinds),
  at: instant,
  actorId: z.string().nullable(),
  actorEmail: z.string().nullable(),
  note: z.string(),
  /** Null for the creation. */
  before: FlagSettings.nullable(),
  /** Null for the removal. */
  after: FlagSettings.nullable(),
  /** The entry of the audit log about the same change. */
  auditId: z.uuid(),
})
export type FlagChange = z.infer<typeof FlagChange>

export const FlagHistory = z.strictObject({
  key: FlagPath.shape.key,
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type FlagHistory = z.infer<typeof FlagHistory>
export const FlagHistoryPage = page(FlagChange)
export type FlagHistoryPage = z.infer<typeof FlagHistoryPage>

export const EvaluateFlags = z.strictObject({ tenantSlug: slugFilter.optional() })
export type EvaluateFlags = z.infer<typeof EvaluateFlags>
export const FlagValues = z.record(z.string(), z.boolean())
export type FlagValues = z.infer<typeof FlagValues>

/**
 * The context of an OpenFeature evaluation: the targeting key names the tenant, other fields are
 * ignored.
 */
const evaluationContext = z.looseObject({ targetingKey: slugFilter })
export const EvaluateByOfrep = z.strictObject({ context: evaluationContext })
export type EvaluateByOfrep = z.infer<typeof EvaluateByOfrep>
export const EvaluateOneByOfrep = EvaluateByOfrep.extend({ key: FlagPath.shape.key })
export type EvaluateOneByOfrep = z.infer<typeof EvaluateOneByOfrep>

/** Why a flag has its value; the reasons of OpenFeature. */
export const flagReasons = ['STATIC', 'TARGETING_MATCH', 'SPLIT', 'DISABLED', 'ERROR'] as const
export const flagReason = z.enum(flagReasons)
export type FlagReason = z.infer<typeof flagReason>

/** One evaluated flag as the OpenFeature Remote Evaluation Protocol writes it. */
export const OfrepFlag = z.object({
  key: z.string(),
  value: z.boolean(),
  reason: flagReason,
  variant: z.enum(['on', 'off']),
  metadata: z.object({ version: z.number().int(), prerequisite: z.string().optional() }),
})
export type OfrepFlag = z.infer<typeof OfrepFlag>
export const OfrepFlags = z.object({
  flags: z.array(OfrepFlag),
  metadata: z.object({ tenantStatus }),
})
export type OfrepFlags = z.infer<typeof OfrepFlags>

export const flagSteps = [
  'state',
  'window',
  'prerequisites',
  'denied',
  'allowed',
  'everywhere',
  'tenant',
  'split',
] as const
export const flagStep = z.enum(flagSteps)
export type FlagStep = z.infer<typeof flagStep>

export const ExplainFlag = z.strictObject({
  key: FlagPath.shape.key,
  tenantSlug: slugFilter.optional(),
})
export type ExplainFlag = z.infer<typeof ExplainFlag>

/** The order of evaluation for one flag and tenant, with what each step found. */
export const FlagExplanation = z.object({
  key: z.string(),
  version: z.number().int(),
  tenantSlug: z.string().nullable(),
  tenantStatus: tenantStatus.nullable(),
  value: z.boolean(),
  reason: flagReason,
  /** The result of POST /flags/evaluate; always false for suspended and deleted tenants. */
  served: z.boolean(),
  steps: z.array(
    z.object({
      step: flagStep,
      outcome: z.enum(['passed', 'decided', 'not_reached']),
      detail: z.string(),
    }),
  ),
  /** The tenant's place in the rollout, 0 to 9999; null without a tenant. */
  bucket: z.number().int().nullable(),
  /** Buckets below it are on while the flag is in rollout. */
  threshold: z.number().int(),
})
export type FlagExplanation = z.infer<typeof FlagExplanation>
