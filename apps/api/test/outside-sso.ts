import type { TestApp } from '@atrium/testing/test-app'

interface SsoRecords {
  applications: {
    pk: string
    slug: string
    name: string
    provider: number | null
    meta_launch_url: string
  }[]
  providers: {
    pk: number
    name: string
    client_id: string
    redirect_uris: { url: string; matching_mode: string }[]
  }[]
  bindings: { target: string; group: string | null }[]
  groups: { pk: string; name: string }[]
}

export function ssoRecords(testApp: TestApp): SsoRecords {
  return testApp.sandbox.state().identity.records as SsoRecords
}

/** How much the identity provider has of an application, by its name. */
export function ssoObjects(testApp: TestApp, name: string) {
  const { applications, providers, bindings } = ssoRecords(testApp)
  const made = applications.filter((application) => application.name === name)
  const slugs = made.map(({ slug }) => slug)
  return {
    applications: made.length,
    providers: providers.filter(
      (one) =>
        slugs.includes(one.name) || made.some((application) => application.provider === one.pk),
    ).length,
    bindings: bindings.filter(({ target }) => made.some(({ pk }) => pk === target)).length,
  }
}
