import { setTimeout as wait } from 'node:timers/promises'
import type { DnsRecord } from '@atrium/integrations/mail/port'
import { stalwart } from '@atrium/integrations/mail/stalwart'
import {
  bootstrapMail,
  isMailBootstrapping,
  type Login,
  setUpMail,
} from '@atrium/integrations/mail/stalwart-setup'
import { type SetupContext, SetupError } from './context.ts'
import { randomSecret } from './secrets.ts'
import { mailSender } from './settings.ts'

const adminFile = 'secrets/mail-admin'

/**
 * Starts Stalwart, takes a new one out of bootstrap mode, and returns its administrator. The second
 * start is without the recovery administrator, whom nobody needs any more.
 */
export async function startMail(context: SetupContext): Promise<Login> {
  const { files, docker, names, endpoints } = context
  await docker.compose(['up', '--detach', '--wait', 'stalwart'])
  if (await isMailBootstrapping(endpoints.mail)) {
    const recovery = { username: 'setup', password: randomSecret() }
    await docker.compose(['up', '--detach', '--wait', 'stalwart'], {
      STALWART_RECOVERY_ADMIN: `${recovery.username}:${recovery.password}`,
    })
    const made = await bootstrapMail({
      baseUrl: endpoints.mail,
      recovery,
      hostname: names.mail,
      defaultDomain: names.mailDomain,
      database: {
        host: 'postgres',
        name: 'stalwart',
        user: 'stalwart',
        passwordFile: '/run/secrets/mail-database-password',
      },
      mailFolder: '/var/lib/stalwart/blobs',
    })
    await files.write(adminFile, `${made.username}:${made.password}`)
    await docker.compose(['up', '--detach', '--wait', 'stalwart'])
  }
  const [username, password] = (await files.read(adminFile))?.trim().split(/:(.*)/s) ?? []
  if (username && password) return { username, password }
  throw new SetupError(
    `Stalwart was set up before, and ${adminFile} is missing. Write its administrator there, as user:password, and run setup again.`,
  )
}

/** Where Caddy keeps the certificate, as Caddy and as Stalwart see it. */
function certificatePaths(host: string) {
  const path = `caddy/certificates/acme-v02.api.letsencrypt.org-directory/${host}/${host}`
  return {
    atCaddy: `/data/${path}.crt`,
    certificateFile: `/certificates/${path}.crt`,
    keyFile: `/certificates/${path}.key`,
  }
}

/** Throws SetupError when Caddy gets no certificate in time. */
async function waitForCertificate({ docker, names, patience }: SetupContext): Promise<void> {
  const { atCaddy } = certificatePaths(names.mail)
  for (const end = performance.now() + patience.timeoutMs; ; await wait(patience.intervalMs)) {
    // A shell's answer in place of a status: the command itself did run.
    const found = await docker.exec('caddy', [
      'sh',
      '-c',
      `test -s '${atCaddy}' && echo yes || echo no`,
    ])
    if (found.trim() === 'yes') return
    if (performance.now() > end)
      throw new SetupError(
        `Caddy has no certificate for ${names.mail} yet. "docker compose logs caddy" says why; mostly port 80 or 443 is closed on the way. Run setup again afterwards.`,
      )
  }
}

/** Sets up what Atrium needs at Stalwart, and returns the API key. */
export async function connectMail(
  context: SetupContext,
  admin: Login,
  senderPassword: string,
): Promise<string> {
  const { files, names, endpoints } = context
  await waitForCertificate(context)
  const { apiKey } = await setUpMail({
    baseUrl: endpoints.mail,
    hostname: names.mail,
    defaultDomain: names.mailDomain,
    admin,
    apiKey: (await files.read('secrets/mail-api-key'))?.trim(),
    sender: { name: mailSender, password: senderPassword },
    certificate: certificatePaths(names.mail),
  })
  await files.write('secrets/mail-api-key', apiKey)
  return apiKey
}

/** The records of the platform's own mail domain, once its signing keys exist. */
export async function readMailRecords(
  { endpoints, names, patience }: SetupContext,
  apiKey: string,
): Promise<DnsRecord[]> {
  const server = stalwart({ baseUrl: endpoints.mail, apiKey })
  const domain = await server.findDomain(names.mailDomain)
  if (!domain) throw new SetupError(`Stalwart has no domain ${names.mailDomain}.`)
  for (const end = performance.now() + patience.timeoutMs; ; await wait(patience.intervalMs)) {
    const { records, complete } = await server.domainRecords(domain.id)
    if (complete || performance.now() > end) return records.filter(isNeeded)
  }
}

/**
 * What lets mail arrive and be trusted. A policy (MTA-STS) and the discovery of mail programs need
 * host names of their own, which a domain without people does not have.
 */
function isNeeded({ name, type }: DnsRecord): boolean {
  return type === 'MX' || (type === 'TXT' && !/^_(mta-sts|ua-auto-config)\./.test(name))
}
