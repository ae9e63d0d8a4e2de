import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const packages = join(import.meta.dirname, '../..')

/**
 * Builds and packs the published packages once per run and unpacks them as an installation would:
 * into `node_modules` of an empty folder, beside nothing but the dependencies that their manifests
 * declare. The folder goes to the tests in `ATRIUM_PACKED`.
 */
export default async function packedClient(): Promise<() => Promise<void>> {
  if (process.env.ATRIUM_PACKED) return async () => {}
  const folder = await mkdtemp(join(tmpdir(), 'atrium-packed-'))
  for (const name of ['client', 'cli']) await install(name, folder)
  process.env.ATRIUM_PACKED = folder
  return async () => {
    Reflect.deleteProperty(process.env, 'ATRIUM_PACKED')
    await rm(folder, { recursive: true, force: true })
  }
}

interface Manifest {
  name: string
  dependencies?: Record<string, string>
}

async function install(name: string, folder: string): Promise<void> {
  const source = join(packages, name)
  await run(process.execPath, [join(source, 'build/main.ts')], { cwd: source })
  await pnpm(['pack', '--pack-destination', folder], source)
  const [tarball] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'))
  if (!tarball) throw new Error(`${name} was not packed`)
  const target = join(folder, 'node_modules/@atrium', name)
  await mkdir(target, { recursive: true })
  await run('tar', ['-xzf', join(folder, tarball), '-C', target, '--strip-components', '1'])
  await rm(join(folder, tarball))
  const manifest = JSON.parse(await readFile(join(target, 'package.json'), 'utf8')) as Manifest
  for (const [dependency, version] of Object.entries(manifest.dependencies ?? {})) {
    if (!/^\d+\.\d+\.\d+/.test(version))
      throw new Error(`${manifest.name} was packed with ${dependency} ${version}`)
    // Already beside it.
    if (dependency.startsWith('@atrium/')) continue
    const link = join(target, 'node_modules', dependency)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(source, 'node_modules', dependency), link)
  }
}

/** The pnpm that runs the tests, which is a program or a script, else the one in npm's cache. */
async function pnpm(args: readonly string[], cwd: string): Promise<void> {
  const running = process.env.npm_execpath ?? ''
  const [program, ...first] = !/pnpm[^/]*$/.test(running)
    ? ['npx', '--offline', '-y', 'pnpm@12']
    : /\.[cm]?js$/.test(running)
      ? [process.execPath, running]
      : [running]
  await run(program, [...first, ...args], { cwd })
}
