import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import type { HttpClient } from '../http-client.ts'
import { aboutPart, UpstreamError, type UpstreamErrorKind, withDetail } from '../upstream-error.ts'
import { applicationPath, providerPath } from './authentik-paths.ts'
import { findProviderParts, type ProviderParts, transactionalBody } from './authentik-provider.ts'
import type { IdentityProvider, NewSsoApplication, SsoApplication } from './port.ts'
import { Application, Applied, BindingPage, Provider, ProviderPage } from './records.ts'

type ApplicationMethods = Pick<
  IdentityProvider,
  'createSsoApplication' | 'readSsoApplication' | 'removeSsoApplication'
>
type Part = 'application' | 'provider' | 'group binding'

/**
 * Applications with a provider of their own, open to one group. `publicUrl` is the address of
 * issuers, without a slash at the end.
 */
export function authentikApplications(client: HttpClient, publicUrl: string): ApplicationMethods {
  const getApplication = (operation: Operation, slug: string) =>
    client.send(operation, {
      label: 'GET /core/applications/{slug}/',
      method: 'GET',
      // By slug, because the list is cached without its filters.
      path: applicationPath(operation, slug),
      repeatable: true,
      accept: [200, 404],
      read: ({ status, json }) => (status === 200 ? Application.parse(json) : undefined),
    })

  const getProvider = (operation: Operation, id: string) =>
    client.send(operation, {
      label: 'GET /providers/oauth2/{id}/',
      method: 'GET',
      path: providerPath(operation, id),
      repeatable: true,
      accept: [200, 404],
      read: ({ status, json }) => (status === 200 ? Provider.parse(json) : undefined),
    })

  async function findProvider(operation: Operation, filter: 'client_id' | 'name', value: string) {
    const { results, pagination } = await client.send(operation, {
      label: `GET /providers/oauth2/?${filter}`,
      method: 'GET',
      path: 'api/v3/providers/oauth2/',
      query: { [filter]: value, page_size: '100' },
      repeatable: true,
      accept: [200],
      read: ({ json }) => ProviderPage.parse(json),
    })
    const found = results.find((provider) => provider[filter] === value)
    // Both are unique, so a list of several pages means that the filter was ignored, and proves
    // nothing about what is not on this one.
    if (!found && pagination.next !== 0)
      throw operation.fail('invalid_answer', {
        note: 'it ignores a filter of its list of providers',
      })
    return found
  }

  const remove = (operation: Operation, label: string, path: string) =>
    client.send(operation, {
      label,
      method: 'DELETE',
      path,
      repeatable: true,
      accept: [204, 404],
      read: () => undefined,
    })
  const removeApplication = (operation: Operation, slug: string) =>
    remove(operation, 'DELETE /core/applications/{slug}/', applicationPath(operation, slug))
  const removeProvider = (operation: Operation, id: string) =>
    remove(operation, 'DELETE /providers/oauth2/{id}/', providerPath(operation, id))

  /**
   * The one call that makes all three. Not repeatable: a second one meets the slug of the first.
   */
  async function apply(
    operation: Operation,
    application: NewSsoApplication,
    parts: ProviderParts,
  ): Promise<void> {
    const { status, json } = await client.send(operation, {
      label: 'PUT /core/transactional/applications/',
      method: 'PUT',
      path: 'api/v3/core/transactional/applications/',
      body: transactionalBody(application, parts),
      repeatable: false,
      accept: [200, 400],
      read: (response) =>
        response.status === 200 ? { status: 200, json: Applied.parse(response.json) } : response,
    })
    if (status !== 200) throw await rejection(operation, application, json)
    if (!Applied.parse(json).applied)
      throw operation.fail('refused', { status, part: 'application', note: 'it was not applied' })
  }

  /**
   * Interprets a 400. Its messages are translated: only the keys name the field, and only a lookup
   * shows that a name is taken.
   */
  async function rejection(
    operation: Operation,
    { slug, clientId }: NewSsoApplication,
    json: unknown,
  ): Promise<UpstreamError> {
    const faults = Faults.safeParse(json).data ?? {}
    const part = rejectedPart(faults)
    const taken =
      (faults.app !== undefined && (await getApplication(operation, slug)) !== undefined) ||
      (faults.provider !== undefined &&
        (await findProvider(operation, 'name', slug)) !== undefined) ||
      (faults.provider !== undefined &&
        (await findProvider(operation, 'client_id', clientId)) !== undefined)
    return taken
      ? operation.fail('conflict', { status: 400, part })
      : operation.fail('refused', { status: 400, part, note: `the ${part} is not accepted` })
  }

  /** Reads back what the call created: its response contains no key. */
  async function confirm(
    operation: Operation,
    application: NewSsoApplication,
  ): Promise<SsoApplication> {
    const made = await aboutPart('application', () => getApplication(operation, application.slug))
    if (!made)
      throw operation.fail('invalid_answer', {
        part: 'application',
        note: 'it reported an application that is not there',
      })
    const provider =
      made.provider === null
        ? undefined
        : await aboutPart('provider', () => getProvider(operation, String(made.provider)))
    if (provider?.client_id !== application.clientId) {
      throw operation.fail('invalid_answer', {
        part: 'provider',
        note: 'it reported a provider that is not there',
      })
    }
    const bound = await aboutPart('group binding', () =>
      isBound(operation, made.pk, application.groupId),
    )
    // An application without a binding is open to everyone in the installation.
    if (!bound)
      throw operation.fail('invalid_answer', {
        part: 'group binding',
        note: 'it reported a group binding that is not there',
      })
    return toSsoApplication(made, provider, publicUrl)
  }

  const isBound = (operation: Operation, target: string, group: string) =>
    client.send(operation, {
      label: 'GET /policies/bindings/?target',
      method: 'GET',
      path: 'api/v3/policies/bindings/',
      query: { target, page_size: '100' },
      repeatable: true,
      accept: [200],
      read: ({ json }) =>
        BindingPage.parse(json).results.some(
          (one) => one.target === target && one.group === group && one.enabled && !one.negate,
        ),
    })

  /**
   * Removes what carries our client id. An application of the same slug that another made stays
   * untouched.
   */
  async function removeByClientId(
    operation: Operation,
    { slug, clientId }: { slug: string; clientId: string },
    applicationIsGone: () => void = () => undefined,
  ): Promise<void> {
    const provider = await aboutPart('provider', () =>
      findProvider(operation, 'client_id', clientId),
    )
    if (!provider) return
    // The application goes first. While it stays the provider stays too: by its client id both are
    // found again.
    await aboutPart('application', async () => {
      const application = await getApplication(operation, slug)
      if (application?.provider === provider.pk) await removeApplication(operation, slug)
    })
    applicationIsGone()
    await aboutPart('provider', () => removeProvider(operation, String(provider.pk)))
  }

  /** The failure, once what it left is taken away, with what may be there still. */
  async function withdrawn(failure: unknown, application: NewSsoApplication): Promise<unknown> {
    if (!(failure instanceof UpstreamError)) return failure
    let leftBehind: Part[] = ['application', 'group binding', 'provider']
    // A request that was given up may be carried out a moment later.
    if (failure.kind === 'timeout') await pause(lateMs)
    try {
      await client.operation('createSsoApplication', undefined, (operation) =>
        removeByClientId(operation, application, () => {
          leftBehind = ['provider']
        }),
      )
      return failure
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      return withDetail(failure, { leftBehind })
    }
  }

  return {
    createSsoApplication: async (application, options) => {
      const parts = await client.operation('createSsoApplication', options, (operation) =>
        findProviderParts(client, operation),
      )
      // From here on the caller's signal is ignored: what is under way must end either created or
      // removed.
      let applied = false
      try {
        return await client.operation('createSsoApplication', undefined, async (operation) => {
          await aboutPart('application', () => apply(operation, application, parts))
          applied = true
          return await confirm(operation, application)
        })
      } catch (failure) {
        throw applied || mayHaveMade(failure) ? await withdrawn(failure, application) : failure
      }
    },

    readSsoApplication: (slug, options) =>
      client.operation('readSsoApplication', options, async (operation) => {
        const application = await getApplication(operation, slug)
        if (!application || application.provider === null) return undefined
        const provider = await getProvider(operation, String(application.provider))
        return provider && toSsoApplication(application, provider, publicUrl)
      }),

    removeSsoApplication: (application, options) =>
      client.operation('removeSsoApplication', options, async (operation) => {
        if ('clientId' in application) return await removeByClientId(operation, application)
        // The application first: without a provider it would still be shown to people.
        await removeApplication(operation, application.slug)
        await removeProvider(operation, application.providerId)
      }),
  }
}

