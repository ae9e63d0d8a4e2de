import type { ErrorCode } from '@atrium/core/platform/errors'
import {
  resourceTypes,
  schemaDefinitions,
  serviceProviderConfig,
} from '@atrium/core/scim/discovery'
import {
  ChangeScimResource,
  CreateScimResource,
  ListScimResources,
  listOf,
  ReadScimResource,
  RemoveScimResource,
  ScimDiscovery,
  ScimGroup,
  ScimTenant,
  ScimUser,
  SearchScimResources,
  scimList,
} from '@atrium/core/scim/schemas'
import { readSearch } from '@atrium/core/scim/search'
import { z } from 'zod'
import { adminOrOperator } from '../rpc/guards.ts'
import { recentSignIn } from '../rpc/procedure.ts'
import { router } from '../rpc/trpc.ts'
import { patchGroup, replaceGroup } from './change-group.ts'
import { patchUser, replaceUser } from './change-user.ts'
import { Definition, DefinitionList, definition } from './definitions.ts'
import { createGroup, getGroup, listGroups, removeGroup } from './groups.ts'
import { searchAll } from './search.ts'
import { createUser, getUser, listUsers, removeUser } from './users.ts'
import { scimBase } from './view.ts'

const reads = { scope: 'scim:read', delegable: 'never' } as const
const writes = { scope: 'scim:write', delegable: 'never' } as const

const closed: readonly ErrorCode[] = ['tenant_suspended', 'tenant_deleted']
const changing: readonly ErrorCode[] = [
  ...closed,
  'not_found',
  'precondition_failed',
  'member_busy',
  'member_not_active',
  'domain_not_verified',
  'email_taken',
  'identity_not_managed',
  'owner_locked',
  'self_suspend',
  'already_suspended',
  'not_suspended',
  'last_admin',
  'upstream_failed',
]

const changingList: readonly ErrorCode[] = [
  ...closed,
  'integration_off',
  'domain_not_verified',
  'email_taken',
  'list_loop',
  'limit_reached',
  'upstream_failed',
]
const changingGroup: readonly ErrorCode[] = [
  ...changingList,
  'not_found',
  'already_exists',
  'precondition_failed',
  'edit_conflict',
  'forbidden_field',
  'member_busy',
  'member_not_active',
  'role_locked_owner',
  'role_locked_bootstrap_admin',
  'role_locked_self',
  'last_admin',
  'address_not_proved',
]

/**
 * The members and groups of a tenant for directories that provision them (SCIM 2.0, RFC 7643 and
 * 7644). `http/scim.ts` alone serves these, under the paths that they name: their input and output
 * are those of the standard, not of this API.
 */
