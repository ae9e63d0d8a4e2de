import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../src/platform/config.ts'

const base = {
  DATABASE_URL: 'postgres://atrium_api@db.test/atrium',
  IDP_ISSUER: 'https://id.test/application/o/portal/,https://id.test/application/o/operator/',
  IDP_AUDIENCE: 'portal,operator',
}
const key = () => randomBytes(32).toString('base64')

function faultsOf(env: Record<string, string | undefined>): string[] {
  try {
    readConfig({ ...base, ...env })
    return []
  } catch (error) {
    return (error as Error).message
      .split('\n')
      .slice(1)
      .map((line) => line.trim())
  }
}

describe('the configuration of the API', () => {
  it('hides no fault behind another', () => {
    const faults = faultsOf({
      PORT: 'x',
      IDP_API_URL: 'http://id.test',
      ENCRYPTION_KEYS: 'broken',
      IDP_OPERATOR_AUDIENCE: 'else',
      HOST: '',
      MAIL_PROVISIONING_ENABLED: 'on',
      FILES_API_USER: 'atrium',
    })
    const names = [
      'FILES_API_TOKEN',
      'FILES_API_URL',
      'HOST',
      'IDP_API_TOKEN',
      'IDP_OPERATOR_AUDIENCE',
      'MAIL_API_URL',
      'PORT',
      'ENCRYPTION_KEYS',
    ]
    expect(faults.map((line) => line.split(':')[0]).sort()).toEqual(names.sort())
  })

  it.each([
    'RECENT_SIGN_IN_SECONDS',
    'HOST',
    'TRUSTED_PROXY_HOPS',
    'IDP_API_TOKEN',
    'MAIL_PROVISIONING_ENABLED',
  ])('rejects an empty %s, which would switch something off', (name) => {
    expect(faultsOf({ [name]: '' })).toContainEqual(expect.stringMatching(`^${name}: is empty`))
  })

  it('rejects each placeholder of its example file, in a line of its own, and nothing else of it', async () => {
    const example = await readFile(
      join(import.meta.dirname, '../../../deploy/env/api.env.example'),
      'utf8',
    )
    const lines = [...example.matchAll(/^(?:# )?([A-Z][A-Z0-9_]+)=(.+)$/gm)].map(
      ([, name = '', value = '']) => [name, value] as const,
    )
    const env = Object.fromEntries(lines)
    const expected = lines
      .filter(([, value]) => /change.me|example\.com/.test(value))
      .map(([name]) => name)
    const ofOthers = ['DATABASE_MIGRATION_URL', 'DATABASE_ADMIN_URL', 'IDP_SETUP_TOKEN']
    expect(expected).toContain('STRIPE_WEBHOOK_SECRET')
    const found = faultsOf(env).map((line) => line.split(':')[0])
    expect(found.sort()).toEqual(expected.filter((name) => !ofOthers.includes(name)).sort())
  })

  it.each([
    ['zeros', Buffer.alloc(32)],
    ['one letter', Buffer.from('a'.repeat(32))],
    ['words', Buffer.from('password-password-password-12345')],
  ])('rejects an encryption key of %s', (_what, bytes) => {
    expect(faultsOf({ ENCRYPTION_KEYS: `good:${key()},weak:${bytes.toString('base64')}` })).toEqual(
      ['ENCRYPTION_KEYS: key "weak" is not random. Make one with "openssl rand -base64 32"'],
    )
    expect(faultsOf({ ENCRYPTION_KEYS: `good:${key()}` })).toEqual([])
  })

  it.each([
    ['a plain http issuer', { IDP_ISSUER: 'http://id.test/a/,https://id.test/b/' }, 'IDP_ISSUER'],
    ['one audience for both portals', { IDP_AUDIENCE: 'portal,portal' }, 'IDP_AUDIENCE'],
    [
      'a live key of Stripe without a webhook secret',
      { STRIPE_SECRET_KEY: 'sk_live_51HxYkL2eZvKYlo2C' },
      'STRIPE_WEBHOOK_SECRET',
    ],
  ])('rejects %s in production alone', (_what, env: Record<string, string>, name) => {
    expect(faultsOf(env)).toEqual([])
    expect(faultsOf({ ...env, NODE_ENV: 'production' })).toEqual([
      expect.stringMatching(`^${name}: `),
    ])
    expect(faultsOf({ NODE_ENV: 'production' })).toEqual([])
  })
})

describe('issuers and audiences', () => {
  const tokens = (env: Record<string, string>) => readConfig({ ...base, ...env }).tokens
  const [portal = '', operator = ''] = base.IDP_ISSUER.split(',')

  it('are pairs where the lists are of equal length', () => {
    expect(tokens({})).toMatchObject({ operatorAudience: 'operator', operatorIssuers: [operator] })
    expect(tokens({ IDP_OPERATOR_AUDIENCE: 'portal' })).toMatchObject({ operatorIssuers: [portal] })
  })

  it('need no pair where there is one issuer, and a setting where nothing tells', () => {
    expect(tokens({ IDP_ISSUER: portal })).toMatchObject({ operatorIssuers: [portal] })
    expect(faultsOf({ IDP_AUDIENCE: 'portal,more,operator' })).toEqual([
      expect.stringMatching(/^IDP_OPERATOR_ISSUER: is missing/),
    ])
    expect(
      tokens({ IDP_AUDIENCE: 'portal,more,operator', IDP_OPERATOR_ISSUER: operator }),
    ).toMatchObject({ operatorIssuers: [operator] })
    expect(faultsOf({ IDP_OPERATOR_ISSUER: 'https://else.test/' })).toEqual([
      expect.stringMatching(/^IDP_OPERATOR_ISSUER: names an issuer/),
    ])
  })

  it('of one authentik name the same people, those of another provider others', () => {
    const other = 'https://else.test/application/o/portal/'
    const third = 'https://plain.test/realms/a'
    const many = {
      IDP_ISSUER: [portal, operator, other, third].join(','),
      IDP_OPERATOR_ISSUER: operator,
    }
    expect([...tokens(many).subjectPrefixes.values()]).toEqual([
      '',
      '',
      'https://else.test/|',
      'https://plain.test/realms/a|',
    ])
    const managed = tokens({ ...many, IDP_MANAGED_ISSUER: `${portal},${third}` })
    expect([...managed.subjectPrefixes.values()]).toEqual(['', '', 'https://else.test/|', ''])
    const global = tokens({ IDP_ISSUER: `https://id.test/,${operator}` })
    expect([...global.subjectPrefixes.values()]).toEqual(['', ''])
  })
})
