import type Provider from 'oidc-provider'
import type { Configuration } from 'oidc-provider'
import { page } from '../../page.ts'
import { messagePage } from '../login/pages.ts'
import { applicationBySlug } from '../people.ts'
import type { ApplicationRecord, ProviderRecord, Store } from '../records.ts'
import { signingKeys } from './keys.ts'
import { createOpenIdProvider } from './provider.ts'

export interface Application {
  readonly application: ApplicationRecord
  readonly provider: ProviderRecord
  readonly openId: Provider
}

/**
 * The OpenID provider of each application, made when it is first asked for and made again when its
 * records change.
 */
export function createOpenIdProviders(store: Store): (slug: string) => Application | undefined {
  const made = new Map<string, { version: string; openId: Provider }>()
  return (slug) => {
    const found = applicationBySlug(store, slug)
    if (!found) return undefined
    const version = JSON.stringify([
      found.provider,
      found.application,
      signingKeys(store).map((key) => key.kid),
      store.records.mappings.map((mapping) => [mapping.pk, mapping.scope_name]),
      store.records.cookieKey,
    ])
    const known = made.get(slug)
    if (known?.version === version) return { ...found, openId: known.openId }
    const openId = createOpenIdProvider({
      store,
      ...found,
      interactionPath: (uid) => `/if/signin/${slug}/${uid}/`,
      renderError,
    })
    made.set(slug, { version, openId })
    return { ...found, openId }
  }
}

const renderError: NonNullable<Configuration['renderError']> = (ctx, out) => {
  const { body, headers } = page(
    messagePage('Sign-in failed', `${out.error}: ${out.error_description ?? 'no details'}`),
  )
  ctx.set(headers)
  ctx.body = body
}
