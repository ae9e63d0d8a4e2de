import { z } from 'zod'
import type { IdentityUser } from './port.ts'

// The parts of authentik 2026.8 responses that we read. Unknown fields are dropped, so new ones
// change nothing.

export const Group = z.object({
  pk: z.string().min(1),
  name: z.string(),
  attributes: z.record(z.string(), z.unknown()).default({}),
})
/** A group with all its members. */
export const GroupWithMembers = z.object({
  users_obj: z.array(z.object({ uid: z.string().min(1) })),
})
export const GroupPage = z.object({ results: z.array(Group) })

export const User = z.object({
  pk: z.int(),
  uid: z.string().min(1),
  username: z.string(),
  email: z.string().default(''),
  name: z.string(),
  is_active: z.boolean(),
  groups: z.array(z.string()).default([]),
})
export const UserPage = z.object({ results: z.array(User) })

export const UserWithAttributes = User.extend({
  attributes: z.record(z.string(), z.unknown()).default({}),
})

export const UserWithPasswordDate = UserWithAttributes.extend({
  password_change_date: z.iso.datetime({ offset: true }),
})

// `next` is the number of the next page, 0 at the end.
const pagination = z.object({ next: z.int() })
export const SessionPage = z.object({
  pagination,
  results: z.array(
    z.object({
      uuid: z.string().min(1),
      user: z.int(),
      last_ip: z.string().default(''),
      last_user_agent: z.string().default(''),
      last_used: z.string(),
      expires: z.string().nullish(),
    }),
  ),
})

export const Me = z.object({ user: z.object({ pk: z.int() }) })
export const Version = z.object({ version_current: z.string().optional() })
export const Recovery = z.object({ link: z.string() })

/** The list of one user's authenticators: a bare array, whose entries do not say whose they are. */
export const Devices = z.array(
  z.object({
    pk: z.union([z.string().min(1), z.int()]).transform(String),
    name: z.string().default(''),
    type: z.string(),
    confirmed: z.boolean(),
    created: z.string(),
    last_used: z.string().nullish(),
  }),
)

export const FlowPage = z.object({
  results: z.array(z.object({ pk: z.string().min(1), slug: z.string() })),
})
export const KeyPairPage = z.object({
  results: z.array(
    z.object({ pk: z.string().min(1), name: z.string(), private_key_available: z.boolean() }),
  ),
})
export const ScopeMappingPage = z.object({
  pagination,
  results: z.array(z.object({ pk: z.string().min(1), managed: z.string().nullish() })),
})

/** A failed creation may also return 200. */
export const Applied = z.object({ applied: z.boolean() })
export const Application = z.object({
  pk: z.string().min(1),
  name: z.string(),
  slug: z.string(),
  provider: z.int().nullable(),
  meta_launch_url: z.string().nullish(),
})
export const Provider = z.object({
  pk: z.int(),
  name: z.string(),
  client_id: z.string(),
  redirect_uris: z.array(
    z.object({ url: z.string(), redirect_uri_type: z.string().default('authorization') }),
  ),
})
export const ProviderPage = z.object({ pagination, results: z.array(Provider) })
export const BindingPage = z.object({
  results: z.array(
    z.object({
      target: z.string(),
      group: z.string().nullish(),
      enabled: z.boolean(),
      negate: z.boolean(),
    }),
  ),
})

export function identityUser(user: z.infer<typeof User>): IdentityUser {
  return {
    id: String(user.pk),
    subject: user.uid,
    username: user.username,
    email: user.email,
    name: user.name,
    active: user.is_active,
    groupIds: user.groups,
  }
}
