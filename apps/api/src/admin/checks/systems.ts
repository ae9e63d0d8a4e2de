import { checkIntegrations, type Integrations } from '@atrium/integrations/connect'
import { deadline } from '@atrium/integrations/deadline'
import {
  error,
  ok,
  type SetupFinding,
} from '@atrium/integrations/identity/authentik-setup-findings'
import { UpstreamError } from '@atrium/integrations/upstream-error'

const names = {
  identity: 'identity provider',
  mail: 'mail server',
  files: 'file storage',
  mailer: 'outgoing mail, sent as SMTP_FROM',
  payments: 'payment processor',
} as const

const checkDeadlineMs = 10_000
const rightsDeadlineMs = 20_000

/**
 * Every upstream system that is configured: whether it answers, accepts our credentials, and, where
 * the names of permissions are not enough, whether a real object can be created.
 */
export async function checkSystems(integrations: Integrations): Promise<SetupFinding[]> {
  const checks = await checkIntegrations(integrations, { deadlineMs: checkDeadlineMs })
  const findings = Object.entries(checks).flatMap(([system, { state, message = '' }]) => {
    const need = names[system as keyof typeof names]
    if (state === 'off') return []
    return state === 'ok' ? [ok(need)] : [error(need, message)]
  })
  const rights = await Promise.all(
    (['identity', 'mail'] as const).map(async (system) => {
      const client = integrations[system]
      return client && checks[system].state === 'ok' ? [await rightsFinding(system, client)] : []
    }),
  )
  return [...findings, ...rights.flat()]
}

async function rightsFinding(
  system: 'identity' | 'mail',
  client: NonNullable<Integrations['identity' | 'mail']>,
): Promise<SetupFinding> {
  const need = `${names[system]}: rights`
  const limit = deadline(rightsDeadlineMs, undefined)
  try {
    await client.tryRights({ signal: limit.signal })
    return ok(need)
  } catch (cause) {
    if (!(cause instanceof UpstreamError)) throw cause
    return error(need, cause.message)
  } finally {
    limit.clear()
  }
}
