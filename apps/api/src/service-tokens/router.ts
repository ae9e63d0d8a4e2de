import {
  CreatedServiceToken,
  CreatePlatformToken,
  CreateServiceToken,
  ListPlatformTokens,
  ListServiceTokens,
  PlatformTokenPath,
  RotatePlatformToken,
  RotateServiceToken,
  ServiceTokenPage,
  ServiceTokenPath,
  ServiceTokenView,
} from '@atrium/core/service-tokens/service-tokens'
import { z } from 'zod'
import {
  adminOnly,
  adminOrOperator,
  operator,
  partnerOwner,
  partnerOwnerReader,
  serviceOnly,
} from '../rpc/guards.ts'
import { recentSignIn } from '../rpc/procedure.ts'
import { router } from '../rpc/trpc.ts'
import { createServiceToken } from './create.ts'
import { listServiceTokens, readOwnToken } from './list.ts'
import { ofPartner, ofPlatform, ofTenant } from './owner.ts'
import { revokeServiceToken, rotateServiceToken } from './rotate.ts'

const tags = ['service tokens']
const tenantPath = '/tenants/{slug}/service-tokens' as const
const partnerPath = '/partners/{slug}/service-tokens' as const
const platformPath = '/service-tokens' as const

/** Tokens of programs. No token creates, rotates or revokes one: only a person does. */
export const serviceTokensRouter = router({
  current: serviceOnly
    .meta({
      scope: 'any',
      openapi: {
        method: 'GET',
        path: '/service-tokens/current',
        tags,
        summary: 'Read the service token that the call is made with',
      },
    })
    .input(z.strictObject({}).optional())
    .output(ServiceTokenView)
    .query(({ ctx }) => readOwnToken(ctx, ctx.service)),
  list: adminOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: { method: 'GET', path: tenantPath, tags, summary: "List the tenant's tokens" },
    })
    .input(ListServiceTokens)
    .output(ServiceTokenPage)
    .query(({ ctx, input }) => listServiceTokens(ctx, ofTenant(ctx, ctx.access), input)),
  create: adminOnly
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: tenantPath,
        tags,
        summary: 'Create a token of the tenant',
      },
      errors: ['tenant_suspended', 'tenant_deleted', 'not_member', 'limit_reached'],
      audit: 'service_token.created',
      creates: true,
      secretResponse: true,
    })
    .input(CreateServiceToken)
    .concat(recentSignIn)
    .output(CreatedServiceToken)
    .mutation(({ ctx, input }) => createServiceToken(ctx, ofTenant(ctx, ctx.access), input)),
  rotate: adminOnly
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: `${tenantPath}/{id}/rotate`,
        tags,
        summary: 'Give a token of the tenant a new secret',
      },
      errors: ['tenant_suspended', 'tenant_deleted', 'not_member'],
      audit: 'service_token.rotated',
      secretResponse: true,
    })
    .input(RotateServiceToken)
    .concat(recentSignIn)
    .output(CreatedServiceToken)
    .mutation(({ ctx, input }) => rotateServiceToken(ctx, ofTenant(ctx, ctx.access), input)),
  revoke: adminOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'DELETE',
        path: `${tenantPath}/{id}`,
        tags,
        summary: 'Revoke a token of the tenant',
      },
      errors: ['not_found', 'partner_suspended', 'partner_terminated', 'access_level'],
      audit: 'service_token.revoked',
    })
    .input(ServiceTokenPath)
    .output(z.void())
    .mutation(({ ctx, input }) => revokeServiceToken(ctx, ofTenant(ctx, ctx.access), input)),
  listOfPartner: partnerOwnerReader
    .meta({
      scope: 'never',
      openapi: { method: 'GET', path: partnerPath, tags, summary: "List the partner's tokens" },
    })
    .input(ListServiceTokens)
    .output(ServiceTokenPage)
    .query(({ ctx, input }) => listServiceTokens(ctx, ofPartner(ctx, ctx.partnerAccess), input)),
  createOfPartner: partnerOwner
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: partnerPath,
        tags,
        summary: 'Create a token of the partner',
      },
      errors: ['limit_reached'],
      audit: 'service_token.created',
      creates: true,
      secretResponse: true,
    })
    .input(CreateServiceToken)
    .concat(recentSignIn)
    .output(CreatedServiceToken)
    .mutation(({ ctx, input }) =>
      createServiceToken(ctx, ofPartner(ctx, ctx.partnerAccess), input),
    ),
  rotateOfPartner: partnerOwner
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${partnerPath}/{id}/rotate`,
        tags,
        summary: 'Give a token of the partner a new secret',
      },
      audit: 'service_token.rotated',
      secretResponse: true,
    })
    .input(RotateServiceToken)
    .concat(recentSignIn)
    .output(CreatedServiceToken)
    .mutation(({ ctx, input }) =>
      rotateServiceToken(ctx, ofPartner(ctx, ctx.partnerAccess), input),
    ),
  revokeOfPartner: partnerOwner
    .meta({
      scope: 'never',
      openapi: {
        method: 'DELETE',
        path: `${partnerPath}/{id}`,
        tags,
        summary: 'Revoke a token of the partner',
      },
      audit: 'service_token.revoked',
    })
    .input(ServiceTokenPath)
    .output(z.void())
    .mutation(({ ctx, input }) =>
      revokeServiceToken(ctx, ofPartner(ctx, ctx.partnerAccess), input),
    ),
  listOfPlatform: operator
    .meta({
      scope: 'never',
      openapi: { method: 'GET', path: platformPath, tags, summary: "List the platform's tokens" },
    })
    .input(ListPlatformTokens)
    .output(ServiceTokenPage)
    .query(({ ctx, input }) => listServiceTokens(ctx, ofPlatform(ctx, ctx.caller), input)),
  createOfPlatform: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: platformPath,
        tags,
        summary: 'Create a token of the platform',
      },
      audit: 'service_token.created',
      secretResponse: true,
    })
    .input(CreatePlatformToken)
    .concat(recentSignIn)
    .output(CreatedServiceToken)
    .mutation(({ ctx, input }) => createServiceToken(ctx, ofPlatform(ctx, ctx.caller), input)),
  rotateOfPlatform: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${platformPath}/{id}/rotate`,
        tags,
        summary: 'Give a token of the platform a new secret',
      },
      errors: ['not_found'],
      audit: 'service_token.rotated',
      secretResponse: true,
    })
    .input(RotatePlatformToken)
    .concat(recentSignIn)
    .output(CreatedServiceToken)
    .mutation(({ ctx, input }) => rotateServiceToken(ctx, ofPlatform(ctx, ctx.caller), input)),
  revokeOfPlatform: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'DELETE',
        path: `${platformPath}/{id}`,
        tags,
        summary: 'Revoke a token of the platform',
      },
      errors: ['not_found'],
      audit: 'service_token.revoked',
    })
    .input(PlatformTokenPath)
    .output(z.void())
    .mutation(({ ctx, input }) => revokeServiceToken(ctx, ofPlatform(ctx, ctx.caller), input)),
})
