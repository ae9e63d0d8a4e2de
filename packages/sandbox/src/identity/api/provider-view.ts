import type { ApplicationRecord, ProviderRecord, Store } from '../records.ts'

/** An OAuth2 provider as responses contain it. Like authentik, with the secret in plain text. */
export function providerView(store: Store, provider: ProviderRecord) {
  const application = store.records.applications.find((one) => one.provider === provider.pk)
  return {
    pk: provider.pk,
    name: provider.name,
    authentication_flow: provider.authentication_flow,
    authorization_flow: provider.authorization_flow,
    invalidation_flow: provider.invalidation_flow,
    property_mappings: provider.property_mappings,
    component: 'ak-provider-oauth2-form',
    assigned_application_slug: application?.slug ?? null,
    assigned_application_name: application?.name ?? null,
    assigned_backchannel_application_slug: null,
    assigned_backchannel_application_name: null,
    verbose_name: 'OAuth2/OpenID Provider',
    verbose_name_plural: 'OAuth2/OpenID Providers',
    meta_model_name: 'authentik_providers_oauth2.oauth2provider',
    client_type: provider.client_type,
    grant_types: provider.grant_types,
    client_id: provider.client_id,
    client_secret: provider.client_secret,
    access_code_validity: provider.access_code_validity,
    access_token_validity: provider.access_token_validity,
    refresh_token_validity: provider.refresh_token_validity,
    refresh_token_threshold: provider.refresh_token_threshold,
    include_claims_in_id_token: provider.include_claims_in_id_token,
    signing_key: provider.signing_key,
    encryption_key: provider.encryption_key,
    redirect_uris: provider.redirect_uris,
    logout_uri: provider.logout_uri,
    logout_method: provider.logout_method,
    sub_mode: provider.sub_mode,
    issuer_mode: provider.issuer_mode,
    jwt_federation_sources: [],
    jwt_federation_providers: [],
  }
}

/** The provider within an application: the fields that every kind of provider has. */
export function providerSummary(store: Store, provider: ProviderRecord) {
  const view = providerView(store, provider)
  return {
    pk: view.pk,
    name: view.name,
    authentication_flow: view.authentication_flow,
    authorization_flow: view.authorization_flow,
    invalidation_flow: view.invalidation_flow,
    property_mappings: view.property_mappings,
    component: view.component,
    assigned_application_slug: view.assigned_application_slug,
    assigned_application_name: view.assigned_application_name,
    assigned_backchannel_application_slug: null,
    assigned_backchannel_application_name: null,
    verbose_name: view.verbose_name,
    verbose_name_plural: view.verbose_name_plural,
    meta_model_name: view.meta_model_name,
  }
}

export function applicationView(store: Store, application: ApplicationRecord) {
  const provider = store.records.providers.find((one) => one.pk === application.provider)
  return {
    pk: application.pk,
    pbm_uuid: application.pk,
    name: application.name,
    slug: application.slug,
    provider: application.provider,
    provider_obj: provider ? providerSummary(store, provider) : null,
    backchannel_providers: [],
    backchannel_providers_obj: [],
    launch_url: application.meta_launch_url || null,
    open_in_new_tab: application.open_in_new_tab,
    meta_launch_url: application.meta_launch_url,
    meta_icon: application.meta_icon,
    meta_icon_url: null,
    meta_icon_themed_urls: null,
    meta_description: application.meta_description,
    meta_publisher: application.meta_publisher,
    policy_engine_mode: application.policy_engine_mode,
    group: application.group,
    meta_hide: application.meta_hide,
  }
}
