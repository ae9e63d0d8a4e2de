import { z } from 'zod'

/** What SCIM names its resources and messages (RFC 7643, section 8.7; RFC 7644, section 8.2). */
export const scimSchemas = {
  user: 'urn:ietf:params:scim:schemas:core:2.0:User',
  group: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  serviceProviderConfig: 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig',
  resourceType: 'urn:ietf:params:scim:schemas:core:2.0:ResourceType',
  schema: 'urn:ietf:params:scim:schemas:core:2.0:Schema',
  listResponse: 'urn:ietf:params:scim:api:messages:2.0:ListResponse',
  searchRequest: 'urn:ietf:params:scim:api:messages:2.0:SearchRequest',
  patchOp: 'urn:ietf:params:scim:api:messages:2.0:PatchOp',
  error: 'urn:ietf:params:scim:api:messages:2.0:Error',
} as const

/** The most resources of one response; a larger `count` gets so many. */
export const mostResources = 200
/** The most groups of one response, each with all of its members. */
export const mostGroups = 50

const slug = z.string().max(200)
/** A resource as a client sends it. Its attributes are read apart from the call's own fields. */
const body = z.record(z.string(), z.unknown())
/** Names of attributes, separated by commas. */
const attributeNames = z.string().max(2000).optional()
/** `If-Match` of the request. */
const ifMatch = z.string().max(1000).optional()
const chosen = { attributes: attributeNames, excludedAttributes: attributeNames }

/** Values below the least are read as the least (RFC 7644, section 3.4.2.4). */
export const startIndex = z.coerce
  .number()
  .int()
  .max(1_000_000_000)
  .default(1)
  .transform((value) => Math.max(value, 1))
export const count = z.coerce
  .number()
  .int()
  .max(1_000_000_000)
  .default(100)
  .transform((value) => Math.min(Math.max(value, 0), mostResources))

export const ScimTenant = z.strictObject({ slug })
export const ScimDiscovery = z.strictObject({ slug, id: z.string().max(200) })
export const ListScimResources = z.strictObject({
  slug,
  filter: z.string().max(100_000).optional(),
  startIndex,
  count,
  ...chosen,
})
export type ListScimResources = z.infer<typeof ListScimResources>
/** A search, whose conditions `readSearch` reads from its body. */
export const SearchScimResources = z.strictObject({ slug, resource: body })
export type SearchScimResources = z.infer<typeof SearchScimResources>
export const ReadScimResource = z.strictObject({ slug, id: z.string().max(200), ...chosen })
export type ReadScimResource = z.infer<typeof ReadScimResource>
export const CreateScimResource = z.strictObject({ slug, resource: body, ...chosen })
export type CreateScimResource = z.infer<typeof CreateScimResource>
export const ChangeScimResource = z.strictObject({
  slug,
  id: z.string().max(200),
  resource: body,
  ifMatch,
  ...chosen,
})
export type ChangeScimResource = z.infer<typeof ChangeScimResource>
export const RemoveScimResource = z.strictObject({ slug, id: z.string().max(200), ifMatch })
export type RemoveScimResource = z.infer<typeof RemoveScimResource>

/** RFC 7643, section 3.1. `location` is a reference relative to the API's origin. */
const meta = z.object({
  resourceType: z.string(),
  location: z.string(),
  created: z.string().optional(),
  lastModified: z.string().optional(),
  version: z.string().optional(),
})

/** A member as a SCIM user; a caller may have left attributes out. */
export const ScimUser = z.object({
  schemas: z.array(z.string()),
  id: z.uuid(),
  externalId: z.string().optional(),
  userName: z.string().optional(),
  displayName: z.string().optional(),
  name: z
    .object({
      givenName: z.string().optional(),
      familyName: z.string().optional(),
    })
    .optional(),
  active: z.boolean().optional(),
  emails: z
    .array(
      z.object({
        value: z.string().optional(),
        type: z.string().optional(),
        primary: z.boolean().optional(),
      }),
    )
    .optional(),
  phoneNumbers: z
    .array(z.object({ value: z.string().optional(), type: z.string().optional() }))
    .optional(),
  groups: z
    .array(
      z.object({
        value: z.string().optional(),
        $ref: z.string().optional(),
        display: z.string().optional(),
        type: z.string().optional(),
      }),
    )
    .optional(),
  meta: meta.optional(),
})
export type ScimUser = z.infer<typeof ScimUser>

/** The admins of a tenant or a distribution list as a SCIM group. */
export const ScimGroup = z.object({
  schemas: z.array(z.string()),
  id: z.uuid(),
  externalId: z.string().optional(),
  displayName: z.string().optional(),
  members: z
    .array(
      z.object({
        value: z.string().optional(),
        $ref: z.string().optional(),
        type: z.string().optional(),
      }),
    )
    .optional(),
  meta: meta.optional(),
})
export type ScimGroup = z.infer<typeof ScimGroup>

/** RFC 7644, section 3.4.2. */
export const scimList = <Resource extends z.ZodType>(resource: Resource) =>
  z.object({
    schemas: z.array(z.string()),
    totalResults: z.number().int(),
    startIndex: z.number().int(),
    itemsPerPage: z.number().int(),
    Resources: z.array(resource),
  })

/** One page of a list. */
export function listOf<Resource>(
  Resources: readonly Resource[],
  totalResults = Resources.length,
  startIndex = 1,
) {
  return {
    schemas: [scimSchemas.listResponse],
    totalResults,
    startIndex,
    itemsPerPage: Resources.length,
    Resources: [...Resources],
  }
}
