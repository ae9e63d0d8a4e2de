import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { afterEach, describe, expect, it } from 'vitest'
import { startSandbox } from '../src/start.ts'
import { authentikApi } from './authentik-api.ts'
import { openPortal } from './portal.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function statePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  folders.push(folder)
  return join(folder, 'state', 'sandbox.json')
}

describe('a sandbox with a state file', () => {
  it('keeps people signed in over a restart: browser session, refresh token, keys, records', async () => {
    const path = statePath()
    const portBase = await freeBase()
    const first = await startSandbox({ statePath: path, portBase })
    const { refreshToken, accessToken, browser } = await (async () => {
      const portal = await openPortal(first, { origin: `http://localhost:${portBase + 100}` })
      const tokens = await portal.signIn({ person: 'owner@acme.test' })
      return {
        refreshToken: String(tokens.refresh_token),
        accessToken: tokens.access_token,
        browser: portal.browser,
      }
    })()
    await authentikApi(first).post('core/groups/', { name: 'kept' })
    await first.close()

    const second = await startSandbox({ statePath: path, portBase })
    try {
      // Connections that were kept alive to the first sandbox fail once.
      await expect
        .poll(() =>
          fetch(second.identityUrl).then(
            (response) => response.status,
            () => 0,
          ),
        )
        .toBe(200)
      const keys = createRemoteJWKSet(new URL(`${second.issuers.portal}jwks/`))
      await jwtVerify(accessToken, keys, {
        issuer: second.issuers.portal,
        audience: 'atrium-portal',
      })
      const portal = await openPortal(second, {
        origin: `http://localhost:${portBase + 100}`,
        browser,
      })
      expect((await portal.start()).url).toContain('/auth/callback?code=')
      await expect(oidc.refreshTokenGrant(portal.config, refreshToken)).resolves.toHaveProperty(
        'refresh_token',
      )
      expect((await authentikApi(second).get('core/groups/?name=kept')).results).toHaveLength(1)
    } finally {
      await second.close()
    }
  })

  it('writes soon after a change, whole files only, readable by its owner only', async () => {
    const path = statePath()
    const sandbox = await startSandbox({ statePath: path })
    try {
      await authentikApi(sandbox).post('core/groups/', { name: 'written' })
      await expect
        .poll(() => existsSync(path) && readFileSync(path, 'utf8').includes('"written"'), {
          timeout: 3_000,
        })
        .toBe(true)
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
        version: expect.any(Number),
        systems: { identity: expect.any(Object) },
      })
      expect(statSync(path).mode & 0o077).toBe(0)
    } finally {
      await sandbox.close()
    }
    expect(readdirSync(join(path, '..'))).toEqual(['sandbox.json'])
  })

  it.each(['{"version":', '{"version":-1,"systems":{}}', '[]'])(
    'sets a file aside that it cannot use: %s',
    async (content) => {
      const path = statePath()
      await (await startSandbox({ statePath: path })).close()
      writeFileSync(path, content)
      const sandbox = await startSandbox({ statePath: path })
      try {
        expect((await authentikApi(sandbox).get('core/groups/?name=acme')).results).toHaveLength(1)
        expect(readFileSync(`${path}.unreadable`, 'utf8')).toBe(content)
      } finally {
        await sandbox.close()
      }
    },
  )
})

