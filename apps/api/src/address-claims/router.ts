import {
  AddressClaimPath,
  ChangeOwnAddress,
  ConfirmOwnAddress,
  ListPeopleElsewhere,
  OwnAddressClaimResult,
  PeopleElsewhere,
  PersonElsewhere,
} from '@atrium/core/address-claims/address-claims'
import { AcceptedInvitation, FollowLink } from '@atrium/core/invitations/invitations'
import { z } from 'zod'
import { adminOrOperator, publicProcedure, signedIn } from '../rpc/guards.ts'
import { router } from '../rpc/trpc.ts'
import { listPeopleElsewhere } from './list.ts'
import { moveHome } from './move.ts'
import { changeOwnAddress, confirmOwnAddress, readOwnAddressClaim } from './own.ts'
import { startAddressClaim, withdrawAddressClaim } from './start.ts'

const tags = ['address claims']
const domain = '/tenants/{slug}/domains/{domain}'
const own = '/users/me/address-claim'

export const addressClaimsRouter = router({
  list: adminOrOperator
    .meta({
      scope: 'members:read',
      delegable: 'never',
      openapi: {
        method: 'GET',
        path: `${domain}/people`,
        tags,
        summary: 'List addresses on a proved domain that are managed elsewhere',
      },
      errors: ['domain_not_verified'],
    })
    .input(ListPeopleElsewhere)
    .output(PeopleElsewhere)
    .query(({ ctx, input }) => listPeopleElsewhere(ctx, ctx.access, input)),
  start: adminOrOperator
    .meta({
      scope: 'members:write',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: `${domain}/address-claims`,
        tags,
        summary: 'Claim an address that is managed elsewhere',
      },
      audit: 'address.claim_started',
      creates: true,
      errors: [
        'domain_not_verified',
        'already_exists',
        'integration_off',
        'rate_limited',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(AddressClaimPath)
    .output(PersonElsewhere)
    .mutation(({ ctx, input }) => startAddressClaim(ctx, ctx.access, input)),
  withdraw: adminOrOperator
    .meta({
      scope: 'members:write',
      delegable: 'never',
      openapi: {
        method: 'DELETE',
        path: `${domain}/address-claims/{email}`,
        tags,
        summary: 'Withdraw the claim to an address',
      },
      audit: 'address.claim_withdrawn',
      errors: ['domain_not_verified', 'tenant_deleted'],
    })
    .input(AddressClaimPath)
    .output(z.void())
    .mutation(({ ctx, input }) => withdrawAddressClaim(ctx, ctx.access, input)),
  own: signedIn
    .meta({
      scope: 'never',
      openapi: { method: 'GET', path: own, tags, summary: 'Read the claim to your own address' },
    })
    .input(z.strictObject({}).optional())
    .output(OwnAddressClaimResult)
    .query(({ ctx }) => readOwnAddressClaim(ctx, ctx.caller)),
  change: signedIn
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${own}/new-address`,
        tags,
        summary: 'Have a link sent to the address that takes the place of a claimed one',
      },
      audit: 'user.address_change_requested',
      creates: false,
      errors: ['not_found', 'integration_off', 'rate_limited'],
    })
    .input(ChangeOwnAddress)
    .output(z.void())
    .mutation(({ ctx, input }) => changeOwnAddress(ctx, ctx.caller, input)),
  confirm: signedIn
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${own}/new-address/confirm`,
        tags,
        summary: 'Confirm the new address with the token of the mailed link',
      },
      audit: 'user.address_changed',
      creates: false,
      errors: ['not_found', 'email_taken'],
    })
    .input(ConfirmOwnAddress)
    .output(z.void())
    .mutation(({ ctx, input }) => confirmOwnAddress(ctx, ctx.caller, input)),
  move: publicProcedure
    .meta({
      openapi: {
        method: 'POST',
        path: '/address-claims/move',
        tags,
        summary: 'Move to the tenant that claims the address, by the token of a mailed link',
      },
      audit: 'address.moved',
      creates: false,
      secretResponse: true,
      errors: [
        'not_found',
        'address_claim_held',
        'seats_exhausted',
        'email_taken',
        'upstream_failed',
        'tenant_suspended',
        'tenant_deleted',
        'rate_limited',
      ],
    })
    .input(FollowLink)
    .output(AcceptedInvitation)
    .mutation(({ ctx }) => moveHome(ctx)),
})
