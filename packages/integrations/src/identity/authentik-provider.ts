import type { Operation } from '../call-policy.ts'
import type { HttpClient } from '../http-client.ts'
import { aboutPart } from '../upstream-error.ts'
import type { NewSsoApplication } from './port.ts'
import { FlowPage, KeyPairPage, ScopeMappingPage } from './records.ts'

/** What every provider of ours references, by authentik's keys. */
export interface ProviderParts {
  authorizationFlow: string
  invalidationFlow: string
  signingKey: string
  scopeMappings: string[]
}

const flows = {
  authorization: 'default-provider-authorization-implicit-consent',
  invalidation: 'default-provider-invalidation-flow',
} as const
const keyName = 'authentik Self-signed Certificate'
const scopes = ['openid', 'email', 'profile', 'offline_access'].map(
  (name) => `goauthentik.io/providers/oauth2/scope-${name}`,
)

/**
 * Looks up the objects that authentik's worker creates after the first start. A new instance
 * responds without them for about a minute, so a missing object is looked up again before it is
 * reported.
 */
export function findProviderParts(
  client: HttpClient,
  operation: Operation,
): Promise<ProviderParts> {
  async function find<T>(
    part: string,
    path: string,
    query: Record<string, string | readonly string[]>,
    pick: (json: unknown) => T,
  ) {
    const found = await aboutPart(part, () =>
      client.send(operation, {
        label: `GET ${path}`,
        method: 'GET',
        path: `api/v3${path}`,
        query,
        repeatable: false,
        accept: [200],
        read: ({ json }) => pick(json),
      }),
    )
    if (found === undefined)
      throw operation.fail('invalid_answer', {
        part,
        note: `the ${part} does not exist there, or not yet`,
      })
    return found
  }
  // Each is compared here too: a filter that the server does not know is ignored.
  const flow = (part: string, slug: string) =>
    find(
      part,
      '/flows/instances/',
      { slug },
      (json) => FlowPage.parse(json).results.find((one) => one.slug === slug)?.pk,
    )

  return operation.repeat(async () => ({
    authorizationFlow: await flow('authorization flow', flows.authorization),
    invalidationFlow: await flow('invalidation flow', flows.invalidation),
    signingKey: await find(
      'signing key',
      '/crypto/certificatekeypairs/',
      { has_key: 'true', name: keyName },
      (json) =>
        KeyPairPage.parse(json).results.find(
          (one) => one.name === keyName && one.private_key_available,
        )?.pk,
    ),
    scopeMappings: await find(
      'scope mappings',
      '/propertymappings/provider/scope/',
      // To ask for `managed` itself is 400 while one of the names is missing.
      { managed__isnull: 'false', page_size: '100' },
      (json) => {
        const ours = ScopeMappingPage.parse(json).results.filter(
          ({ managed }) => managed && scopes.includes(managed),
        )
        return ours.length === scopes.length ? ours.map(({ pk }) => pk) : undefined
      },
    ),
  }))
}

/** The body of the call that makes application, provider and binding together. */
export function transactionalBody(application: NewSsoApplication, parts: ProviderParts): object {
  const { slug, name, redirectUris, launchUrl, groupId, clientId, clientSecret } = application
  return {
    app: {
      name,
      slug,
      policy_engine_mode: 'any',
      ...(launchUrl !== undefined && { meta_launch_url: launchUrl }),
    },
    provider_model: 'authentik_providers_oauth2.oauth2provider',
    provider: {
      name: slug,
      authorization_flow: parts.authorizationFlow,
      invalidation_flow: parts.invalidationFlow,
      client_type: 'confidential',
      client_id: clientId,
      client_secret: clientSecret,
      // Without grant types every sign-in fails, and without a key tokens are signed with the
      // secret.
      grant_types: ['authorization_code', 'refresh_token'],
      signing_key: parts.signingKey,
      property_mappings: parts.scopeMappings,
      redirect_uris: redirectUris.map((url) => ({
        matching_mode: 'strict',
        url,
        redirect_uri_type: 'authorization',
      })),
      include_claims_in_id_token: true,
      issuer_mode: 'per_provider',
      sub_mode: 'hashed_user_id',
      access_code_validity: 'minutes=1',
      access_token_validity: 'minutes=10',
      refresh_token_validity: 'days=30',
    },
    policy_bindings: [
      {
        group: groupId,
        order: 0,
        enabled: true,
        negate: false,
        failure_result: false,
        timeout: 30,
      },
    ],
  }
}
