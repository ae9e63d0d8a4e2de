import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ExportAudit } from '@atrium/core/audit/audit'
import { ExportBookkeeping } from '@atrium/core/billing/bookkeeping'
import { SettingsError, settingsExitStatus } from '@atrium/core/platform/settings'
import { InviteUser } from '@atrium/core/users/users'
import { openDatabase } from '@atrium/db/platform/connect'
import { connectIntegrations } from '@atrium/integrations/connect'
import { error } from '@atrium/integrations/identity/authentik-setup-findings'
import type { z } from 'zod'
import { recordCommand } from './admin/command-audit.ts'
import { examine } from './admin/doctor.ts'
import { exitStatusOf, type Finding, findingLines, findingsJson } from './admin/findings.ts'
import { encryptWithFirstKey, newKey } from './admin/keys.ts'
import { retryProvisioning } from './admin/retry-provisioning.ts'
import { checkUpgrade } from './admin/upgrade-check.ts'
import { createApp } from './app.ts'
import { auditExported, auditText } from './audit/export.ts'
import { bookkeepingExported, bookkeepingText } from './billing/bookkeeping/export.ts'
import { type Config, readConfig } from './platform/config.ts'
import { createLogger } from './platform/log.ts'
import type { Services } from './rpc/services.ts'
import { inviteOperator, operatorInvited } from './users/invite.ts'

// Commands of an operator on a server, with the API's environment (docs/how-to/operate.md,
// "Commands").
const usage = `node apps/api/dist/admin.js COMMAND, with the API's settings in the environment

doctor [--disk FOLDER] [--backups FOLDER] [--json]
    checks the installation; one line per need. --disk and --backups may be repeated
upgrade --check [--running http://127.0.0.1:4000] [--disk FOLDER] [--json]
    says what an upgrade to this version does; looks with DATABASE_MIGRATION_URL too, if set
operator create --email ADDRESS --name NAME
    creates an operator and prints the link, or the password, with which they sign in first
keys create
    prints a new key for ENCRYPTION_KEYS
keys rotate
    encrypts what is stored with the first key of ENCRYPTION_KEYS
provisioning retry [SLUG ...]
    runs every step of these tenants again; without a name, the failed steps of all tenants
export audit [--tenant SLUG] [--since TIME] [--until TIME] [--format ndjson|csv]
export bookkeeping --month YYYY-MM [--currency EUR] [--format csv|datev]
    writes the export to the standard output
`
const usageStatus = 64
const blueprint = new URL('../../../deploy/authentik/atrium.yaml', import.meta.url)

/** Wrong arguments: the usage is printed. */
class UsageError extends Error {}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        disk: { type: 'string', multiple: true },
        backups: { type: 'string', multiple: true },
        json: { type: 'boolean' },
        check: { type: 'boolean' },
        running: { type: 'string' },
        email: { type: 'string' },
        name: { type: 'string' },
        tenant: { type: 'string' },
        since: { type: 'string' },
        until: { type: 'string' },
        month: { type: 'string' },
        currency: { type: 'string' },
        format: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause))
  }
}
type Values = ReturnType<typeof readArguments>['values']

interface Command {
  /** Options that it takes; another one is wrong usage. */
  options: readonly (keyof Values)[]
  /** Returns the exit status. */
  run(values: Values, rest: readonly string[]): Promise<number>
}

const commands: Readonly<Record<string, Command>> = {
  doctor: {
    options: ['disk', 'backups', 'json'],
    async run({ disk = ['/'], backups = [], json }, rest) {
      none(rest)
      return report(await findingsOfDoctor(disk, backups), json)
    },
  },
  upgrade: {
    options: ['check', 'running', 'disk', 'json'],
    async run({ check, running, disk, json }, rest) {
      none(rest)
      if (!check) throw new UsageError('upgrade takes --check: migrate.js applies the migrations')
      if (running !== undefined && !URL.canParse(running))
        throw new UsageError('--running is not an address')
      const { DATABASE_URL: apiUrl, DATABASE_MIGRATION_URL: ownerUrl = apiUrl } = process.env
      if (!ownerUrl) throw new SettingsError(['DATABASE_URL: is missing'])
      const options = { ownerUrl, apiUrl, running, disk: disk?.[0] }
      return report(await checkUpgrade(options), json)
    },
  },
  'operator create': {
    options: ['email', 'name'],
    async run({ email, name }, rest) {
      none(rest)
      const input = parsed(InviteUser, { email, name })
      return withServices(async (services) => {
        const invitation = await inviteOperator(
          { services, request: { requestId: `command-${randomUUID()}` } },
          input,
        )
        await recordCommand(services, operatorInvited(input, invitation))
        print(
          invitation.link === undefined
            ? `${input.email} is an operator. Password for the first sign-in: ${invitation.tempPassword}\n`
            : `${input.email} is an operator. Link for the first sign-in: ${invitation.link}\n`,
        )
        return 0
      })
    },
  },
  'keys create': {
    options: [],
    async run(_, rest) {
      none(rest)
      print(`${newKey(new Date())}\n`)
      return 0
    },
  },
  'keys rotate': {
    options: [],
    async run(_, rest) {
      none(rest)
      return withServices(async (services) => {
        const counts = await encryptWithFirstKey(services)
        if (!counts) throw new SettingsError(['ENCRYPTION_KEYS: is missing'])
        const { renewed, unreadable } = counts
        print(`${renewed} encrypted with the first key, ${unreadable} that no listed key opens\n`)
        return unreadable === 0 ? 0 : 1
      })
    },
  },
  'provisioning retry': {
    options: [],
    run: (_, slugs) =>
      withServices(async (services) => {
        const open = await retryProvisioning(services, slugs, (line) => print(`${line}\n`))
        return open === 0 ? 0 : 1
      }),
  },
  'export audit': {
    options: ['tenant', 'since', 'until', 'format'],
    async run({ tenant: tenantSlug, since, until, format }, rest) {
      none(rest)
      const input = parsed(ExportAudit, { tenantSlug, since, until, format })
      return withServices(async (services) => {
        await recordCommand(services, auditExported(input))
        return write(auditText(services, input, new AbortController().signal))
      })
    },
  },
  'export bookkeeping': {
    options: ['month', 'currency', 'format'],
    async run({ month, currency, format }, rest) {
      none(rest)
      const input = parsed(ExportBookkeeping, {
        month,
        currency: currency?.toLowerCase(),
        format,
      })
      return withServices(async (services) => {
        const text = bookkeepingText(services, input, new AbortController().signal)
        await recordCommand(services, bookkeepingExported(input))
        return write(text)
      })
    },
  },
}

