import { readFile } from 'node:fs/promises'
import { readSettings, SettingsError, settingsExitStatus } from '@atrium/core/platform/settings'
import { trimEnd } from '@atrium/core/platform/trim'
import { applyBlueprint, readCredentials } from '@atrium/integrations/identity/authentik-setup'
import { checkSetup } from '@atrium/integrations/identity/authentik-setup-check'
import { z } from 'zod'

// Sets authentik up for Atrium and checks it (docs/how-to/operate.md, "What a fresh authentik
// needs").
const usage = `node apps/api/src/identity-setup.ts apply        sends deploy/authentik/atrium.yaml and waits until it is applied
node apps/api/src/identity-setup.ts check        prints one line per need; exit status 1 when one is not met
node apps/api/src/identity-setup.ts credentials  prints the client secrets and the API token, as settings
`
const blueprint = new URL('../../../deploy/authentik/atrium.yaml', import.meta.url)

const address = z
  .url({ protocol: /^https?$/, error: 'is no http or https address' })
  .transform((text) => trimEnd(text, /\//))

const shape = {
  IDP_API_URL: address,
  IDP_SETUP_TOKEN: z.string(),
  IDP_API_TOKEN: z.string().optional(),
  PORTAL_URL: address,
  OPERATOR_URL: address,
  IDP_PLATFORM_ADMIN_GROUP: z.string().default('platform-admins'),
  IDP_PARTNER_STAFF_GROUP: z.string().default('partner-staff'),
}

/** Throws SettingsError. */
function readSetup() {
  const settings = readSettings(process.env, { shape, providedSecrets: ['IDP_SETUP_TOKEN'] })
  return {
    access: { baseUrl: settings.IDP_API_URL, token: settings.IDP_SETUP_TOKEN },
    apiToken: settings.IDP_API_TOKEN,
    portalUrl: settings.PORTAL_URL,
    operatorUrl: settings.OPERATOR_URL,
    platformAdminGroup: settings.IDP_PLATFORM_ADMIN_GROUP,
    partnerStaffGroup: settings.IDP_PARTNER_STAFF_GROUP,
  }
}
type Setup = ReturnType<typeof readSetup>

const commands: Readonly<Record<string, (setup: Setup) => Promise<number>>> = {
  async apply({ access, ...setup }) {
    const outcome = await applyBlueprint({
      ...access,
      content: await readFile(blueprint, 'utf8'),
      context: {
        portal_url: setup.portalUrl,
        operator_url: setup.operatorUrl,
        platform_admin_group: setup.platformAdminGroup,
        partner_staff_group: setup.partnerStaffGroup,
      },
    })
    if (outcome.applied) {
      process.stdout.write('the blueprint is applied; "check" shows what it made\n')
      return 0
    }
    process.stderr.write(`The blueprint was not applied.\n${lines(outcome.faults)}`)
    return 1
  },

  async check({ access, ...setup }) {
    const content = await readFile(blueprint, 'utf8')
    const findings = await checkSetup({ ...access, ...setup, content })
    process.stdout.write(
      lines(
        findings.map(({ level, need, text }) =>
          text === undefined ? `${level.padEnd(8)} ${need}` : `${level.padEnd(8)} ${need} ${text}`,
        ),
      ),
    )
    return findings.some(({ level }) => level === 'error') ? 1 : 0
  },

  async credentials({ access }) {
    const { portal, operator, apiToken } = await readCredentials(access)
    process.stdout.write(
      lines([
        '# API',
        `IDP_API_TOKEN=${apiToken}`,
        '# Customer portal',
        `OIDC_CLIENT_ID=${portal.clientId}`,
        `OIDC_CLIENT_SECRET=${portal.clientSecret}`,
        '# Operator portal',
        `OIDC_CLIENT_ID=${operator.clientId}`,
        `OIDC_CLIENT_SECRET=${operator.clientSecret}`,
      ]),
    )
    return 0
  },
}

const lines = (texts: readonly string[]) => texts.map((text) => `${text}\n`).join('')

const [name = '', ...rest] = process.argv.slice(2)
const command = rest.length === 0 && Object.hasOwn(commands, name) ? commands[name] : undefined
if (command) {
  try {
    process.exitCode = await command(readSetup())
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = error instanceof SettingsError ? settingsExitStatus : 1
  }
} else {
  process.stderr.write(usage)
  process.exitCode = 2
}