export const scimRouter = router({
  serviceProviderConfig: adminOrOperator
    .meta({ ...reads, scim: { method: 'GET', path: '/ServiceProviderConfig' } })
    .input(ScimTenant)
    .output(Definition)
    .query(({ ctx }) => serviceProviderConfig(scimBase(ctx.access.tenant.slug))),
  resourceTypes: adminOrOperator
    .meta({ ...reads, scim: { method: 'GET', path: '/ResourceTypes' } })
    .input(ScimTenant)
    .output(DefinitionList)
    .query(({ ctx }) => listOf(resourceTypes(scimBase(ctx.access.tenant.slug)))),
  resourceType: adminOrOperator
    .meta({
      ...reads,
      scim: { method: 'GET', path: '/ResourceTypes/{id}' },
      errors: ['not_found'],
    })
    .input(ScimDiscovery)
    .output(Definition)
    .query(({ ctx, input }) =>
      definition(resourceTypes(scimBase(ctx.access.tenant.slug)), input.id),
    ),
  schemas: adminOrOperator
    .meta({ ...reads, scim: { method: 'GET', path: '/Schemas' } })
    .input(ScimTenant)
    .output(DefinitionList)
    .query(({ ctx }) => listOf(schemaDefinitions(scimBase(ctx.access.tenant.slug)))),
  schema: adminOrOperator
    .meta({ ...reads, scim: { method: 'GET', path: '/Schemas/{id}' }, errors: ['not_found'] })
    .input(ScimDiscovery)
    .output(Definition)
    .query(({ ctx, input }) =>
      definition(schemaDefinitions(scimBase(ctx.access.tenant.slug)), input.id),
    ),
  search: adminOrOperator
    .meta({ ...reads, scim: { method: 'POST', path: '/.search' } })
    .input(SearchScimResources)
    .output(scimList(z.union([ScimUser, ScimGroup])))
    .query(({ ctx, input }) => searchAll(ctx, ctx.access, readSearch(input))),
  searchUsers: adminOrOperator
    .meta({ ...reads, scim: { method: 'POST', path: '/Users/.search' } })
    .input(SearchScimResources)
    .output(scimList(ScimUser))
    .query(({ ctx, input }) => listUsers(ctx, ctx.access, readSearch(input))),
  searchGroups: adminOrOperator
    .meta({ ...reads, scim: { method: 'POST', path: '/Groups/.search' } })
    .input(SearchScimResources)
    .output(scimList(ScimGroup))
    .query(({ ctx, input }) => listGroups(ctx, ctx.access, readSearch(input))),
  listUsers: adminOrOperator
    .meta({ ...reads, scim: { method: 'GET', path: '/Users' } })
    .input(ListScimResources)
    .output(scimList(ScimUser))
    .query(({ ctx, input }) => listUsers(ctx, ctx.access, input)),
  getUser: adminOrOperator
    .meta({ ...reads, scim: { method: 'GET', path: '/Users/{id}' }, errors: ['not_found'] })
    .input(ReadScimResource)
    .output(ScimUser)
    .query(({ ctx, input }) => getUser(ctx, ctx.access, input)),
  createUser: adminOrOperator
    .meta({
      ...writes,
      scim: { method: 'POST', path: '/Users' },
      audit: 'member.created',
      errors: [
        ...changing,
        'seats_exhausted',
        'invitation_required',
        'address_claim_required',
        'billing_limited',
      ],
    })
    .input(CreateScimResource)
    .output(ScimUser)
    .mutation(({ ctx, input }) => createUser(ctx, ctx.access, input)),
  replaceUser: adminOrOperator
    .meta({
      ...writes,
      scim: { method: 'PUT', path: '/Users/{id}' },
      audit: 'member.updated',
      errors: changing,
    })
    .input(ChangeScimResource)
    .concat(recentSignIn)
    .output(ScimUser)
    .mutation(({ ctx, input }) => replaceUser(ctx, ctx.access, input)),
  patchUser: adminOrOperator
    .meta({
      ...writes,
      scim: { method: 'PATCH', path: '/Users/{id}' },
      audit: 'member.updated',
      errors: [...changing, 'forbidden_field'],
    })
    .input(ChangeScimResource)
    .concat(recentSignIn)
    .output(ScimUser)
    .mutation(({ ctx, input }) => patchUser(ctx, ctx.access, input)),
  removeUser: adminOrOperator
    .meta({
      ...writes,
      scim: { method: 'DELETE', path: '/Users/{id}' },
      audit: 'member.removed',
      errors: [...changing, 'owner_removal', 'self_removal'],
    })
    .input(RemoveScimResource)
    .concat(recentSignIn)
    .output(z.void())
    .mutation(({ ctx, input }) => removeUser(ctx, ctx.access, input)),
  listGroups: adminOrOperator
    .meta({ ...reads, scim: { method: 'GET', path: '/Groups' } })
    .input(ListScimResources)
    .output(scimList(ScimGroup))
    .query(({ ctx, input }) => listGroups(ctx, ctx.access, input)),
  getGroup: adminOrOperator
    .meta({ ...reads, scim: { method: 'GET', path: '/Groups/{id}' }, errors: ['not_found'] })
    .input(ReadScimResource)
    .output(ScimGroup)
    .query(({ ctx, input }) => getGroup(ctx, ctx.access, input)),
  createGroup: adminOrOperator
    .meta({
      ...writes,
      scim: { method: 'POST', path: '/Groups' },
      audit: 'list.created',
      errors: ['already_exists', ...changingList],
    })
    .input(CreateScimResource)
    .output(ScimGroup)
    .mutation(({ ctx, input }) => createGroup(ctx, ctx.access, input)),
  replaceGroup: adminOrOperator
    .meta({
      ...writes,
      scim: { method: 'PUT', path: '/Groups/{id}' },
      audit: 'list.updated',
      errors: changingGroup,
    })
    .input(ChangeScimResource)
    .concat(recentSignIn)
    .output(ScimGroup)
    .mutation(({ ctx, input }) => replaceGroup(ctx, ctx.access, input)),
  patchGroup: adminOrOperator
    .meta({
      ...writes,
      scim: { method: 'PATCH', path: '/Groups/{id}' },
      audit: 'list.updated',
      errors: changingGroup,
    })
    .input(ChangeScimResource)
    .concat(recentSignIn)
    .output(ScimGroup)
    .mutation(({ ctx, input }) => patchGroup(ctx, ctx.access, input)),
  removeGroup: adminOrOperator
    .meta({
      ...writes,
      scim: { method: 'DELETE', path: '/Groups/{id}' },
      audit: 'list.removed',
      errors: changingGroup,
    })
    .input(RemoveScimResource)
    .concat(recentSignIn)
    .output(z.void())
    .mutation(({ ctx, input }) => removeGroup(ctx, ctx.access, input)),
})
