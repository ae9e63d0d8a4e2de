import { setTimeout as wait } from 'node:timers/promises'
import { type SetupContext, SetupError } from './context.ts'
import {
  hostRecords,
  type NeededRecord,
  recordLines,
  tenantRecords,
  waitForRecords,
} from './dns-records.ts'
import { makeOperator, setUpIdentity } from './identity.ts'
import { chooseImages, pinImages, pullImages } from './images.ts'
import { connectMail, readMailRecords, startMail } from './mail.ts'
import { connectFiles } from './opencloud.ts'
import { makeSecrets, type Secrets } from './secrets.ts'
import {
  appSettings,
  composeSettings,
  mergeSettings,
  parseSettings,
  startFiles,
} from './settings.ts'

/** `--wait` and files of secrets as they are used here. */
const oldestCompose = [2, 24]

/** Writes `.env` and the secrets that exist before anything runs. Keeps what is there. */
export async function writeFiles(context: SetupContext): Promise<Secrets> {
  const { files } = context
  const example = parseSettings(await context.readAsset('.env.example'))
  const current = parseSettings((await files.read('.env')) ?? '')
  await mergeSettings(files, '.env', {
    ...chooseImages(current, example),
    ...composeSettings(context),
  })
  const secrets = await makeSecrets(files)
  for (const [name, content] of Object.entries(startFiles({ ...context, secrets })))
    await files.write(`secrets/${name}`, content)
  return secrets
}

/**
 * Sets the workplace up, from written answers to the first operator. Every step checks what
 * exists, so it can be run again after any failure, and after an upgrade. Throws SetupError,
 * `UpstreamError`, or an Error that names a command of Docker.
 */
export async function setUp(context: SetupContext): Promise<void> {
  const { files, docker, say } = context
  await checkDocker(context)
  say('Writing .env and secrets/')
  const secrets = await writeFiles(context)
  await waitForDns(context)

  say('Fetching and building images')
  await pullImages(files, docker)
  await pinImages(files, docker)
  await docker.compose(['build'], context.commit ? { ATRIUM_COMMIT: context.commit } : {})

  say('Starting database, proxy, identity and files')
  await docker.compose(['up', '--detach', '--wait', 'postgres', 'caddy', 'authentik-server'])
  await docker.compose(['up', '--detach', 'authentik-worker', 'opencloud'])

  say('Setting authentik up')
  const identity = await setUpIdentity(context, secrets.identitySetupToken)
  say('Setting Stalwart up')
  const admin = await startMail(context)
  const mailApiKey = await connectMail(context, admin, secrets.mailSender)
  say('Setting OpenCloud up')
  const filesToken = await connectFiles(context)

  say('Migrating the database and starting everything')
  const settings = appSettings(
    { ...context, secrets },
    {
      portalClientSecret: identity.portal.clientSecret,
      operatorClientSecret: identity.operator.clientSecret,
      identityToken: identity.apiToken,
      mailApiKey,
      filesToken,
    },
  )
  for (const [name, values] of Object.entries(settings))
    await mergeSettings(files, `secrets/${name}`, values)
  // A container keeps the settings it started with.
  await docker.compose([
    'up',
    '--detach',
    '--wait',
    '--force-recreate',
    ...Object.keys(settings).map((name) => name.replace('.env', '')),
  ])
  await docker.compose(['up', '--detach'])

  const link = await makeOperator(context, secrets.identitySetupToken)
  await sayResult(context, mailApiKey, link)
}

async function checkDocker({ docker }: SetupContext): Promise<void> {
  const version = await docker.composeVersion()
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldestCompose
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor))
    throw new SetupError(
      `Docker Compose ${version} is too old: ${oldestCompose.join('.')} or newer is needed (https://docs.docker.com/engine/install).`,
    )
}

/** Throws SetupError when the records do not appear in time. */
async function waitForDns(context: SetupContext): Promise<void> {
  const { resolver, patience, say } = context
  const records = hostRecords(context.names, context.addresses)
  if (records.length === 0)
    throw new SetupError(
      'The server has no public address of its own. Name it in the answers, as addresses.ipv4.',
    )
  const complete = await waitForRecords({
    resolver,
    records,
    pause: () => wait(patience.intervalMs),
    timeoutMs: patience.dnsTimeoutMs,
    report(missing: readonly NeededRecord[]) {
      if (missing.length === 0) return say('DNS is complete')
      say('Waiting for these records at your DNS provider:')
      for (const record of recordLines(missing)) say(`  ${record}`)
    },
  })
  if (!complete)
    throw new SetupError('DNS does not hold the records yet. Run setup again when it does.')
}

async function sayResult(
  context: SetupContext,
  mailApiKey: string,
  link: string | undefined,
): Promise<void> {
  const { say, names, answers } = context
  const mail = await readMailRecords(context, mailApiKey)
  say('')
  say('The workplace runs. Enter these records too; without them no mail arrives or is trusted:')
  const records = [...tenantRecords(names), ...mail.map((one) => one as NeededRecord)]
  for (const record of recordLines(records)) say(`  ${record}`)
  say(`Ask the provider of the server for the reverse name ${names.mail}.`)
  say('')
  say(
    'Copy secrets/backup-passphrase to a place away from this machine: without it no backup opens.',
  )
  say('')
  if (link) {
    say(`${answers.operator.name} chooses a password here, within a day and once:`)
    say(`  ${link}`)
  }
  say(`Operators: https://${names.operator}`)
  say(`Customers: https://${names.portal}`)
}

/** What a set-up would write and ask for, without doing it. */
export async function planSetup(context: SetupContext, written: readonly string[]): Promise<void> {
  await writeFiles(context)
  const { say, names } = context
  say('Files that would be written or changed:')
  for (const path of written) say(`  ${path}`)
  say('.env would hold:')
  for (const row of ((await context.files.read('.env')) ?? '').trimEnd().split('\n'))
    say(`  ${row}`)
  say('Records that DNS has to hold:')
  const records = [...hostRecords(names, context.addresses), ...tenantRecords(names)]
  for (const record of recordLines(records)) say(`  ${record}`)
  say('Nothing was changed.')
}
