import { spawnSync } from 'node:child_process'

/** Runs the tests of the packed client on Deno and Bun too, which npm fetches. */
const runtimes: [name: string, program: string, options: string[]][] = []
for (const { name, version, options } of [
  { name: 'deno', version: '2.9.6', options: ['run', '--quiet', '-ERNS'] },
  { name: 'bun', version: '1.4.5', options: ['run'] },
]) {
  const fetched = ['exec', '--yes', `--package=${name}@${version}`, '-c', `command -v ${name}`]
  const found = spawnSync('npm', fetched, { encoding: 'utf8' })
  if (found.status !== 0) {
    process.stdout.write(`${name} ${version} cannot be fetched from npm: ${found.stderr}\n`)
    process.exit(69)
  }
  runtimes.push([`${name} ${version}`, found.stdout.trim(), options])
}
const { status } = spawnSync(
  'npx',
  ['vitest', 'run', '--project', 'client', 'packages/client/test/packed.test.ts'],
  { stdio: 'inherit', env: { ...process.env, ATRIUM_RUNTIMES: JSON.stringify(runtimes) } },
)
process.exitCode = status ?? 1
