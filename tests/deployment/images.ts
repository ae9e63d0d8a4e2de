import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { demoClients } from '@atrium/core/demo/demo'
import { freePort } from '@atrium/db/server/free-port'
import { startReplicated } from '@atrium/testing/postgres/replicated'
import { startTestApp } from '@atrium/testing/test-app'
import { prepareNodeImage } from './base-image.ts'
import type { Check } from './check.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const targets = ['database-tools', 'api', 'portal', 'operator', 'booking'] as const
type Target = (typeof targets)[number]
const mostMiB = 250

interface Image {
  target: Target
  /** Where the files of the image are mounted. */
  folder: string
  user: string
  command: readonly string[]
  env: readonly string[]
  workdir: string
}

/**
 * Builds every image of the Dockerfile, looks at what is in it, and runs it as Kubernetes does: as
 * the image's user, on a read-only root, with nothing but the network of this machine.
 */
export async function checkImages(): Promise<Check[]> {
  const { stdout } = await run('git', ['rev-parse', 'HEAD'], { cwd: root })
  const commit = stdout.trim()
  const base = process.env.NODE_IMAGE ?? (await prepareNodeImage())
  const images: Image[] = []
  for (const target of targets) images.push(await build(target, base, commit))
  const checks: Check[] = []
  for (const image of images) {
    checks.push(...(await checkContent(image)))
    // As every container engine does. The folder is that of a container, not the image.
    await writeFile(join(image.folder, 'etc/hosts'), '127.0.0.1 localhost\n')
  }
  return [...checks, ...(await checkRuns(images, commit))]
}

async function build(target: Target, base: string, commit: string): Promise<Image> {
  const name = `localhost/atrium-checked-${target}`
  process.stderr.write(`building ${target}\n`)
  await run(
    'buildah',
    [
      ...['build', '--isolation', 'chroot', '--layers', '--format', 'docker'],
      ...['--build-arg', `NODE_IMAGE=${base}`, '--build-arg', `COMMIT=${commit}`],
      ...['--file', join(root, 'deploy/Dockerfile'), '--target', target, '--tag', name, root],
    ],
    { maxBuffer: 256 * 1024 * 1024 },
  )
  const { stdout: container } = await run('buildah', ['from', '--pull-never', name])
  const { stdout: folder } = await run('buildah', ['mount', container.trim()])
  const { stdout: inspected } = await run('buildah', ['inspect', container.trim()])
  const { config } = (JSON.parse(inspected) as { Docker: { config: DockerConfig } }).Docker
  return {
    target,
    folder: folder.trim(),
    user: config.User,
    command: config.Cmd,
    env: config.Env,
    workdir: config.WorkingDir,
  }
}

interface DockerConfig {
  User: string
  Cmd: string[]
  Env: string[]
  WorkingDir: string
}

async function checkContent({ target, folder, user }: Image): Promise<Check[]> {
  const { stdout } = await run('find', [folder, '-type', 'f', '-printf', '%s %U %m %P\n'], {
    maxBuffer: 64 * 1024 * 1024,
  })
  const files = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
  const bytes = files.reduce((sum, [size]) => sum + Number(size), 0)
  const unexpected = files.flatMap(([, owner, mode = '', ...path]) => {
    const name = path.join(' ')
    const foreign =
      /(^|\/)(sh|bash|npm|pnpm|apt|dpkg)$|\/(sandbox|testing|test|tests|e2e)\/|\.test\.\w+$|\.tsx?$/.test(
        name,
      )
    const writable = owner !== '0' || (Number.parseInt(mode, 8) % 8) & 2
    return foreign || writable ? [name] : []
  })
  const list = JSON.parse(await readFile(join(folder, 'srv/atrium/sbom.cdx.json'), 'utf8')) as {
    bomFormat: string
    components: unknown[]
  }
  const megabytes = Math.round(bytes / 1024 / 1024)
  return [
    {
      what: `${target}: at most ${mostMiB} MiB`,
      measured: `${megabytes} MiB in ${files.length} files`,
      holds: megabytes <= mostMiB,
    },
    {
      what: `${target}: an ordinary user, who can change no file; no shell, sources, tests or sandbox`,
      measured: `user ${user}${unexpected.length > 0 ? `; ${unexpected.slice(0, 5).join(', ')}` : ''}`,
      holds: user === '1000:1000' && unexpected.length === 0,
    },
    {
      what: `${target}: a list of its packages`,
      measured: `${list.bomFormat}, ${list.components.length} components`,
      holds: list.bomFormat === 'CycloneDX' && list.components.length > 20,
    },
  ]
}

/** Mounts the files read-only, for this process alone, and becomes the image's user there. */
const confined =
  'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec chroot --userspec="$1" "$0" "$2" "$3"'

interface Running extends AsyncDisposable {
  /** What it has printed. */
  readonly output: readonly string[]
  /** Resolves with the exit status. */
  readonly ended: Promise<number | null>
  stop(): void
}

