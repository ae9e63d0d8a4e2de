import { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import { basicAuthorization, type HttpClient, httpClient } from '../http-client.ts'
import { type Invocation, jmap, SetError, setFailure } from './jmap.ts'
import { isBeingSetUp } from './stalwart.ts'

/** A person or program that signs in with name and password. */
export interface Login {
  username: string
  password: string
}

export interface MailInstallation {
  /** Stalwart's address, without `/jmap`. */
  baseUrl: string
  /** Name of the server, which the MX of every customer names. */
  hostname: string
  /** A domain that no customer has; its accounts are the platform's own. */
  defaultDomain: string
}

export interface Bootstrap extends MailInstallation {
  /** As in `STALWART_RECOVERY_ADMIN`. */
  recovery: Login
  /** PostgreSQL for everything but the mails, which lie in a folder. */
  database: { host: string; name: string; user: string; passwordFile: string }
  mailFolder: string
}

const setupClient = (baseUrl: string, authorization: string | null) =>
  httpClient('mail', authorization, {
    baseUrl,
    // The first write creates the tables.
    deadlineMs: 60_000,
    operationDeadlineMs: 120_000,
  })
const basic = ({ username, password }: Login) => basicAuthorization(username, password)

/**
 * True while the server is in bootstrap mode, as a new one is. Rejects with `UpstreamError` when it
 * does not respond.
 */
export function isMailBootstrapping(baseUrl: string): Promise<boolean> {
  const client = setupClient(baseUrl, null)
  return client.operation('setup', undefined, async (operation) => {
    await client.send(operation, {
      label: 'GET /healthz/live',
      method: 'GET',
      path: 'healthz/live',
      repeatable: true,
      accept: [200],
      read: () => undefined,
    })
    return isBeingSetUp(operation, client)
  })
}

const Bootstrapped = z.object({
  updated: z
    .object({ singleton: z.object({ username: z.string().min(1), secret: z.string().min(1) }) })
    .nullish(),
  notUpdated: z.object({ singleton: SetError }).nullish(),
})

/**
 * Takes a new server out of bootstrap mode, which takes effect at its next start, and returns its
 * administrator, who is shown only here. Rejects with `UpstreamError`.
 */
export function bootstrapMail(options: Bootstrap): Promise<Login> {
  const { hostname, defaultDomain, database } = options
  const client = setupClient(options.baseUrl, basic(options.recovery))
  const singleton = {
    serverHostname: hostname,
    defaultDomain,
    // The proxy has the certificate; see `setUpMail`.
    requestTlsCertificate: false,
    generateDkimKeys: true,
    dataStore: {
      '@type': 'PostgreSql',
      host: database.host,
      port: 5432,
      database: database.name,
      authUsername: database.user,
      authSecret: { '@type': 'File', filePath: database.passwordFile },
      useTls: false,
    },
    blobStore: { '@type': 'FileSystem', path: options.mailFolder, depth: 2 },
    // The container's log, in place of files that nobody rotates.
    tracer: { '@type': 'Stdout', ansi: false, enable: true },
  }
  return client.operation('setup', undefined, async (operation) => {
    const result = await jmap(operation, client, {
      calls: [['x:Bootstrap/set', { update: { singleton } }, 'set']],
      repeatable: false,
      read: ([response]) => Bootstrapped.parse(response),
    })
    if (result.notUpdated) throw setFailure(operation, result.notUpdated.singleton)
    if (!result.updated)
      throw operation.fail('invalid_answer', { note: 'it tells neither success nor failure' })
    const { username, secret } = result.updated.singleton
    return { username, password: secret }
  })
}

export interface MailNeeds extends MailInstallation {
  admin: Login
  /** The key of an earlier run; a new one is made when it is absent or rejected. */
  apiKey?: string | undefined
  /** Local part and password of the account that sends the platform's own mail. */
  sender: { name: string; password: string }
  /** Where the server finds its certificate and key, PEM. */
  certificate: { certificateFile: string; keyFile: string }
}

/**
 * Sets up what Atrium needs at a running server, and keeps what exists: the account `platform` with
 * the role Admin and an API key, the account that sends mail, the certificate, and the proxy header
 * with the client's address. Idempotent. Returns the key. Rejects with `UpstreamError`.
 */
export function setUpMail(needs: MailNeeds): Promise<{ apiKey: string }> {
  const client = setupClient(needs.baseUrl, basic(needs.admin))
  return client.operation('setup', undefined, async (operation) => {
    const domainId = await findOne(operation, client, 'Domain', { name: needs.defaultDomain })
    if (domainId === undefined)
      throw operation.fail('refused', { note: 'the default domain is missing' })
    const platform = await ensureAccount(operation, client, {
      name: 'platform',
      domainId,
      description: 'Atrium',
      roles: { '@type': 'Admin' },
    })
    await ensureAccount(operation, client, {
      name: needs.sender.name,
      domainId,
      description: 'Sends the mail of Atrium',
      credentials: { '0': { '@type': 'Password', secret: needs.sender.password } },
    })
    await update(operation, client, 'Http', { useXForwarded: true })
    await ensureCertificate(operation, client, needs)
    const known = needs.apiKey !== undefined && (await opens(needs.baseUrl, needs.apiKey))
    return { apiKey: known ? (needs.apiKey ?? '') : await makeKey(operation, client, platform) }
  })
}

const Ids = z.object({ ids: z.array(z.string().min(1)) })
const Created = z.object({
  created: z
    .object({ object: z.object({ id: z.string().min(1), secret: z.string().optional() }) })
    .nullish(),
  notCreated: z.object({ object: SetError }).nullish(),
})
const Updated = z.object({ notUpdated: z.object({ singleton: SetError }).nullish() })

async function findOne(
  operation: Operation,
  client: HttpClient,
  type: string,
  filter: Record<string, string>,
): Promise<string | undefined> {
  const { ids } = await jmap(operation, client, {
    calls: [[`x:${type}/query`, { filter }, 'query']],
    repeatable: true,
    read: ([result]) => Ids.parse(result),
  })
  return ids[0]
}

async function create(operation: Operation, client: HttpClient, call: Invocation) {
  const { created, notCreated } = await jmap(operation, client, {
    calls: [call],
    repeatable: false,
    read: ([result]) => Created.parse(result),
  })
  if (notCreated) throw setFailure(operation, notCreated.object)
  if (!created)
    throw operation.fail('invalid_answer', { note: 'it tells neither success nor failure' })
  return created.object
}

async function ensureAccount(
  operation: Operation,
  client: HttpClient,
  account: { name: string; domainId: string } & Record<string, unknown>,
): Promise<string> {
  const { name, domainId } = account
  const known = await findOne(operation, client, 'Account', { name, domainId })
  if (known !== undefined) return known
  const object = { '@type': 'User', ...account }
  return (await create(operation, client, ['x:Account/set', { create: { object } }, 'set'])).id
}

async function update(
  operation: Operation,
  client: HttpClient,
  type: string,
  singleton: Record<string, unknown>,
): Promise<void> {
  const { notUpdated } = await jmap(operation, client, {
    calls: [[`x:${type}/set`, { update: { singleton } }, 'set']],
    repeatable: true,
    read: ([result]) => Updated.parse(result),
  })
  if (notUpdated) throw setFailure(operation, notUpdated.singleton)
}

const Certificates = z.object({
  list: z.array(
    z.object({
      id: z.string().min(1),
      certificate: z.looseObject({ filePath: z.string().optional() }),
    }),
  ),
})

/** By the file it is read from: names and dates in it change with each renewal. */
async function ensureCertificate(
  operation: Operation,
  client: HttpClient,
  { certificate: { certificateFile, keyFile } }: MailNeeds,
): Promise<void> {
  const { list } = await jmap(operation, client, {
    calls: [['x:Certificate/get', { ids: null, properties: ['certificate'] }, 'get']],
    repeatable: true,
    read: ([result]) => Certificates.parse(result),
  })
  const known = list.find(({ certificate }) => certificate.filePath === certificateFile)
  const object = {
    certificate: { '@type': 'File', filePath: certificateFile },
    privateKey: { '@type': 'File', filePath: keyFile },
  }
  const { id } =
    known ?? (await create(operation, client, ['x:Certificate/set', { create: { object } }, 'set']))
  await update(operation, client, 'SystemSettings', { defaultCertificateId: id })
  // Without it the server presents the certificate from its next start on.
  const reload = { '@type': 'ReloadTlsCertificates' }
  await create(operation, client, ['x:Action/set', { create: { object: reload } }, 'set'])
}

async function makeKey(
  operation: Operation,
  client: HttpClient,
  accountId: string,
): Promise<string> {
  const object = { description: 'Atrium', permissions: { '@type': 'Inherit' } }
  const call: Invocation = ['x:ApiKey/set', { accountId, create: { object } }, 'set']
  const { secret } = await create(operation, client, call)
  if (!secret) throw operation.fail('invalid_answer', { note: 'it made a key and did not show it' })
  return secret
}

/** False for a key that was removed. */
function opens(baseUrl: string, apiKey: string): Promise<boolean> {
  const client = setupClient(baseUrl, `Bearer ${apiKey}`)
  return client.operation('setup', undefined, (operation) =>
    client.send(operation, {
      label: 'GET /api/account',
      method: 'GET',
      path: 'api/account',
      repeatable: true,
      accept: [200, 401],
      read: ({ status }) => status === 200,
    }),
  )
}