describe('start options', () => {
  it.each([
    [1_000, 'control'],
    [1_100, 'identity'],
    [1_500, 'smtp'],
    [1_501, 'smtpPage'],
  ])(
    'fail with one line that names the port at +%i and its purpose when it is taken, and leave nothing open',
    async (offset, purpose) => {
      const portBase = await freeBase()
      const blocker = createServer().listen(portBase + offset, '127.0.0.1')
      await once(blocker, 'listening')
      await expect(startSandbox({ portBase })).rejects.toThrow(
        `Port ${portBase + offset} (sandbox ${purpose}) is already in use.`,
      )
      blocker.close()
      await once(blocker, 'close')
      await (await startSandbox({ portBase })).close()
    },
  )

  it('start empty: no demo people and no applications, but what a fresh authentik has, and our service account', async () => {
    const sandbox = await startSandbox({ seed: 'empty' })
    try {
      const api = authentikApi(sandbox)
      expect((await api.get('core/users/')).results.map((user) => user.username)).toEqual([
        'akadmin',
        'atrium',
      ])
      expect((await api.get('core/applications/?superuser_full_list=true')).results).toEqual([])
      expect((await api.get('flows/instances/default-provider-invalidation-flow/')).status).toBe(
        200,
      )
    } finally {
      await sandbox.close()
    }
  })

  it('delay flows, mappings, keys and brand, as a fresh authentik does', async () => {
    let now = Date.now()
    const sandbox = await startSandbox({ identity: { coldStartMs: 60_000 }, now: () => now })
    try {
      const api = authentikApi(sandbox)
      const lists = [
        'flows/instances/',
        'propertymappings/provider/scope/',
        'crypto/certificatekeypairs/',
        'core/brands/',
      ]
      for (const list of lists) expect((await api.get(list)).results, list).toEqual([])
      expect((await api.get('flows/instances/default-authentication-flow/')).status).toBe(404)
      now += 60_000
      for (const list of lists)
        expect((await api.get(list)).results.length, list).toBeGreaterThan(0)
    } finally {
      await sandbox.close()
    }
  })

  it('set the lifetime of access tokens and the recovery flow', async () => {
    const sandbox = await startSandbox({ identity: { accessTokenSeconds: 5, recoveryFlow: true } })
    try {
      const tokens = await (await openPortal(sandbox)).signIn({ person: 'owner@acme.test' })
      expect(tokens.expires_in).toBe(5)
      const api = authentikApi(sandbox)
      const user = await api.pk('core/users/?username=owner@acme.test')
      expect((await api.post(`core/users/${user}/recovery/`)).status).toBe(200)
    } finally {
      await sandbox.close()
    }
  })
})

describe('main.ts', () => {
  it('prints one ready line, and stops on SIGTERM with a connection and a call open', async () => {
    const path = statePath()
    const portBase = await freeBase()
    const main = spawn(
      process.execPath,
      [fileURLToPath(new URL('../src/main.ts', import.meta.url))],
      {
        env: { ...process.env, ATRIUM_PORT_BASE: String(portBase), ATRIUM_SANDBOX_STATE: path },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const exited = once(main, 'exit')
    let output = ''
    main.stdout.on('data', (chunk) => {
      output += chunk
    })
    await expect.poll(() => output.includes('\n'), { timeout: 15_000 }).toBe(true)
    const ready: { controlUrl: string; identityUrl: string } = JSON.parse(output)
    expect(ready).toEqual({
      ready: true,
      controlUrl: `http://localhost:${portBase + 1_000}`,
      identityUrl: `http://localhost:${portBase + 1_100}`,
      mailUrl: `http://localhost:${portBase + 1_200}`,
      filesUrl: `http://localhost:${portBase + 1_300}`,
      paymentsUrl: `http://localhost:${portBase + 1_400}`,
      viesUrl: `http://localhost:${portBase + 1_410}`,
      smtpUrl: `smtp://localhost:${portBase + 1_500}`,
      smtpPageUrl: `http://localhost:${portBase + 1_501}`,
      dnsServer: `127.0.0.1:${portBase + 1_600}`,
      dnsPageUrl: `http://localhost:${portBase + 1_601}`,
    })
    await fetch(`${ready.controlUrl}/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"system":"identity","mode":"timeout"}',
    })
    const waiting = fetch(`${ready.identityUrl}/`).catch(() => 'dropped')
    await fetch(`${ready.controlUrl}/faults`)
    main.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    expect(await waiting).toBe('dropped')
    expect(output.trim().split('\n')).toHaveLength(1)
    expect(existsSync(path)).toBe(true)
  }, 30_000)
})

/**
 * A base whose ports were free a moment ago, below the range from which the system hands out ports
 * by itself.
 */
async function freeBase(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const base = 10_000 + 2_000 * Math.floor(Math.random() * 10) + Math.floor(Math.random() * 90)
    const free = await Promise.all(
      [1_000, 1_100, 1_200, 1_300, 1_500, 1_501].map((offset) => isFree(base + offset)),
    )
    if (free.every(Boolean)) return base
  }
  throw new Error('There is no free base port.')
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  const opened = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (opened) await new Promise((resolve) => probe.close(resolve))
  return opened
}
