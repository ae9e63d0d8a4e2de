import { z } from 'zod'
import type { SetupCalls } from './authentik-setup-calls.ts'
import { again, ok, type SetupFinding, warning } from './authentik-setup-findings.ts'

const deviceCode = 'urn:ietf:params:oauth:grant-type:device_code'
const Provider = z.object({
  name: z.string(),
  client_type: z.string(),
  /** Absent before 2026.5. */
  grant_types: z.array(z.string()).optional(),
  authorization_flow: z.string(),
})

/** What people need to sign in with the command line; without it only service tokens work there. */
export async function checkCommandLine(calls: SetupCalls): Promise<SetupFinding[]> {
  const need = 'sign-in of the command line'
  const rows = await calls.list('providers/oauth2/', { name: 'atrium-cli' }, Provider)
  const found = rows.find(({ name }) => name === 'atrium-cli')
  if (!found) return [warning(need, `is not set up: atrium-cli is missing. ${again}`)]
  const flowOf = async (slug: string) => {
    const flows = await calls.list(
      'flows/instances/',
      { slug },
      z.object({ pk: z.string(), slug: z.string() }),
    )
    return flows.find((flow) => flow.slug === slug)?.pk
  }
  const [brand] = await calls.list(
    'core/brands/',
    { default: 'true' },
    z.object({ flow_device_code: z.string().nullable() }),
  )
  const faults = [
    ...(found.client_type === 'public' ? [] : ['is no public client']),
    ...(found.grant_types?.includes(deviceCode) === false ? ['lacks the grant of codes'] : []),
    // Any other flow could sign a person in by the link of another person's code.
    ...(found.authorization_flow === (await flowOf('atrium-device-authorization'))
      ? []
      : ['does not ask each time']),
    ...(brand?.flow_device_code ? [] : ['has no page for codes in the default brand']),
  ]
  return faults.length === 0 ? [ok(need)] : [warning(need, `${faults.join('; ')}. ${again}`)]
}