const lateMs = 1_000

const madeNothing: ReadonlySet<UpstreamErrorKind> = new Set<UpstreamErrorKind>([
  'circuit_open',
  'unauthorized',
  'conflict',
  'rate_limited',
])

/** True unless the failure proves that the request was not carried out. */
function mayHaveMade(failure: unknown): boolean {
  return !(failure instanceof UpstreamError && madeNothing.has(failure.kind))
}

const Faults = z.record(z.string(), z.unknown())

/** Keys of faults that are about the request and not about one of its entries. */
const wholeRequest = ['detail', 'non_field_errors', 'provider_model']

function rejectedPart(faults: Record<string, unknown>): Part {
  if (faults.app !== undefined) return 'application'
  if (faults.provider !== undefined) return 'provider'
  // A binding has no name among the entries, so its faults come under any other one.
  return Object.keys(faults).some((key) => !wholeRequest.includes(key))
    ? 'group binding'
    : 'application'
}

function toSsoApplication(
  application: z.infer<typeof Application>,
  provider: z.infer<typeof Provider>,
  publicUrl: string,
): SsoApplication {
  return {
    slug: application.slug,
    name: application.name,
    clientId: provider.client_id,
    redirectUris: provider.redirect_uris
      .filter((uri) => uri.redirect_uri_type === 'authorization')
      .map((uri) => uri.url),
    launchUrl: application.meta_launch_url || null,
    providerId: String(provider.pk),
    issuer: `${publicUrl}/application/o/${application.slug}/`,
  }
}
