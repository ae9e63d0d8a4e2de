import { scimSchemas } from '@atrium/core/scim/schemas'
import { type MembersTestApp, startMembersTestApp } from './members-test-app.ts'
import { insertServiceToken } from './service-tokens.ts'
import type { TestResponse } from './test-app.ts'

/** A test app whose tenant Acme has a service token for a directory. */
export interface ScimTestApp extends MembersTestApp {
  /** The id of the token. */
  tokenId: string
  /** A request of the directory, below the address of Acme's SCIM service. */
  scim(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<TestResponse>
  /** A PATCH with these operations of a resource such as `/Users/{id}`. */
  patch(path: string, ...operations: object[]): Promise<TestResponse>
}

export const scimBase = '/tenants/acme/scim/v2'

export async function startScimTestApp(
  options: Parameters<typeof startMembersTestApp>[0] = {},
): Promise<ScimTestApp> {
  const testApp = await startMembersTestApp({ manyChanges: true, ...options })
  const { id, token } = await insertServiceToken(
    testApp,
    { kind: 'tenant', tenantId: testApp.acmeId },
    { scopes: ['scim:read', 'scim:write'] },
  )
  const scim: ScimTestApp['scim'] = (method, path, body, headers = {}) =>
    testApp.request(method, `${scimBase}${path}`, {
      token,
      ...(body === undefined ? {} : { body }),
      headers: {
        accept: 'application/scim+json',
        ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
        ...headers,
      },
    })
  return {
    ...testApp,
    tokenId: id,
    scim,
    patch: (path, ...Operations) =>
      scim('PATCH', path, { schemas: [scimSchemas.patchOp], Operations }),
  }
}
