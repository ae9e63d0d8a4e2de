import type { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import { type HttpClient, shaped } from '../http-client.ts'
import { userPath } from './authentik-paths.ts'

/** A user by the provider's key, in the shape that the caller needs. */
export function readUserRecord<S extends z.ZodType>(
  client: HttpClient,
  operation: Operation,
  userId: string,
  schema: S,
) {
  return client.send(operation, {
    label: 'GET /core/users/{id}/',
    method: 'GET',
    path: userPath(operation, userId),
    query: { include_groups: 'false', include_roles: 'false' },
    repeatable: true,
    accept: [200],
    addressesObject: true,
    read: shaped(schema),
  })
}
