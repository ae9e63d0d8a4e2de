import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { passOnArguments, passOnEnvironment } from '../src/pass-on.ts'

const program = join(import.meta.dirname, '../src/main.ts')
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atrium-setup-'))
})
afterEach(() => rm(folder, { recursive: true }))

function atrium(...args: string[]): Promise<{ status: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], (error, out, err) =>
      resolve({ status: Number(error?.code ?? 0), out, err }),
    )
  })
}
async function answersFile(content: string): Promise<string> {
  const path = join(folder, 'given.json')
  await writeFile(path, content)
  return path
}

describe('atrium', () => {
  it('shows its commands, and ends with 64 when it knows none of that name', async () => {
    const help = await atrium('--help')
    expect(help).toMatchObject({ status: 0, err: '' })
    expect(help.out).toMatch(/^atrium setup .*[\s\S]*^atrium doctor$/m)
    expect(await atrium('install')).toMatchObject({ status: 64, out: '' })
    expect(await atrium('setup', '--fast')).toMatchObject({ status: 64 })
  })

  it('shows in a dry run what it would do, and writes nothing', async () => {
    const answers = await answersFile(
      JSON.stringify({
        domain: 'workplace.test',
        operator: { email: 'olga@workplace.test', name: 'Olga' },
        addresses: { ipv4: '192.0.2.10' },
      }),
    )
    const { status, out, err } = await atrium(
      ...['setup', '--dry-run', '--answers', answers, '--directory', folder],
    )
    expect({ status, err }).toEqual({ status: 0, err: '' })
    expect(out).toMatch(/portal\.workplace\.test\. +3600 IN A +192\.0\.2\.10/)
    expect(out).toContain('secrets/answers.json')
    expect(await readdir(folder)).toEqual(['given.json'])
  })

  it('names every answer that cannot be used', async () => {
    const broken = await atrium('setup', '--answers', await answersFile('{'))
    expect(broken).toMatchObject({ status: 64, err: expect.stringContaining('no JSON') })
    const wrong = await atrium('setup', '--answers', await answersFile('{"domain":"x"}'))
    expect(wrong).toMatchObject({ status: 64 })
    expect(wrong.err).toMatch(/domain: is no domain name[\s\S]*operator/)
  })

  it('does not turn an installation into one of another domain', async () => {
    const operator = { email: 'olga@one.test', name: 'Olga' }
    await mkdir(join(folder, 'secrets'))
    await writeFile(
      join(folder, 'secrets/answers.json'),
      JSON.stringify({ domain: 'one.test', operator }),
    )
    const answers = await answersFile(JSON.stringify({ domain: 'two.test', operator }))
    const { status, err } = await atrium('setup', '--answers', answers, '--directory', folder)
    expect(status).toBe(64)
    expect(err).toContain('set up for one.test')
  })

  it('runs the other commands in the API, with its settings', () => {
    const args = passOnArguments(['doctor', '--json'])
    expect(args.slice(0, 2)).toEqual(['compose', 'exec'])
    expect(args.join(' ')).toMatch(
      / --env IDP_SETUP_TOKEN api node --env-file=\/run\/secrets\/api\.env apps\/api\/dist\/admin\.js doctor --json --backups \/backup-status$/,
    )
  })

  it('gives the doctor the token of the set-up, and an upgrade the variables that are new', async () => {
    await mkdir(join(folder, 'secrets'))
    await writeFile(join(folder, 'secrets/authentik-setup-token'), 'token-of-setup\n')
    await writeFile(join(folder, '.env.example'), 'OLD_IMAGE=old:1\nNEW_IMAGE=new:1\n')
    await writeFile(join(folder, '.env'), 'OLD_IMAGE=old:1@sha256:1234\n')
    const variables = (...command: string[]) => passOnEnvironment(folder, command)
    expect(await variables('doctor')).toEqual({ IDP_SETUP_TOKEN: 'token-of-setup' })
    expect(await variables('upgrade', '--check')).toEqual({ NEW_IMAGE: 'new:1' })
    expect(await variables('operator', 'create')).toEqual({})
    expect(await passOnEnvironment(join(folder, 'empty'), ['doctor'])).toEqual({
      IDP_SETUP_TOKEN: '',
    })
  })

  it('checks an upgrade with the new version, beside the one that runs', () => {
    const args = passOnArguments(['upgrade', '--check']).join(' ')
    expect(args).toMatch(/^compose run --rm --no-deps --build (-T )?migrate node /)
    expect(args).toContain('--env-file=/run/secrets/migrate.env')
    expect(args).toMatch(/admin\.js upgrade --check --running http:\/\/api:4000$/)
    const named = passOnArguments(['upgrade', '--check', '--running=http://other:4000']).join(' ')
    expect(named).not.toContain('http://api:4000')
  })
})
