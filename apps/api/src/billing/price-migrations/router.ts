import {
  ComingPrice,
  ListPriceMigrations,
  ListPriceMoves,
  PriceMigrationPage,
  PriceMigrationPath,
  PriceMigrationPreview,
  PriceMigrationView,
  PriceMovePage,
  PriceMoveView,
  StartPriceMigration,
  StopPriceMigration,
  StopPriceMove,
} from '@atrium/core/billing/price-migrations'
import { TenantPath } from '@atrium/core/tenants/tenants'
import { z } from 'zod'
import { adminOrOperator, memberOrOperator, operator } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import { getPriceMigration, listMoves, listPriceMigrations } from './list.ts'
import { previewPriceMigration, startPriceMigration, stopMigration } from './start.ts'
import { getComingPrice, keepPrice, stopMove } from './stop-move.ts'

const tags = ['prices']
const path = '/price-migrations' as const
const coming = '/tenants/{slug}/subscription/coming-price' as const

export const priceMigrationsRouter = router({
  preview: operator
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path: '/prices/{id}/migration-preview',
        tags,
        summary: 'See who would move to the version on sale',
      },
      errors: ['not_found'],
    })
    .input(PriceMigrationPath)
    .output(PriceMigrationPreview)
    .query(({ ctx, input }) => previewPriceMigration(ctx.services, input.id)),
  start: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: '/prices/{id}/migrations',
        tags,
        summary: 'Move the subscribers of a price to the version on sale',
      },
      creates: true,
      audit: 'price.migration_started',
      errors: ['not_found', 'price_state'],
    })
    .input(StartPriceMigration)
    .output(PriceMigrationView)
    .mutation(({ ctx, input }) => startPriceMigration(ctx, ctx.caller, input)),
  list: operator
    .meta({
      scope: 'billing:read',
      openapi: { method: 'GET', path, tags, summary: 'List price migrations' },
    })
    .input(ListPriceMigrations)
    .output(PriceMigrationPage)
    .query(({ ctx, input }) => listPriceMigrations(ctx.services, input)),
  get: operator
    .meta({
      scope: 'billing:read',
      openapi: { method: 'GET', path: `${path}/{id}`, tags, summary: 'Read a price migration' },
      errors: ['not_found'],
    })
    .input(PriceMigrationPath)
    .output(PriceMigrationView)
    .query(({ ctx, input }) => getPriceMigration(ctx.services, input.id)),
  subscribers: operator
    .meta({
      scope: 'billing:read',
      openapi: {
        method: 'GET',
        path: `${path}/{id}/subscribers`,
        tags,
        summary: 'List the subscribers of a price migration',
      },
      errors: ['not_found'],
    })
    .input(ListPriceMoves)
    .output(PriceMovePage)
    .query(({ ctx, input }) => listMoves(ctx.services, input)),
  stop: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${path}/{id}/stop`,
        tags,
        summary: 'Stop a price migration',
      },
      audit: 'price.migration_stopped',
      errors: ['not_found', 'price_state'],
    })
    .input(StopPriceMigration)
    .output(PriceMigrationView)
    .mutation(({ ctx, input }) => stopMigration(ctx, ctx.caller, input)),
  stopSubscriber: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${path}/{id}/subscribers/{subscriptionId}/stop`,
        tags,
        summary: 'Let one subscriber keep the old price',
      },
      audit: 'price.move_stopped',
      errors: [
        ...(['not_found', 'price_state', 'payments_not_configured'] as const),
        ...(['payment_failed', 'upstream_failed', 'subscription_ended'] as const),
        ...(['price_unavailable', 'subscription_exists'] as const),
      ],
    })
    .input(StopPriceMove)
    .output(PriceMoveView)
    .mutation(({ ctx, input }) => stopMove(ctx, ctx.caller, input)),
  coming: memberOrOperator
    .meta({
      scope: 'billing:read',
      delegable: 'never',
      openapi: { method: 'GET', path: coming, tags, summary: 'See a coming price change' },
    })
    .input(TenantPath)
    .output(ComingPrice.nullable())
    .query(({ ctx }) => getComingPrice(ctx.services, ctx.access)),
  keep: adminOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: `${coming}/decline`,
        tags,
        summary: 'Keep the present price',
      },
      audit: 'subscription.price_kept',
      errors: [
        ...(['not_found', 'price_state', 'payments_not_configured'] as const),
        ...(['payment_failed', 'upstream_failed', 'subscription_ended'] as const),
        ...(['price_unavailable', 'subscription_exists'] as const),
      ],
    })
    .input(TenantPath)
    .output(z.null())
    .mutation(({ ctx }) => keepPrice(ctx, ctx.access)),
})
