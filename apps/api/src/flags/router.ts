import { FlagGuardReadings } from '@atrium/core/flags/flag-guards'
import {
  CreateFlag,
  EvaluateByOfrep,
  EvaluateFlags,
  EvaluateOneByOfrep,
  ExplainFlag,
  FlagExplanation,
  FlagHistory,
  FlagHistoryPage,
  FlagPage,
  FlagPath,
  FlagValues,
  FlagView,
  ListFlags,
  OfrepFlag,
  OfrepFlags,
  RemoveFlag,
  UpdateFlag,
} from '@atrium/core/flags/flags'
import { z } from 'zod'
import { operator, signedInAbout } from '../rpc/guards.ts'
import { router } from '../rpc/trpc.ts'
import { createFlag } from './create.ts'
import { evaluateByOfrep, evaluateFlags, evaluateOneByOfrep } from './evaluate.ts'
import { explainFlag } from './explain.ts'
import { getFlag, getFlagHistory, listFlags } from './get.ts'
import { readFlagGuards } from './guards.ts'
import { removeFlag } from './remove.ts'
import { updateFlag } from './update.ts'

const tags = ['flags']
const path = '/flags/{key}' as const

/** A text under a name in the case of slugs, whatever else came. */
function textAt(raw: unknown, name: string): string | undefined {
  const value = typeof raw === 'object' && raw !== null ? Reflect.get(raw, name) : undefined
  return typeof value === 'string' ? value.toLowerCase() : undefined
}
const tenantAsker = signedInAbout((raw) => textAt(raw, 'tenantSlug'))
const ofrepAsker = signedInAbout((raw) =>
  textAt(
    typeof raw === 'object' && raw !== null ? Reflect.get(raw, 'context') : undefined,
    'targetingKey',
  ),
)

export const flagsRouter = router({
  list: operator
    .meta({
      scope: 'flags:read',
      openapi: { method: 'GET', path: '/flags', tags, summary: 'List feature flags' },
    })
    .input(ListFlags)
    .output(FlagPage)
    .query(({ ctx, input }) => listFlags(ctx.services, input)),
  create: operator
    .meta({
      scope: 'flags:write',
      openapi: { method: 'POST', path: '/flags', tags, summary: 'Create a feature flag' },
      audit: 'flag.created',
      errors: ['already_exists', 'flag_cycle', 'not_found'],
    })
    .input(CreateFlag)
    .output(FlagView)
    .mutation(({ ctx, input }) => createFlag(ctx, ctx.caller, input)),
  get: operator
    .meta({
      scope: 'flags:read',
      openapi: { method: 'GET', path, tags, summary: 'Read a feature flag' },
      errors: ['not_found'],
    })
    .input(FlagPath)
    .output(FlagView)
    .query(({ ctx, input }) => getFlag(ctx.services, input.key)),
  update: operator
    .meta({
      scope: 'flags:write',
      openapi: { method: 'PATCH', path, tags, summary: 'Change, roll out or kill a feature flag' },
      audit: 'flag.updated',
      errors: ['version_conflict', 'not_found', 'flag_cycle'],
    })
    .input(UpdateFlag)
    .output(FlagView)
    .mutation(({ ctx, input }) => updateFlag(ctx, ctx.caller, input)),
  remove: operator
    .meta({
      scope: 'flags:write',
      openapi: { method: 'DELETE', path, tags, summary: 'Remove a feature flag for good' },
      audit: 'flag.removed',
      errors: ['not_found', 'flag_in_use'],
    })
    .input(RemoveFlag)
    .output(z.void())
    .mutation(({ ctx, input }) => removeFlag(ctx, ctx.caller, input)),
  history: operator
    .meta({
      scope: 'flags:read',
      openapi: {
        method: 'GET',
        path: `${path}/history`,
        tags,
        summary: 'Read every change of a feature flag',
      },
      errors: ['not_found'],
    })
    .input(FlagHistory)
    .output(FlagHistoryPage)
    .query(({ ctx, input }) => getFlagHistory(ctx.services, input)),
  guards: operator
    .meta({
      scope: 'flags:read',
      openapi: {
        method: 'GET',
        path: `${path}/guards`,
        tags,
        summary: 'Read what the guard rules of a feature flag see now',
      },
      errors: ['not_found'],
    })
    .input(FlagPath)
    .output(FlagGuardReadings)
    .query(({ ctx, input }) => readFlagGuards(ctx.services, input.key)),
  explain: operator
    .meta({
      scope: 'flags:read',
      openapi: {
        method: 'GET',
        path: `${path}/explain`,
        tags,
        summary: 'Explain why a flag is on or off for a tenant',
      },
      errors: ['not_found'],
    })
    .input(ExplainFlag)
    .output(FlagExplanation)
    .query(({ ctx, input }) => explainFlag(ctx.services, input, ctx.request.language)),
  // Queries in spite of their method: they read, and tRPC asks for them with GET.
  evaluate: tenantAsker
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: '/flags/evaluate',
        tags,
        summary: 'Evaluate every flag for a tenant',
      },
      errors: ['not_found'],
    })
    .input(EvaluateFlags.optional())
    .output(FlagValues)
    .query(({ ctx, input }) => evaluateFlags(ctx.services, ctx, input)),
  evaluateByOfrep: ofrepAsker
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: '/ofrep/v1/evaluate/flags',
        tags,
        summary: 'Evaluate every flag for an OpenFeature client',
      },
      ofrep: true,
      errors: ['rate_limited', 'not_member'],
    })
    .input(EvaluateByOfrep)
    .output(OfrepFlags)
    .query(({ ctx }) => evaluateByOfrep(ctx.services, ctx)),
  evaluateOneByOfrep: ofrepAsker
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: '/ofrep/v1/evaluate/flags/{key}',
        tags,
        summary: 'Evaluate one flag for an OpenFeature client',
      },
      ofrep: true,
      errors: ['rate_limited', 'not_member', 'not_found'],
    })
    .input(EvaluateOneByOfrep)
    .output(OfrepFlag)
    .query(({ ctx, input }) => evaluateOneByOfrep(ctx.services, ctx, input.key)),
})
