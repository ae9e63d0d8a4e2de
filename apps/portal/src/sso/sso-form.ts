import { CreateSsoApp } from '@atrium/core/sso/sso'

/** The form as it is typed. */
export interface SsoFormValues {
  name: string
  redirectUris: string[]
  launchUrl: string
}

export const emptySsoForm: SsoFormValues = { name: '', redirectUris: [''], launchUrl: '' }

/** What the form is checked against: the API's own rules. */
export const SsoForm = CreateSsoApp.omit({ slug: true })

/** The call made of a form. Addresses keep their case: the provider compares them byte for byte. */
export function toCreateSsoApp(
  slug: string,
  { name, redirectUris, launchUrl }: SsoFormValues,
): CreateSsoApp {
  const launch = launchUrl.trim()
  return {
    slug,
    name,
    redirectUris: redirectUris.map((uri) => uri.trim()),
    ...(launch ? { launchUrl: launch } : {}),
  }
}
