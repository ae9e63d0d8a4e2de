import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { diskFiles } from '../src/files.ts'
import { chooseImages } from '../src/images.ts'
import { keptSecret } from '../src/secrets.ts'
import { mergeSettings, parseSettings, settingsText } from '../src/settings.ts'
import { memoryFiles } from './workplace.ts'

describe('files on disk', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atrium-setup-'))
  })
  afterEach(() => rm(folder, { recursive: true }))
  const modeOf = async (path: string) => (await stat(join(folder, path))).mode & 0o777

  it('keep secrets in a folder that only its owner enters', async () => {
    const files = diskFiles(folder)
    expect(await files.write('secrets/token', 'one')).toBe(true)
    await chmod(join(folder, 'secrets'), 0o755)
    expect(await files.write('secrets/token', 'one')).toBe(false)
    expect(await modeOf('secrets')).toBe(0o700)
    // Containers read theirs under their own accounts.
    expect(await modeOf('secrets/token')).toBe(0o444)
    expect(await files.write('.env', 'A=1')).toBe(true)
    expect(await modeOf('.env')).toBe(0o600)
  })

  it('are replaced as a whole and leave no draft', async () => {
    const files = diskFiles(folder)
    await files.write('secrets/token', 'one')
    expect(await files.write('secrets/token', 'two')).toBe(true)
    expect(await files.read('secrets/token')).toBe('two')
    expect(await files.read('secrets/none')).toBeUndefined()
    expect(await readdir(join(folder, 'secrets'))).toEqual(['token'])
  })
})

describe('secrets', () => {
  it('are made once, of 256 bits, and never hold what an address gives a meaning', async () => {
    const files = memoryFiles()
    const made = await keptSecret(files, 'token')
    expect(made).toMatch(/^[0-9a-f]{64}$/)
    expect(await keptSecret(files, 'token')).toBe(made)
    expect(await keptSecret(files, 'other')).not.toBe(made)
  })
})

describe('lines of settings', () => {
  it('come back as they were', () => {
    const settings = { A: 'Atrium <a@b.test>', B: 'x=y+z/==', C: 'postgres://a:b@c/d' }
    expect(parseSettings(settingsText(settings))).toEqual(settings)
    expect(settingsText(settings)).toContain("A='Atrium <a@b.test>'\n")
  })

  it('reject what would end the value', () => {
    expect(() => settingsText({ A: "it's" })).toThrow('A')
    expect(() => settingsText({ A: 'one\nB=two' })).toThrow('A')
  })

  it('replace their own and keep everything else in its place', async () => {
    const files = memoryFiles(new Map([['x.env', '# ours\nB=old\nSTRIPE=1\n\nA=1\n']]))
    expect(await mergeSettings(files, 'x.env', { A: '1', B: 'new', C: '3' })).toBe(true)
    expect(files.content.get('x.env')).toBe('# ours\nB=new\nSTRIPE=1\n\nA=1\nC=3\n')
    expect(await mergeSettings(files, 'x.env', { A: '1', B: 'new', C: '3' })).toBe(false)
  })
})

describe('images', () => {
  it('keep their digest until the example names another tag', () => {
    const example = { CADDY_IMAGE: 'caddy:2.10.0', RESTIC_IMAGE: 'restic:0.19.0', HOST: 'x' }
    const current = {
      CADDY_IMAGE: 'caddy:2.10.0@sha256:aa',
      RESTIC_IMAGE: 'restic:0.18.0@sha256:bb',
    }
    expect(chooseImages(current, example)).toEqual({
      CADDY_IMAGE: 'caddy:2.10.0@sha256:aa',
      RESTIC_IMAGE: 'restic:0.19.0',
    })
  })
})