function start(image: Image, env: Readonly<Record<string, string | undefined>>): Running {
  const child = spawn(
    'unshare',
    [
      ...['--mount', 'sh', '-c', confined, image.folder, image.user, '/usr/local/bin/node'],
      join(image.workdir, image.command[1] ?? ''),
    ],
    {
      env: {
        ...Object.fromEntries(image.env.map((line) => line.split(/=(.*)/s).slice(0, 2))),
        ...env,
        PATH: process.env.PATH,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text))
  const ended = new Promise<number | null>((done) => child.once('exit', done))
  return {
    output,
    ended,
    stop: () => void child.kill('SIGTERM'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function checkRuns(images: readonly Image[], commit: string): Promise<Check[]> {
  await using database = await startReplicated({ standby: false })
  const ports = { api: await freePort(), metrics: await freePort(), app: await freePort() }
  const origin = `http://localhost:${ports.app}`
  await using testApp = await startTestApp({
    accounts: database.accounts,
    provisioned: false,
    sandbox: { apps: { portal: { origin }, operator: { origin } } },
  })
  const imageOf = (target: Target) => {
    const image = images.find((one) => one.target === target)
    if (!image) throw new Error(`${target} was not built`)
    return image
  }
  await using migration = start(imageOf('database-tools'), {
    DATABASE_MIGRATION_URL: database.accounts.ownerUrl,
  })
  const status = await migration.ended
  const checks: Check[] = [
    {
      what: 'database-tools: migrates',
      measured: `status ${status}: ${migration.output.join('').trim()}`,
      holds: status === 0,
    },
  ]
  const apiUrl = `http://127.0.0.1:${ports.api}`
  await using api = start(imageOf('api'), {
    ...testApp.env,
    HOST: '127.0.0.1',
    PORT: String(ports.api),
    METRICS_PORT: String(ports.metrics),
    SHUTDOWN_DRAIN_SECONDS: '0.5',
  })
  await untilReady(api, apiUrl)
  const metrics = await (await fetch(`http://127.0.0.1:${ports.metrics}/metrics`)).text()
  checks.push({
    what: 'api: the metrics name version and commit',
    measured: /^build_info.*$/m.exec(metrics)?.[0] ?? 'no build_info',
    holds: metrics.includes(`commit="${commit}"`),
  })
  for (const app of ['portal', 'operator', 'booking'] as const) {
    await using server = start(imageOf(app), {
      HOST: '127.0.0.1',
      PORT: String(ports.app),
      PUBLIC_URL: origin,
      API_URL: apiUrl,
      SHUTDOWN_DRAIN_SECONDS: '0.5',
      ...(app === 'booking' ? { BOOKING_APP_SECRET: randomBytes(32).toString('base64') } : {}),
      ...(app === 'booking' ? {} : portalEnvironment(app, testApp)),
    })
    await untilReady(server, origin)
    const page = await fetch(`${origin}/`, { headers: { accept: 'text/html' } })
    checks.push(
      {
        what: `${app}: serves its pages`,
        measured: `${page.status}, ${(await page.text()).length} characters`,
        holds: page.status === 200,
      },
      await checkHealth(app, origin, commit),
      await checkStop(app, server),
    )
  }
  checks.push(await checkHealth('api', apiUrl, commit), await checkStop('api', api))
  return checks
}

function portalEnvironment(
  app: 'portal' | 'operator',
  { env, sandbox }: Awaited<ReturnType<typeof startTestApp>>,
): Record<string, string | undefined> {
  return {
    DATABASE_URL: env.DATABASE_URL,
    IDP_ISSUER: sandbox.issuers[app],
    OIDC_CLIENT_ID: demoClients[app].clientId,
    OIDC_CLIENT_SECRET: demoClients[app].clientSecret,
    ENCRYPTION_KEYS: `checked:${randomBytes(32).toString('base64')}`,
  }
}

async function untilReady(server: Running, url: string): Promise<void> {
  let status: number | null | undefined
  void server.ended.then((code) => {
    status = code
  })
  for (let tries = 0; tries < 600; tries++) {
    if (status !== undefined) break
    const response = await fetch(`${url}/health/ready`).catch(() => undefined)
    if (response?.status === 200) return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`not ready at ${url}, status ${status}:\n${server.output.join('').slice(-2_000)}`)
}

async function checkHealth(target: Target, url: string, commit: string): Promise<Check> {
  const found = (await (await fetch(`${url}/health`)).json()) as { commit?: string }
  return {
    what: `${target}: /health names the commit`,
    measured: JSON.stringify(found),
    holds: found.commit === commit,
  }
}

async function checkStop(target: Target, server: Running): Promise<Check> {
  server.stop()
  const status = await server.ended
  return { what: `${target}: ends on SIGTERM`, measured: `status ${status}`, holds: status === 0 }
}
