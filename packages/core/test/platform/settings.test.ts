import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  drainSeconds,
  entropyBits,
  isLoopback,
  readSettings,
  SettingsError,
} from '../../src/platform/settings.ts'

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
    ['a value that is no address', { API_URL: 'api.test' }, 'API_URL: is not an address'],
    [
      'an address within a text',
      { HOST: 'see https://id.EXAMPLE.org/x' },
      'HOST: names example.com',
    ],
    ['a placeholder in one word', { HOST: 'CHANGEME' }, 'HOST: holds the placeholder'],
    [
      'a name with two letters that are wrong',
      { TRASTED_PROXY_HUPS: '1' },
      'TRASTED_PROXY_HUPS: is not a setting. Is TRUSTED_PROXY_HOPS meant?',
    ],
    [
      'a name that lacks two letters',
      { TRUSTD_PROXY_HOP: '1' },
      'TRUSTD_PROXY_HOP: is not a setting. Is TRUSTED_PROXY_HOPS meant?',
    ],
    [
      'a name of ours with three letters that are wrong',
      { TRUSTED_PROXY_JUMP: '1' },
      'TRUSTED_PROXY_JUMP: is not a setting',
    ],
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

  it('take values that only look like a placeholder', () => {
    for (const HOST of ['exchange.medium', 'myexample.com', 'example.community', 'example-com'])
      expect(faultsOf({ HOST }), HOST).toEqual([])
  })

  it('take secrets of 32 characters, of another system of fewer', () => {
    const secret = 'x7G2kQ9vLmZ4tRb8wYc1NdE5sHfUjP30'
    expect(faultsOf({ BOOKING_APP_SECRET: secret })).toEqual([])
    expect(faultsOf({ BOOKING_APP_SECRET: secret.slice(1) })).toHaveLength(1)
    expect(faultsOf({ OIDC_CLIENT_SECRET: 'x7G2kQ9v' })).toEqual([])
  })

  it('name what is missing', () => {
    expect(() => readSettings({}, { shape })).toThrow(
      'The configuration is not usable:\n  API_URL: is missing',
    )
    expect(() => readSettings({ API_URL: undefined }, { shape })).toThrow(SettingsError)
  })

  it('are judged together, without those that have a fault of their own', () => {
    const judged: unknown[] = []
    const read = (env: Record<string, string>) => () =>
      readSettings(env, {
        shape,
        together: (values, production) => {
          judged.push([values.PORT, production])
          return production ? ['PORT: is of tests', 'HOST: is\nopen: really', 'all wrong'] : []
        },
      })
    expect(read({ ...usable, PORT: '1' })).not.toThrow()
    expect(read({ ...usable, PORT: 'x', NODE_ENV: 'production' })).toThrow(
      /\n {2}PORT: (?!is of tests).*\n {2}HOST: is\nopen: really\n {2}all wrong: $/,
    )
    expect(judged).toEqual([
      [1, false],
      [undefined, true],
    ])
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

describe('the entropy of a text', () => {
  it.each([
    ['', 0],
    ['aaaa', 0],
    ['ab', 2],
    ['abab', 2],
    ['abcd', 8],
    ['abcdabcd', 8],
    ['aabaab', 3 * Math.log2(3) - 2],
    // Not a whole number of repetitions.
    ['ababa', 5 * Math.log2(5) - 3 * Math.log2(3) - 2],
    ['aabaaab', 7 * Math.log2(7) - 5 * Math.log2(5) - 2],
  ])('of %j is %d bits', (text, bits) => {
    expect(entropyBits(text)).toBeCloseTo(bits, 10)
  })
})

describe('a host that never leaves the machine', () => {
  it.each(['localhost', 'portal.localhost', '[::1]', '127.0.0.1', '127.255.0.3'])(
    'is %s',
    (host) => {
      expect(isLoopback(host)).toBe(true)
    },
  )

  it.each([
    '',
    'localhost.example',
    'mylocalhost',
    '[::2]',
    '127.0.0',
    '128.0.0.1',
    '1127.0.0.1',
    '127.0.0.1234',
    '127.0.0.1.example',
  ])('is not %j', (host) => {
    expect(isLoopback(host)).toBe(false)
  })
})

it('waits up to a minute before a stop, and five seconds by default', () => {
  expect(drainSeconds.parse(undefined)).toBe(5)
  expect([drainSeconds.parse('0'), drainSeconds.parse('60')]).toEqual([0, 60])
  for (const wrong of ['-1', '61', 'soon'])
    expect(drainSeconds.safeParse(wrong).success).toBe(false)
})
