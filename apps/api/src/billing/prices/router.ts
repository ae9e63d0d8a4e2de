import {
  ActivatePrice,
  CreatePrice,
  ListPrices,
  OfferedPrices,
  PricePage,
  PricePath,
  PriceView,
  UpdatePrice,
} from '@atrium/core/billing/prices'
import { TenantPath } from '@atrium/core/tenants/tenants'
import { z } from 'zod'
import { memberPartnerOrOperator, operator } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import { activatePrice } from './activate.ts'
import { archivePrice } from './archive.ts'
import { createPrice } from './create.ts'
import { getPrice, listOffered, listPrices } from './get.ts'
import { removePrice } from './remove.ts'
import { updatePrice } from './update.ts'

const tags = ['prices']
const path = '/prices/{id}' as const

export const pricesRouter = router({
  list: operator
    .meta({
      scope: 'billing:read',
      openapi: { method: 'GET', path: '/prices', tags, summary: 'List the price catalog' },
    })
    .input(ListPrices)
    .output(PricePage)
    .query(({ ctx, input }) => listPrices(ctx.services, input)),
  create: operator
    .meta({
      scope: 'billing:write',
      openapi: { method: 'POST', path: '/prices', tags, summary: 'Add a price to the catalog' },
      audit: 'price.created',
      errors: ['price_state', 'currency_dropped', 'not_found'],
    })
    .input(CreatePrice)
    .output(PriceView)
    .mutation(({ ctx, input }) => createPrice(ctx, ctx.caller, input)),
  get: operator
    .meta({
      scope: 'billing:read',
      openapi: { method: 'GET', path, tags, summary: 'Read a price' },
      errors: ['not_found'],
    })
    .input(PricePath)
    .output(PriceView)
    .query(({ ctx, input }) => getPrice(ctx.services, input.id)),
  update: operator
    .meta({
      scope: 'billing:write',
      openapi: {
        method: 'PATCH',
        path,
        tags,
        summary: 'Change a price; other amounts make a new version',
      },
      audit: 'price.updated',
      errors: ['edit_conflict', 'price_state', 'currency_dropped', 'version_conflict', 'not_found'],
    })
    .input(UpdatePrice)
    .output(PriceView)
    .mutation(({ ctx, input }) => updatePrice(ctx, ctx.caller, input)),
  remove: operator
    .meta({
      scope: 'billing:write',
      openapi: { method: 'DELETE', path, tags, summary: 'Delete a draft that was never used' },
      audit: 'price.deleted',
      errors: ['price_in_use', 'not_found'],
    })
    .input(PricePath)
    .output(z.void())
    .mutation(({ ctx, input }) => removePrice(ctx, ctx.caller, input.id)),
  activate: operator
    .meta({
      scope: 'billing:write',
      openapi: { method: 'POST', path: `${path}/activate`, tags, summary: 'Put a price on sale' },
      audit: 'price.activated',
      errors: ['price_state', 'currency_dropped', 'not_found'],
    })
    .input(ActivatePrice)
    .output(PriceView)
    .mutation(({ ctx, input }) => activatePrice(ctx, ctx.caller, input)),
  archive: operator
    .meta({
      scope: 'billing:write',
      openapi: {
        method: 'POST',
        path: `${path}/archive`,
        tags,
        summary: 'Take a price out of new sales',
      },
      audit: 'price.archived',
      errors: ['price_state', 'not_found'],
    })
    .input(PricePath)
    .output(PriceView)
    .mutation(({ ctx, input }) => archivePrice(ctx, ctx.caller, input.id)),
  offered: memberPartnerOrOperator
    .meta({
      scope: 'billing:read',
      delegable: 'never',
      openapi: {
        method: 'GET',
        path: '/tenants/{slug}/prices',
        tags,
        summary: 'List what the tenant can buy',
      },
    })
    .input(TenantPath)
    .output(OfferedPrices)
    .query(({ ctx }) => listOffered(ctx.services, ctx.access)),
})
