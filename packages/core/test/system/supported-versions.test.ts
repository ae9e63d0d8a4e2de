import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type SupportedSystem,
  supportedVersions,
  versionSupport,
} from '../../src/system/supported-versions.ts'

const root = join(import.meta.dirname, '../../../..')
const read = (path: string) => readFile(join(root, path), 'utf8')

describe('a version', () => {
  it.each([
    ['postgresql', '15.13', 'too_old'],
    ['postgresql', '16', 'supported'],
    ['postgresql', '18.6', 'supported'],
    ['postgresql', '19beta1', 'untried'],
    ['authentik', '2025.12.1', 'too_old'],
    ['authentik', '2026.2.0', 'supported'],
    ['authentik', '2026.8.3', 'supported'],
    ['authentik', '2026.10.0', 'untried'],
    ['stalwart', 'v0.16.17', 'too_old'],
    ['stalwart', '0.16', 'too_old'],
    ['stalwart', 'v0.16.18', 'supported'],
    ['stalwart', '0.16.40', 'supported'],
    ['stalwart', '0.17.0', 'untried'],
    ['opencloud', '0.9', 'too_old'],
    ['opencloud', '7.2.4', 'supported'],
    ['opencloud', 'rolling', 'unreadable'],
    ['node', '26.10.0', 'supported'],
    ['node', '24.1.0', 'too_old'],
  ] as const)('of %s, %s, is %s', (system, version, support) => {
    expect(versionSupport(system, version)).toBe(support)
  })
})

describe('the list', () => {
  it('is that of docs/reference/supported-versions.md', async () => {
    const [, section = ''] = (await read('docs/reference/supported-versions.md')).split(
      '## Versions of other systems',
    )
    const rows = [...section.matchAll(/^\| ([^|]+) \| (\S+) \| (\S+) \|/gm)]
      .map(([, name, oldest, newest]) => ({ name, oldest, newest }))
      .filter(({ name }) => name !== 'System')
    expect(rows).toEqual(Object.values(supportedVersions))
  })

  it('has every version that deploy/ pins', async () => {
    const text = `${await read('deploy/.env.example')}\n${await read('deploy/compose.yaml')}`
    const systems: Record<string, SupportedSystem> = {
      postgres: 'postgresql',
      'goauthentik/server': 'authentik',
      stalwart: 'stalwart',
      opencloud: 'opencloud',
      pgbouncer: 'pgbouncer',
    }
    for (const [image, system] of Object.entries(systems)) {
      const tags = [...text.matchAll(new RegExp(`${image}:v?(\\d[\\d.]+)`, 'g'))]
      expect(tags.length, image).toBeGreaterThan(0)
      for (const [, tag = ''] of tags) expect(versionSupport(system, tag), tag).toBe('supported')
    }
  })
})
