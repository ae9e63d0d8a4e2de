import {
  AskForAccess,
  BreakGlass,
  DeclineGrant,
  GrantEntries,
  GrantEntriesPage,
  GrantNotices,
  GrantPage,
  GrantPath,
  GrantView,
  ListGrants,
} from '@atrium/core/access-grants/access-grants'
import { TenantPath } from '@atrium/core/tenants/tenants'
import {
  adminOrOperator,
  adminReader,
  operatorOfTenant,
  ownerOnly,
  partnerOrOperator,
  partnerReader,
} from '../rpc/guards.ts'
import { recentSignIn } from '../rpc/procedure.ts'
import { router } from '../rpc/trpc.ts'
import { acknowledgeGrant, approveGrant, declineGrant } from './decide.ts'
import { endGrant } from './end.ts'
import { listGrantEntries, listGrants, listGrantsOfPartner, readNotices } from './list.ts'
import { askForAccess, breakGlass } from './request.ts'

const tags = ['access grants']
const path = '/tenants/{slug}/access-grants' as const

/** Nothing here is open to an access grant: nobody extends an access by itself. */
export const accessGrantsRouter = router({
  list: adminReader
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: { method: 'GET', path, tags, summary: 'List who has or wants access' },
    })
    .input(ListGrants)
    .output(GrantPage)
    .query(({ ctx, input }) => listGrants(ctx, ctx.access, input)),
  ofPartner: partnerReader
    .meta({
      scope: 'never',
      openapi: {
        method: 'GET',
        path: '/partners/{slug}/access-grants',
        tags,
        summary: "List the partner's access to its customers",
      },
    })
    .input(ListGrants)
    .output(GrantPage)
    .query(({ ctx, input }) => listGrantsOfPartner(ctx, ctx.partnerAccess, input)),
  notices: adminOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'GET',
        path: '/tenants/{slug}/access-notices',
        tags,
        summary: 'Emergency access and open requests',
      },
    })
    .input(TenantPath)
    .output(GrantNotices)
    .query(({ ctx }) => readNotices(ctx, ctx.access)),
  entries: adminReader
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'GET',
        path: `${path}/{id}/entries`,
        tags,
        summary: 'List what was done under an access',
      },
    })
    .input(GrantEntries)
    .output(GrantEntriesPage)
    .query(({ ctx, input }) => listGrantEntries(ctx, ctx.access, input)),
  ask: partnerOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: { method: 'POST', path, tags, summary: 'Ask the owner for access' },
      creates: true,
      audit: 'access_grant.requested',
      errors: [
        'grant_exists',
        'grant_state',
        'limit_reached',
        'rate_limited',
        'tenant_suspended',
        'tenant_deleted',
        'partner_terminated',
      ],
    })
    .input(AskForAccess)
    .output(GrantView)
    .mutation(({ ctx, input }) => askForAccess(ctx, ctx.access, input)),
  breakGlass: operatorOfTenant
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: '/tenants/{slug}/break-glass',
        tags,
        summary: 'Open an emergency access without consent',
      },
      creates: true,
      audit: 'access_grant.break_glass',
      errors: ['rate_limited', 'tenant_deleted'],
    })
    .input(BreakGlass)
    .concat(recentSignIn)
    .output(GrantView)
    .mutation(({ ctx, input }) => breakGlass(ctx, ctx.access, input)),
  approve: ownerOnly
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: `${path}/{id}/approve`,
        tags,
        summary: 'Give the access that was asked for',
      },
      audit: 'access_grant.approved',
      errors: ['grant_state', 'tenant_deleted'],
    })
    .input(GrantPath)
    .concat(recentSignIn)
    .output(GrantView)
    .mutation(({ ctx, input }) => approveGrant(ctx, ctx.access, input)),
  decline: ownerOnly
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: `${path}/{id}/decline`,
        tags,
        summary: 'Decline a request for access',
      },
      audit: 'access_grant.declined',
      errors: ['grant_state', 'tenant_deleted'],
    })
    .input(DeclineGrant)
    .output(GrantView)
    .mutation(({ ctx, input }) => declineGrant(ctx, ctx.access, input)),
  end: adminReader
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: `${path}/{id}/end`,
        tags,
        summary: 'End an access or take a request back',
      },
      audit: 'access_grant.ended',
      errors: ['not_owner', 'grant_state'],
    })
    .input(GrantPath)
    .output(GrantView)
    .mutation(({ ctx, input }) => endGrant(ctx, ctx.access, input)),
  acknowledge: ownerOnly
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: `${path}/{id}/acknowledge`,
        tags,
        summary: 'Confirm having seen an emergency access',
      },
      audit: 'access_grant.acknowledged',
      errors: ['grant_state', 'tenant_deleted'],
    })
    .input(GrantPath)
    .output(GrantView)
    .mutation(({ ctx, input }) => acknowledgeGrant(ctx, ctx.access, input)),
})
