import { mostResources, scimSchemas } from './schemas.ts'

/** An attribute of a schema (RFC 7643, section 7). */
interface Attribute {
  name: string
  type: 'string' | 'boolean' | 'complex' | 'reference'
  multiValued: boolean
  description: string
  required: boolean
  caseExact: boolean
  mutability: 'readOnly' | 'readWrite' | 'immutable'
  returned: 'default'
  uniqueness: 'none' | 'server'
  canonicalValues?: readonly string[]
  referenceTypes?: readonly string[]
  subAttributes?: readonly Attribute[]
}

const attribute = (
  name: string,
  description: string,
  traits: Partial<Attribute> = {},
): Attribute => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...traits,
})

const readOnly = { mutability: 'readOnly' } as const

const userAttributes: readonly Attribute[] = [
  attribute(
    'userName',
    'The address that the member signs in with, on a proven domain of the tenant. A name without @ is completed with the primary domain.',
    { required: true, uniqueness: 'server' },
  ),
  attribute(
    'displayName',
    'The full name. A user that is created without one gets it from the other attributes.',
    { required: true },
  ),
  attribute('name', 'The parts of the name.', {
    type: 'complex',
    subAttributes: [
      attribute('givenName', 'The first name.'),
      attribute('familyName', 'The last name.'),
    ],
  }),
  attribute('active', 'False for a suspended member: no sign-in, and a frozen mailbox.', {
    type: 'boolean',
    required: true,
  }),
  attribute('emails', 'The address of the member; userName sets it.', {
    type: 'complex',
    multiValued: true,
    ...readOnly,
    subAttributes: [
      attribute('value', 'The address.', readOnly),
      attribute('type', 'Always work.', { ...readOnly, canonicalValues: ['work'] }),
      attribute('primary', 'Always true.', { type: 'boolean', ...readOnly }),
    ],
  }),
  attribute('phoneNumbers', 'The phone number; one is kept.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'Digits with an optional + and separators.'),
      attribute('type', 'Always work.', { canonicalValues: ['work'] }),
    ],
  }),
  attribute('groups', 'The groups of the member, which are changed as resources of their own.', {
    type: 'complex',
    multiValued: true,
    ...readOnly,
    subAttributes: [
      attribute('value', 'The id of the group.', readOnly),
      attribute('$ref', 'Where the group is.', {
        type: 'reference',
        ...readOnly,
        referenceTypes: ['Group'],
      }),
      attribute('display', 'The name of the group.', readOnly),
      attribute('type', 'Always direct.', { ...readOnly, canonicalValues: ['direct'] }),
    ],
  }),
]

const immutable = { mutability: 'immutable' } as const

const groupAttributes: readonly Attribute[] = [
  attribute(
    'displayName',
    'The name of the distribution list. The group Administrators is always there.',
    { required: true },
  ),
  attribute('members', 'Members of the tenant.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'The id of the user.', immutable),
      attribute('$ref', 'Where the user is.', {
        type: 'reference',
        ...immutable,
        referenceTypes: ['User'],
      }),
      attribute('type', 'Always User.', { ...immutable, canonicalValues: ['User'] }),
    ],
  }),
]

const schemas = [
  { id: scimSchemas.user, name: 'User', description: 'A member', attributes: userAttributes },
  {
    id: scimSchemas.group,
    name: 'Group',
    description: 'A distribution list, or the admins of the tenant',
    attributes: groupAttributes,
  },
]

const types = [
  { name: 'User', endpoint: '/Users', description: 'Members', schema: scimSchemas.user },
  {
    name: 'Group',
    endpoint: '/Groups',
    description: 'Distribution lists and admins',
    schema: scimSchemas.group,
  },
]

/** What this server can do (RFC 7643, section 5). `base` is the address of the service. */
export function serviceProviderConfig(base: string) {
  return {
    schemas: [scimSchemas.serviceProviderConfig],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: mostResources },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Service token',
        description: 'Authorization: Bearer with a service token that has scim:read and scim:write',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  }
}

/** The types of resources (RFC 7643, section 6). */
export function resourceTypes(base: string) {
  return types.map((type) => ({
    schemas: [scimSchemas.resourceType],
    id: type.name,
    ...type,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${type.name}` },
  }))
}

/** The schemas of the resources (RFC 7643, section 7). */
export function schemaDefinitions(base: string) {
  return schemas.map((schema) => ({
    schemas: [scimSchemas.schema],
    ...schema,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }))
}
