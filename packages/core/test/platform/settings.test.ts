import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { entropyBits, readSettings, SettingsError } from '../../src/platform/settings.ts'

const shape = {
  PORT: z.coerce.number().int().default(4000),
  HOST: z.string().default('127.0.0.1'),
  API_URL: z.url({ error: 'is not an address' }),
  BOOKING_APP_SECRET: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
}
const rules = {
  shape,
  ownSecrets: ['BOOKING_APP_SECRET'],
  providedSecrets: ['OIDC_CLIENT_SECRET'],
} as const
const usable = { API_URL: 'http://api.test' }
const faultsOf = (env: Record<string, string>) => {
  try {
    readSettings({ ...usable, ...env }, rules)
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError)
    return (error as Error).message.split('\n').slice(1)
  }
}

describe('settings', () => {
  it('are read with their defaults', () => {
    expect(readSettings(usable, rules)).toEqual({
      PORT: 4000,
      HOST: '127.0.0.1',
      API_URL: 'http://api.test',
    })
  })

  it.each([
    ['an empty value', { HOST: '' }, 'HOST: is empty'],
    ['a value of spaces', { PORT: '  ' }, 'PORT: is empty'],
    [
      'a placeholder',
      { BOOKING_APP_SECRET: 'change-me-to-at-least-32-characters' },
      'BOOKING_APP_SECRET: holds the placeholder',
    ],
    [
      'a placeholder with underscores',
      { OIDC_CLIENT_SECRET: 'whsec_change_me' },
      'OIDC_CLIENT_SECRET: holds the placeholder',
    ],
    [
      'an address of the example',
      { API_URL: 'https://id.example.com/' },
      'API_URL: names example.com',
    ],
    ['a short secret', { BOOKING_APP_SECRET: 'x7G2' }, 'BOOKING_APP_SECRET: is shorter than 32'],
    [
      'a secret of one letter',
      { BOOKING_APP_SECRET: 'a'.repeat(40) },
      'BOOKING_APP_SECRET: can be guessed',
    ],
    [
      'a secret that repeats itself',
      { BOOKING_APP_SECRET: 'secret99'.repeat(5) },
      'BOOKING_APP_SECRET: can be guessed',
    ],
    [
      'a simple secret of another system',
      { OIDC_CLIENT_SECRET: 'secret' },
      'OIDC_CLIENT_SECRET: is too simple',
    ],
    [
      'a misspelt name',
      { BOOKING_APP_SECRTE: 'x' },
      'BOOKING_APP_SECRTE: is not a setting. Is BOOKING_APP_SECRET meant?',
    ],
    ['a name that begins like ours', { ATRIUM_SECRET: 'x' }, 'ATRIUM_SECRET: is not a setting'],
    [
      'a name with a letter too many',
      { TRUSTED_PROXY_HOPSS: '1' },
      'TRUSTED_PROXY_HOPSS: is not a setting. Is TRUSTED_PROXY_HOPS meant?',
    ],
  ])('reject %s', (_what, env: Record<string, string>, fault) => {
    expect(faultsOf(env)).toEqual([expect.stringContaining(`  ${fault}`)])
  })

  it('take names of the machine, of other programs of ours and of Kubernetes', () => {
    const others = {
      PATH: '/bin',
      HOME: '/root',
      HOSTNAME: 'a',
      LANGUAGE: 'en',
      STRIPE_WEBHOOK_SECRET: 'x',
      PGHOST: 'b',
      DISPLAY: ':0',
    }
    const ofKubernetes = {
      BOOKING_SERVICE_HOST: '10.0.0.1',
      BOOKING_PORT_4300_TCP: 'tcp://10.0.0.1',
      PORTAL_PORT: 'tcp://10.0.0.2',
    }
    expect(faultsOf({ ...others, ...ofKubernetes })).toEqual([])
  })

  it('tell every fault at once, one line per variable and no value', () => {
    const secret = randomBytes(8).toString('hex')
    const faults = faultsOf({ PORT: 'x', HOST: '', BOOKING_APP_SECRET: secret, IDP_ISUER: secret })
    expect(faults.map((line) => line.trim().split(':')[0])).toEqual([
      'PORT',
      'HOST',
      'BOOKING_APP_SECRET',
      'IDP_ISUER',
    ])
    expect(faults.join()).not.toContain(secret)
  })

  it('take every secret that "openssl rand" makes', () => {
    for (let i = 0; i < 500; i++) {
      for (const encoding of ['base64', 'hex'] as const) {
        expect(entropyBits(randomBytes(32).toString(encoding))).toBeGreaterThan(150)
      }
    }
  })
})
