import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { type Sandbox, startSandbox } from '@atrium/sandbox/start'
import { z } from 'zod'
import type { FilesServer } from './files-contract.ts'

/**
 * A file storage that the contract is held against: the stand-in, or the OpenCloud that the
 * `OPENCLOUD_*` variables name.
 */
export interface FilesTestServer extends FilesServer {
  readonly sandbox: Sandbox
  /**
   * Back to the seed of the stand-in. At a real server nothing: each test has names of its own
   * there.
   */
  reset(): void
  /** Takes away what the tests created at a real server, and nothing else. */
  close(): Promise<void>
}

const url = process.env.OPENCLOUD_URL?.replace(/\/+$/, '')
const user = process.env.OPENCLOUD_USER
const appToken = process.env.OPENCLOUD_APP_TOKEN

/** True when the contract is held against a server that is not ours to bend. */
export const againstOpenCloud = url !== undefined && user !== undefined && appToken !== undefined

export async function startFilesTestServer(): Promise<FilesTestServer> {
  if (url !== undefined && user !== undefined && appToken !== undefined)
    return atOpenCloud({ baseUrl: url, user, appToken })
  const sandbox = await startSandbox()
  const access = {
    baseUrl: sandbox.filesUrl,
    user: demoServiceCredentials.filesUser,
    appToken: demoServiceCredentials.filesAppToken,
  }
  const fill = async (spaceId: string, bytes: number) => {
    if (!sandbox.files.setUsed(spaceId, bytes)) throw new Error('there is no such space')
  }
  return {
    ...through(access),
    sandbox,
    fill,
    async signInAndFill(username, bytes) {
      sandbox.files.signIn(username)
      await fill(await through(access).personalDrive(username), bytes)
    },
    reset: () => sandbox.reset(),
    close: () => sandbox.close(),
  }
}

const Drive = z.object({
  id: z.string(),
  driveAlias: z.string().optional(),
  root: z.object({ deleted: z.unknown().optional() }).optional(),
})
const Drives = z.object({ value: z.array(Drive).nullish() }).nullable()
const Members = z.object({
  value: z.array(
    z.object({
      grantedToV2: z.object({ user: z.object({ id: z.string() }).optional() }),
      roles: z.array(z.string()),
    }),
  ),
})
const Users = z.object({
  value: z.array(z.object({ id: z.string(), onPremisesSamAccountName: z.string() })),
})

interface Access {
  baseUrl: string
  user: string
  appToken: string
}

/** Calls past our client, as the service user or whoever `as` names. */
function through({ baseUrl, user, appToken }: Access) {
  const basic = (name: string, secret: string) =>
    `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`
  async function call(
    method: string,
    path: string,
    more: { body?: Buffer; headers?: Record<string, string>; as?: [string, string] } = {},
  ) {
    const { as = [user, appToken], body, headers } = more
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization: basic(...as), ...headers },
      ...(body !== undefined && { body: new Uint8Array(body) }),
    })
    const text = await response.text()
    if (!response.ok)
      throw new Error(
        `${method} ${path} was answered with ${response.status} ${text.slice(0, 500)}`,
      )
    return text === '' ? undefined : JSON.parse(text)
  }
  const projects = async () =>
    Drives.parse(
      await call(
        'GET',
        `/graph/v1.0/drives?$filter=${encodeURIComponent("driveType eq 'project'")}`,
      ),
    )?.value ?? []
  return {
    baseUrl,
    user,
    appToken,
    call,
    projects,
    async createUnmarked(
      username: string,
      identities: readonly { issuer: string; issuerAssignedId: string }[],
    ) {
      const user = {
        onPremisesSamAccountName: username,
        displayName: 'Somebody',
        mail: username,
        ...(identities.length > 0 && { identities }),
      }
      const body = Buffer.from(JSON.stringify(user))
      const made = await call('POST', '/graph/v1.0/users', {
        body,
        headers: { 'content-type': 'application/json' },
      })
      return Drive.pick({ id: true }).parse(made).id
    },
    countSpaces: async (marker: string) =>
      (await projects()).filter(({ driveAlias }) => driveAlias === `project/${marker}`).length,
    async members(spaceId: string) {
      const { value } = Members.parse(
        await call('GET', `/graph/v1beta1/drives/${encodeURIComponent(spaceId)}/root/permissions`),
      )
      return Object.fromEntries(
        value.map((one) => [one.grantedToV2.user?.id ?? '', one.roles[0] ?? '']),
      )
    },
    /** Found by id alone: a username in this path names nobody. */
    async personalDrive(username: string) {
      const { id } = Drive.pick({ id: true }).parse(
        await call('GET', `/graph/v1.0/users/${encodeURIComponent(username)}`),
      )
      return Drive.parse(await call('GET', `/graph/v1.0/users/${id}/drive`)).id
    },
  }
}

const ofTests = /^(project\/)?(moved-)?contract-/

function atOpenCloud(access: Access): FilesTestServer {
  const server = through(access)
  const { call } = server
  async function close(): Promise<void> {
    for (const { id, driveAlias, root } of await server.projects()) {
      if (!ofTests.test(driveAlias ?? '')) continue
      const path = `/graph/v1.0/drives/${encodeURIComponent(id)}`
      if (root?.deleted === undefined) await call('DELETE', path)
      await call('DELETE', path, { headers: { purge: 'T' } })
    }
    const { value } = Users.parse(await call('GET', '/graph/v1.0/users?$search=%22contract-%22'))
    for (const { id, onPremisesSamAccountName: name } of value)
      if (ofTests.test(name)) await call('DELETE', `/graph/v1.0/users/${id}`)
  }
  const upload = (spaceId: string, bytes: number, as?: [string, string]) =>
    call('PUT', `/dav/spaces/${encodeURIComponent(spaceId)}/filled`, {
      body: Buffer.alloc(bytes, 'x'),
      ...(as && { as }),
    })
  return {
    ...server,
    get sandbox(): never {
      throw new Error('this server is no stand-in')
    },
    fill: async (spaceId, bytes) => void (await upload(spaceId, bytes)),
    async signInAndFill(username, bytes) {
      // An app token that an Admin makes for somebody else signs in as well as they would.
      const { token } = z
        .object({ token: z.string() })
        .parse(
          await call('POST', `/auth-app/tokens?expiry=1h&userName=${encodeURIComponent(username)}`),
        )
      await call('GET', '/graph/v1.0/me', { as: [username, token] })
      await upload(await server.personalDrive(username), bytes, [username, token])
    },
    reset() {},
    close,
  }
}
