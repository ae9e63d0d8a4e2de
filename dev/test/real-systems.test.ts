import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { demoClients, demoServiceCredentials } from '@atrium/core/demo/demo'
import { describe, expect, it } from 'vitest'
import { portsOf } from '../ports.ts'
import { otherSystemsFault, readOutsideSystems, realSystemVariables } from '../real-systems.ts'

const ports = portsOf(14_000)
const all = Object.fromEntries(
  Object.values(realSystemVariables).flatMap((names) =>
    names.map((name) => [name, `value-of-${name}`]),
  ),
)
const addresses = {
  DEV_AUTHENTIK_URL: 'https://id.real.test/',
  DEV_STALWART_URL: 'http://mail.real.test:8080',
  DEV_OPENCLOUD_URL: 'https://files.real.test',
}
function systemsOf(env: Record<string, string>) {
  const read = readOutsideSystems(env, ports)
  if ('faults' in read) throw new Error(read.faults.join('\n'))
  return read.systems
}

describe('the upstream systems of a local workplace', () => {
  it('are the sandbox when nothing is set, and empty variables are nothing', () => {
    for (const env of [{}, { DEV_STALWART_URL: '', DEV_STALWART_API_KEY: ' ' }]) {
      expect(systemsOf(env)).toMatchObject({
        identity: {
          url: 'http://localhost:15100',
          token: demoServiceCredentials.identityToken,
          portal: { clientId: demoClients.portal.clientId },
        },
        mail: { url: 'http://localhost:15200', apiKey: demoServiceCredentials.mailApiKey },
        files: { url: 'http://localhost:15300', user: demoServiceCredentials.filesUser },
        real: {},
      })
    }
  })

  it('are real ones, each by itself or all', () => {
    expect(systemsOf({ ...all, ...addresses })).toEqual({
      identity: {
        url: 'https://id.real.test',
        token: 'value-of-DEV_AUTHENTIK_TOKEN',
        portal: {
          clientId: 'value-of-DEV_AUTHENTIK_PORTAL_CLIENT_ID',
          clientSecret: 'value-of-DEV_AUTHENTIK_PORTAL_CLIENT_SECRET',
        },
        operator: {
          clientId: 'value-of-DEV_AUTHENTIK_OPERATOR_CLIENT_ID',
          clientSecret: 'value-of-DEV_AUTHENTIK_OPERATOR_CLIENT_SECRET',
        },
      },
      mail: { url: 'http://mail.real.test:8080', apiKey: 'value-of-DEV_STALWART_API_KEY' },
      files: {
        url: 'https://files.real.test',
        user: 'value-of-DEV_OPENCLOUD_USER',
        appToken: 'value-of-DEV_OPENCLOUD_APP_TOKEN',
      },
      real: {
        identity: 'https://id.real.test',
        mail: 'http://mail.real.test:8080',
        files: 'https://files.real.test',
      },
    })
    const mail = { DEV_STALWART_URL: addresses.DEV_STALWART_URL, DEV_STALWART_API_KEY: 'k' }
    expect(systemsOf(mail)).toMatchObject({
      files: { url: 'http://localhost:15300' },
      real: { mail: 'http://mail.real.test:8080' },
    })
  })

  it.each(Object.keys(all))('are not begun with when %s alone is missing', (name) => {
    const read = readOutsideSystems({ ...all, ...addresses, [name]: undefined }, ports)
    expect(read).toEqual({ faults: [expect.stringContaining(`${name} is not set`)] })
  })

  it.each([
    'files.real.test',
    'ftp://files.real.test',
    'https://files.real.test/path',
    'https://a:b@files.real.test',
  ])('are not begun with at the address %s', (DEV_OPENCLOUD_URL) => {
    const read = readOutsideSystems({ ...all, ...addresses, DEV_OPENCLOUD_URL }, ports)
    expect(read).toEqual({
      faults: [expect.stringContaining('DEV_OPENCLOUD_URL must be an address')],
    })
  })

  it('are those that the data was created with', () => {
    const real = systemsOf({ ...all, ...addresses })
    const sandbox = systemsOf({})
    expect(otherSystemsFault(undefined, real, '/data')).toBeUndefined()
    expect(otherSystemsFault(JSON.stringify(real.real), real, '/data')).toBeUndefined()
    expect(otherSystemsFault(JSON.stringify(sandbox.real), sandbox, '/data')).toBeUndefined()
    expect(otherSystemsFault('{}', real, '/data')).toMatch(
      /sandbox for all.*identity at https:\/\/id\.real\.test.*--fresh/,
    )
    expect(otherSystemsFault(JSON.stringify(real.real), sandbox, '/data')).toContain(
      'now the sandbox for all',
    )
  })

  it('end the start with a plain line and status 78 when only a part is set', async () => {
    const child = spawn(process.execPath, ['dev.ts'], {
      cwd: join(import.meta.dirname, '../..'),
      env: {
        PATH: process.env.PATH,
        ATRIUM_PORT_BASE: '14000',
        DEV_OPENCLOUD_URL: 'https://files.real.test',
      },
    })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    const code = await new Promise((done) => child.once('close', done))
    expect([code, errors]).toEqual([
      78,
      expect.stringMatching(/^DEV_OPENCLOUD_USER and DEV_OPENCLOUD_APP_TOKEN are not set[^\n]*\n$/),
    ])
  })
})
