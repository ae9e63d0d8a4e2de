import { cp, readFile, realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

interface Manifest {
  version: string
  dependencies?: Record<string, string>
}

/** Types, maps, documentation, tests, and builds for browsers. */
const unused =
  /\.(map|ts|mts|cts|md|png)$|\.standalone\.js$|\.browser(\.old)?\.m?js$|\/(test|benchmark|example)s?(\/|$)/
/** Of this package, the files that match; the others are weights that no document has. */
const only: Readonly<Record<string, RegExp>> = {
  '@expo-google-fonts/noto-sans':
    /\/(package\.json|LICENSE_FONT|NotoSans_(400Regular|700Bold)\.ttf)$/,
}

/**
 * Copies packages that the build leaves out, with all that they depend on, into `node_modules`
 * beside it: the built service then runs without the repository's `node_modules`.
 */
export function copyExternalPackages(appDir: string, names: readonly string[]): Plugin {
  return {
    name: 'atrium:external-packages',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const copied = new Map<string, string>()
      for (const name of names) await copyPackage(name, appDir, dir, copied)
    },
  }
}

/**
 * A package goes to the top of the target; where another version has that place, below the package
 * that needs it.
 */
async function copyPackage(
  name: string,
  from: string,
  target: string,
  copied: Map<string, string>,
  top = target,
): Promise<void> {
  const source = await folderOf(name, from)
  const manifest: Manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'))
  const hoisted = copied.get(name)
  if (hoisted === manifest.version) return
  const folder = join(hoisted === undefined ? top : target, 'node_modules', name)
  if (hoisted === undefined) copied.set(name, manifest.version)
  const included = only[name]
  await cp(source, folder, {
    recursive: true,
    dereference: true,
    filter: (path) =>
      !path.slice(source.length).includes('/node_modules') &&
      !unused.test(path) &&
      (included === undefined || !/\.\w+$/.test(path.slice(source.length)) || included.test(path)),
  })
  for (const dependency of Object.keys(manifest.dependencies ?? {}))
    await copyPackage(dependency, source, folder, copied, top)
}

/**
 * The folder of a package as Node finds it from another one; its `exports` may hide the manifest.
 * The real one: what a package needs is beside that, not beside the link to it.
 */
async function folderOf(name: string, from: string): Promise<string> {
  for (const place of createRequire(join(from, 'package.json')).resolve.paths(name) ?? []) {
    const folder = join(place, name)
    const found = await readFile(join(folder, 'package.json')).catch(() => undefined)
    if (found) return realpath(folder)
  }
  throw new Error(`${name} is not installed for ${dirname(from)}`)
}
