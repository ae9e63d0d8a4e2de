import { type ErrorText, errorText } from '../platform/error-text.ts'
import type { Plan } from '../tenants/tenants.ts'
import type { FlagReason, FlagState, FlagStep, Prerequisite } from './flags.ts'

/** A flag as the evaluation reads it. Instants in milliseconds since 1970. */
export interface FlagRule {
  key: string
  version: number
  state: FlagState
  killed: boolean
  /** 0 to 100. */
  percentage: number
  salt: string | null
  allowTenants: ReadonlySet<string>
  denyTenants: ReadonlySet<string>
  allowPartners: ReadonlySet<string>
  allowPlans: ReadonlySet<Plan>
  prerequisites: readonly Prerequisite[]
  enabledFrom: number | null
  enabledUntil: number | null
}
export type FlagRules = ReadonlyMap<string, FlagRule>

/** The tenant that is asked about. */
export interface FlagTarget {
  slug: string
  plan: Plan
  partnerSlug: string | null
}

/**
 * The first four bytes, big-endian, of the SHA-256 of a text in UTF-8. Passed in, because every
 * platform has it by another name.
 */
export type FlagHash = (text: string) => number

export interface FlagEvaluation {
  value: boolean
  reason: FlagReason
  errorCode?: 'FLAG_NOT_FOUND' | 'TARGETING_KEY_MISSING'
  /** The prerequisite that was not met. */
  prerequisite?: string
}

export interface FlagQuestion {
  rules: FlagRules
  target: FlagTarget | undefined
  /** Milliseconds since 1970. */
  now: number
  hash: FlagHash
}

export const bucketCount = 10_000

/**
 * A tenant's place in a flag's rollout: 0 to 9999, the same for ever, independent between flags.
 */
export function flagBucket(
  rule: Pick<FlagRule, 'key' | 'salt'>,
  slug: string,
  hash: FlagHash,
): number {
  return hash(`${rule.salt ?? rule.key}:${slug}`) % bucketCount
}

/** Buckets below it are on: a higher percentage takes further tenants in and none out. */
export function flagThreshold(rule: Pick<FlagRule, 'percentage'>): number {
  return Math.round(rule.percentage * 100)
}

/**
 * Evaluates flags for one tenant at one point in time; prerequisites that several flags share are
 * computed once.
 */
export function createFlagEvaluation(question: FlagQuestion): (key: string) => FlagEvaluation {
  const known = new Map<string, FlagEvaluation | undefined>()
  return function evaluate(key: string): FlagEvaluation {
    const before = known.get(key)
    if (before) return before
    // Writing rejects cycles. Should one be stored in spite of it, its flags do not meet each
    // other's condition.
    if (known.has(key)) return notFound
    known.set(key, undefined)
    const rule = question.rules.get(key)
    const evaluation = rule ? decide({ ...question, rule, evaluate }) : notFound
    known.set(key, evaluation)
    return evaluation
  }
}

const notFound: FlagEvaluation = { value: false, reason: 'ERROR', errorCode: 'FLAG_NOT_FOUND' }

interface Case extends FlagQuestion {
  rule: FlagRule
  evaluate: (key: string) => FlagEvaluation
}

function decide(one: Case): FlagEvaluation {
  for (const [, step] of steps) {
    const decided = step.decide(one)
    if (decided) return decided
  }
  throw new Error('the last step of an evaluation decides')
}

export interface ExplainedStep {
  step: FlagStep
  outcome: 'passed' | 'decided' | 'not_reached'
  detail: ErrorText
}

/** The evaluation of one flag, step by step, in words. Undefined for an unknown flag. */
export function explainFlag(
  question: FlagQuestion,
  key: string,
): (FlagEvaluation & { steps: ExplainedStep[] }) | undefined {
  const rule = question.rules.get(key)
  if (!rule) return undefined
  const one: Case = { ...question, rule, evaluate: createFlagEvaluation(question) }
  const explained: ExplainedStep[] = []
  let decided: FlagEvaluation | undefined
  for (const [step, { decide: decideHere, tell }] of steps) {
    const found = decided ? undefined : decideHere(one)
    explained.push({
      step,
      outcome: decided ? 'not_reached' : found ? 'decided' : 'passed',
      detail: tell(one),
    })
    decided ??= found
  }
  return decided && { ...decided, steps: explained }
}

interface Step {
  decide(one: Case): FlagEvaluation | undefined
  /** What the step looked at and found, for people. */
  tell(one: Case): ErrorText
}

/**
 * The order of evaluation (docs/reference/contract.md, feature flags). The first step that decides
 * ends it; the last one always does.
 */