/** Settings that cannot be used are findings of their own: nothing else can be looked at then. */
async function findingsOfDoctor(
  disks: readonly string[],
  backups: readonly string[],
): Promise<Finding[]> {
  let config: Config
  try {
    config = readConfig(process.env)
  } catch (cause) {
    if (!(cause instanceof SettingsError)) throw cause
    const [, ...faults] = cause.message.split('\n')
    return faults.map((fault) => {
      const [name = '', ...text] = fault.trim().split(': ')
      return error(`setting ${name}`, text.join(': '))
    })
  }
  const { database, integrations } = await open(config)
  try {
    const { IDP_SETUP_TOKEN: setupToken } = process.env
    const options = { setupToken, blueprint, disks, backups, now: new Date() }
    return await examine({ config, database, integrations }, options)
  } finally {
    await database.close()
  }
}

async function open(config: Config) {
  const database = openDatabase({
    url: config.databaseUrl,
    directUrl: config.databaseDirectUrl ?? undefined,
    replicaUrl: config.databaseReplicaUrl,
    applicationName: 'atrium-command',
    onError: () => {},
  })
  return { database, integrations: await connectIntegrations(config) }
}

/**
 * The service without its socket and its jobs: wake-ups are sent, and a running API works on them.
 */
async function withServices(work: (services: Services) => Promise<number>): Promise<number> {
  const config = readConfig(process.env)
  const log = createLogger('warn', { write: (line: string) => void process.stderr.write(line) })
  const { database, integrations } = await open(config)
  const app = createApp({ config, database, integrations, log })
  try {
    await app.services.jobs.startSending()
    return await work(app.services)
  } finally {
    await app.stop()
    await database.close()
  }
}

/** Throws UsageError with the first fault. */
function parsed<S extends z.ZodType>(schema: S, values: unknown): z.output<S> {
  const result = schema.safeParse(values)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new UsageError(`${issue?.path.join('.') || 'arguments'}: ${issue?.message ?? 'wrong'}`)
}

function none(rest: readonly string[]): void {
  if (rest.length > 0) throw new UsageError(`${rest.join(' ')}: not known`)
}

function report(findings: readonly Finding[], json: boolean | undefined): number {
  print(json ? findingsJson(findings) : findingLines(findings))
  return exitStatusOf(findings)
}

async function write(text: AsyncIterable<string>): Promise<number> {
  for await (const piece of text) print(piece)
  return 0
}

/** Waits for the reader: a pipe would lose what is not written when the process exits. */
function print(text: string): void {
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(process.stdout.fd, rest))
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'EAGAIN')) throw cause
    }
  }
}

async function main(): Promise<number> {
  try {
    const { values, positionals } = readArguments()
    if (values.help) {
      print(usage)
      return 0
    }
    const length = Object.hasOwn(commands, positionals[0] ?? '') ? 1 : 2
    const name = positionals.slice(0, length).join(' ')
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (!command) throw new UsageError(name === '' ? 'a command is missing' : `${name}: not known`)
    const foreign = Object.keys(values).filter((one) => !command.options.includes(one as 'disk'))
    if (foreign.length > 0) throw new UsageError(`${name} takes no --${foreign.join(', --')}`)
    return await command.run(values, positionals.slice(length))
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause)
    process.stderr.write(cause instanceof UsageError ? `${text}\n\n${usage}` : `${text}\n`)
    if (cause instanceof UsageError) return usageStatus
    return cause instanceof SettingsError ? settingsExitStatus : 1
  }
}

process.exitCode = await main()
