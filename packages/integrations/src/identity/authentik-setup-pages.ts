import { z } from 'zod'
import type { SetupCalls } from './authentik-setup-calls.ts'
import { again, error, ok, type SetupFinding, warning } from './authentik-setup-findings.ts'

/** Flows of a fresh authentik that the portals lead to from their pages about an own sign-in. */
const accountFlows = [
  'default-password-change',
  'default-authenticator-webauthn-setup',
  'default-authenticator-totp-setup',
  'default-authenticator-static-setup',
] as const

const Named = z.object({ pk: z.string(), name: z.string() })
const Page = z.object({
  name: z.string(),
  recovery_flow: z.string().nullable(),
  /** Absent before 2026.2. */
  webauthn_stage: z.string().nullish(),
})
const Validation = Named.extend({ webauthn_user_verification: z.string() })

async function named<S extends z.ZodType<{ name: string }>>(
  calls: SetupCalls,
  path: string,
  name: string,
  row: S,
): Promise<z.output<S> | undefined> {
  return (await calls.list(path, { name }, row)).find((one) => one.name === name)
}

/** What the sign-in page offers: password recovery, and a passkey as the only proof. */
export async function checkSignInPage(calls: SetupCalls): Promise<SetupFinding[]> {
  const page = await named(
    calls,
    'stages/identification/',
    'default-authentication-identification',
    Page,
  )
  const recovery = 'password recovery on the sign-in page'
  const passkeys = 'passkeys on the sign-in page'
  if (!page) return [error(recovery, `the stage is missing. ${again}`)]
  const stage = await named(calls, 'stages/authenticator/validate/', 'atrium-passkey', Validation)
  const asMeant = stage !== undefined && page.webauthn_stage === stage.pk
  return [
    page.recovery_flow === null ? warning(recovery, `is not offered. ${again}`) : ok(recovery),
    !asMeant
      ? warning(passkeys, `are not accepted by the stage atrium-passkey. ${again}`)
      : stage.webauthn_user_verification === 'required'
        ? ok(passkeys)
        : error(passkeys, `are accepted without a check of the person. ${again}`),
  ]
}

/** Rules about countries need a GeoIP database at authentik. */
export async function checkCountries(calls: SetupCalls): Promise<SetupFinding[]> {
  const need = 'countries'
  const capabilities = await calls.send({
    method: 'GET',
    path: 'root/config/',
    read: ({ json }) => z.object({ capabilities: z.array(z.string()) }).parse(json).capabilities,
  })
  return capabilities.includes('can_geo_ip')
    ? [ok(need)]
    : [
        warning(
          need,
          'are not checked at its sign-in: it has no GeoIP database. See "Countries at authentik".',
        ),
      ]
}

export async function checkAccountFlows(calls: SetupCalls): Promise<SetupFinding[]> {
  const findings: SetupFinding[] = []
  for (const slug of accountFlows) {
    const rows = await calls.list('flows/instances/', { slug }, z.object({ slug: z.string() }))
    findings.push(
      rows.some((row) => row.slug === slug)
        ? ok(`flow ${slug}`)
        : warning(`flow ${slug}`, 'is missing. Name another one in the settings of the portals.'),
    )
  }
  return findings
}