const steps: readonly (readonly [FlagStep, Step])[] = [
  [
    'state',
    {
      decide: ({ rule }) =>
        rule.state === 'off' || rule.killed ? { value: false, reason: 'DISABLED' } : undefined,
      tell: ({ rule }) =>
        rule.killed ? errorText('flagKilled') : errorText('flagState', { state: rule.state }),
    },
  ],
  [
    'window',
    {
      decide: ({ rule, now }) =>
        isOpen(rule, now) ? undefined : { value: false, reason: 'DISABLED' },
      tell: ({ rule, now }) => tellWindow(rule, now),
    },
  ],
  [
    'prerequisites',
    {
      decide(one) {
        const unmet = one.rule.prerequisites.find((requested) => !isMet(one, requested))
        return unmet && { value: false, reason: 'TARGETING_MATCH', prerequisite: unmet.key }
      },
      tell: tellPrerequisites,
    },
  ],
  [
    'denied',
    {
      decide: ({ rule, target }) =>
        target && rule.denyTenants.has(target.slug)
          ? { value: false, reason: 'TARGETING_MATCH' }
          : undefined,
      tell: ({ rule, target }) =>
        !target
          ? errorText('flagNoTenant')
          : errorText(rule.denyTenants.has(target.slug) ? 'flagDenied' : 'flagNotDenied', {
              tenant: target.slug,
            }),
    },
  ],
  [
    'allowed',
    {
      decide: ({ rule, target }) =>
        target && allowedBy(rule, target) ? { value: true, reason: 'TARGETING_MATCH' } : undefined,
      tell: ({ rule, target }) => {
        if (!target) return errorText('flagNoTenant')
        return allowedBy(rule, target) ?? errorText('flagNotAllowed')
      },
    },
  ],
  [
    'everywhere',
    {
      decide: ({ rule }) => (rule.state === 'on' ? { value: true, reason: 'STATIC' } : undefined),
      tell: ({ rule }) => errorText(rule.state === 'on' ? 'flagEverywhere' : 'flagNotEverywhere'),
    },
  ],
  [
    'tenant',
    {
      decide: ({ target }) =>
        target ? undefined : { value: false, reason: 'ERROR', errorCode: 'TARGETING_KEY_MISSING' },
      tell: ({ target }) =>
        target
          ? errorText('flagRolloutTenant', { tenant: target.slug })
          : errorText('flagRolloutNoTenant'),
    },
  ],
  [
    'split',
    {
      decide: ({ rule, target, hash }) => ({
        value: target !== undefined && flagBucket(rule, target.slug, hash) < flagThreshold(rule),
        reason: 'SPLIT',
      }),
      tell({ rule, target, hash }) {
        const values = {
          percentage: rule.percentage,
          threshold: String(flagThreshold(rule)),
        }
        return target
          ? errorText('flagBucket', {
              ...values,
              bucket: String(flagBucket(rule, target.slug, hash)),
            })
          : errorText('flagBuckets', values)
      },
    },
  ],
]

function isOpen({ enabledFrom, enabledUntil }: FlagRule, now: number): boolean {
  return (
    (enabledFrom === null || now >= enabledFrom) && (enabledUntil === null || now < enabledUntil)
  )
}

function tellWindow(rule: FlagRule, now: number): ErrorText {
  const at = (moment: number) => ({ time: new Date(moment).toISOString() })
  if (rule.enabledFrom === null && rule.enabledUntil === null) return errorText('flagWindowNone')
  if (rule.enabledFrom !== null && now < rule.enabledFrom)
    return errorText('flagWindowToCome', at(rule.enabledFrom))
  if (rule.enabledUntil !== null && now >= rule.enabledUntil)
    return errorText('flagWindowOver', at(rule.enabledUntil))
  return rule.enabledUntil === null
    ? errorText('flagWindowOpen')
    : errorText('flagWindowUntil', at(rule.enabledUntil))
}

/** A prerequisite that no longer exists is not met, whichever value was wanted. */
function isMet(one: Case, requested: Prerequisite): boolean {
  return one.rules.has(requested.key) && one.evaluate(requested.key).value === requested.value
}

function tellPrerequisites(one: Case): ErrorText {
  if (one.rule.prerequisites.length === 0) return errorText('flagPrerequisitesNone')
  const tell = (requested: Prerequisite) => {
    const actual = one.rules.has(requested.key)
      ? one.evaluate(requested.key).value
        ? 'on'
        : 'off'
      : 'unknown'
    return errorText('flagPrerequisite', {
      flag: requested.key,
      wanted: requested.value ? 'on' : 'off',
      actual,
    })
  }
  return errorText('flagPrerequisites', { flags: one.rule.prerequisites.map(tell) })
}

/** Which allow list names the tenant, in words; undefined when none does. */
function allowedBy(rule: FlagRule, { slug, partnerSlug, plan }: FlagTarget): ErrorText | undefined {
  if (rule.allowTenants.has(slug)) return errorText('flagAllowedTenant', { tenant: slug })
  if (partnerSlug !== null && rule.allowPartners.has(partnerSlug))
    return errorText('flagAllowedPartner', { partner: partnerSlug })
  if (rule.allowPlans.has(plan)) return errorText('flagAllowedPlan', { plan })
  return undefined
}
