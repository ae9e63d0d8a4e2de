import { z } from 'zod'
import { percentage } from '../billing/percentage.ts'
import { issueText, says } from '../platform/issue-text.ts'
import { instant } from '../platform/text.ts'

/**
 * What is watched while a flag rolls out: a share of events that went wrong, counted per tenant.
 */
export const guardSignals = [
  'provisioning_errors',
  'payment_failures',
  'webhook_failures',
  'server_errors',
] as const
export const guardSignal = z.enum(guardSignals)
export type GuardSignal = z.infer<typeof guardSignal>

export const mostGuards = 5
/** The longest window of a guard; counts of requests are kept no shorter. */
export const longestGuardWindowMinutes = 1_440
export const mostGuardMinimum = 1_000_000

const wholeNumber = (from: number, to: number) =>
  z
    .number(says('wholeNumberBetween', { from, to }))
    .int(says('wholeNumberBetween', { from, to }))
    .min(from, says('wholeNumberBetween', { from, to }))
    .max(to, says('wholeNumberBetween', { from, to }))

/**
 * A rule that turns a flag in rollout off by itself (docs/reference/contract.md, self-rollback).
 */
export const FlagGuard = z.strictObject({
  signal: guardSignal,
  windowMinutes: wholeNumber(1, longestGuardWindowMinutes),
  /** Percent of a tenant's events; a tenant with more failures than that counts as failing. */
  threshold: percentage.refine((value) => value !== 100, says('below100')),
  /** The rule says nothing about fewer events than that among tenants with the flag on. */
  minimum: wholeNumber(1, mostGuardMinimum),
})
export type FlagGuard = z.infer<typeof FlagGuard>

export const FlagGuards = z
  .array(FlagGuard)
  .max(mostGuards)
  .superRefine((guards, context) => {
    const names = guards.map(({ signal, windowMinutes }) => `${signal} ${windowMinutes}`)
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) === index) continue
      context.addIssue({
        code: 'custom',
        path: [index, 'signal'],
        message: issueText('signalWatchedTwice'),
      })
    }
  })

/** What happened to some tenants in a window. */
export interface SignalCount {
  events: number
  failures: number
}

/** Failures in percent of the events, rounded to two decimals; null when there were no events. */
export function failureRate({ events, failures }: SignalCount): number | null {
  return events === 0 ? null : Math.round((failures * 10_000) / events) / 100
}

/**
 * What happened to a group of tenants: their events together, how many had any, and how many of
 * those are failing.
 */
export interface GroupCount extends SignalCount {
  tenants: number
  failingTenants: number
}

/** Percent of the tenants with events that have to be failing before a rule turns a flag off. */
export const leastFailingShare = 10

/**
 * Whether a tenant with these events is failing: a larger share of failures than the rule's
 * threshold.
 */
export function isFailing(
  { threshold }: Pick<FlagGuard, 'threshold'>,
  { events, failures }: SignalCount,
): boolean {
  return failures * 10_000 > Math.round(threshold * 100) * events
}

/**
 * True when the rule is broken: enough events with the flag on, and failing tenants among those
 * with the flag: at least a tenth of them, at least two unless there is only one, and a larger
 * share than among tenants without the flag. Counts tenants, not their events, so that one tenant
 * cannot turn a flag off for others.
 */
export function breaksGuard(
  guard: Pick<FlagGuard, 'minimum'>,
  on: GroupCount,
  off: GroupCount,
): boolean {
  if (on.events < guard.minimum) return false
  const least = Math.max(1, Math.min(2, on.tenants), (on.tenants * leastFailingShare) / 100)
  const worseThanOff =
    off.tenants === 0 || on.failingTenants * off.tenants > off.failingTenants * on.tenants
  return on.failingTenants >= least && worseThanOff
}

const minuteMs = 60_000

/**
 * From when a rule looks at events, in milliseconds since 1970: the beginning of its window, but
 * not before the flag reached the tenants that it reaches now, because what happened to them
 * earlier is no fault of it. In whole minutes, as requests are counted.
 */
export function guardWindowStart(now: number, windowMinutes: number, reachedSince: number): number {
  const started = Math.floor(now / minuteMs) * minuteMs - windowMinutes * minuteMs
  return Math.max(started, Math.ceil(reachedSince / minuteMs) * minuteMs)
}

/** The note of a change by a guard; the history shows what broke from it. */
export function rollbackNote(signal: GuardSignal): string {
  return `auto-rollback: ${signal}`
}

const wholeCount = z.number().int()
const SignalReading = z.object({
  events: wholeCount,
  failures: wholeCount,
  /** Failures in percent of the events. */
  rate: z.number().nullable(),
  /** Those with events, and those among them with a larger share of failures than the threshold. */
  tenants: wholeCount,
  failingTenants: wholeCount,
})
export type SignalReading = z.infer<typeof SignalReading>

/** What broke a rule, as it was at that moment. Rates in percent. */
export const FlagRollback = z.object({
  signal: guardSignal,
  windowMinutes: z.number().int(),
  threshold: z.number(),
  eventsOn: z.number().int(),
  rateOn: z.number(),
  eventsOff: z.number().int(),
  rateOff: z.number().nullable(),
  /** Absent in what was written before rules counted tenants. */
  tenantsOn: z.number().int().optional(),
  failingTenantsOn: z.number().int().optional(),
})
export type FlagRollback = z.infer<typeof FlagRollback>

/** One rule with what it sees now. */
export const FlagGuardReading = z.object({
  signal: guardSignal,
  windowMinutes: z.number().int(),
  threshold: z.number(),
  minimum: z.number().int(),
  since: instant,
  /** Among tenants for which the flag is on, and among all others. */
  on: SignalReading,
  off: SignalReading,
  broken: z.boolean(),
})
export type FlagGuardReading = z.infer<typeof FlagGuardReading>

export const FlagGuardReadings = z.object({
  key: z.string(),
  version: z.number().int(),
  at: instant,
  /** Rules act only while the flag is in rollout; the figures are there in every state. */
  acting: z.boolean(),
  guards: z.array(FlagGuardReading),
})
export type FlagGuardReadings = z.infer<typeof FlagGuardReadings>
