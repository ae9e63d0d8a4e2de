import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { settingNames } from '@atrium/core/platform/settings'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../src/platform/config.ts'

const root = join(import.meta.dirname, '../../..')
const deploy = join(root, 'deploy')
const read = (path: string) => readFile(join(root, path), 'utf8')

/** Names that a schema of settings or a look at the environment holds. */
async function variablesOf(...files: string[]): Promise<Set<string>> {
  const names = new Set<string>()
  for (const file of files) {
    const text = await read(file)
    for (const [, name = ''] of text.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)) names.add(name)
    for (const [, name = ''] of text.matchAll(/process\.env\.([A-Z][A-Z0-9_]+)/g)) names.add(name)
  }
  return names
}

/** Names that an example sets or shows commented out. */
async function namedBy(file: string): Promise<Set<string>> {
  return new Set(
    [...(await read(file)).matchAll(/^(?:# )?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name),
  )
}

const apps = {
  api: [
    'apps/api/src/platform/config.ts',
    'apps/api/src/platform/seller.ts',
    'apps/api/src/platform/bookkeeping-settings.ts',
    'apps/api/src/migrate.ts',
    'apps/api/src/identity-setup.ts',
    'packages/db/src/server/backup-command.ts',
  ],
  portal: ['packages/bff/src/config.ts'],
  operator: ['packages/bff/src/config.ts'],
  booking: ['apps/booking/src/config.ts'],
}

describe('settings', () => {
  it.each(Object.entries(apps))(
    'of %s stand in its example, each and no other',
    async (app, files) => {
      const inCode = await variablesOf(...files)
      expect(inCode.size).toBeGreaterThan(6)
      expect([...(await namedBy(`deploy/env/${app}.env.example`))].sort()).toEqual(
        [...inCode].sort(),
      )
    },
  )

  it('are all described in docs/how-to/operate.md, and no other is', async () => {
    const inCode = await variablesOf(...Object.values(apps).flat())
    const rows = (await read('docs/how-to/operate.md'))
      .split('\n')
      .filter((line) => /^\| `[A-Z]/.test(line))
    const described = new Set(
      rows.flatMap((row) =>
        [...(row.split('|')[1] ?? '').matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(
          ([, name = '']) => name,
        ),
      ),
    )
    expect([...described].sort()).toEqual([...inCode].sort())
  })

  it('of no other name are read anywhere in the services', async () => {
    const known = await variablesOf(...Object.values(apps).flat())
    const folders = ['apps', 'packages'].map(async (parent) =>
      (await readdir(join(root, parent))).map((name) => join(parent, name, 'src')),
    )
    const services = (await Promise.all(folders))
      .flat()
      .filter((path) => !/sandbox|testing/.test(path) && existsSync(join(root, path)))
    let looked = 0
    for (const folder of services) {
      for (const name of await readdir(join(root, folder), { recursive: true })) {
        if (!/\.tsx?$/.test(name)) continue
        looked++
        for (const [, variable = ''] of (await read(join(folder, name))).matchAll(
          /process\.env\.([A-Z][A-Z0-9_]+)/g,
        ))
          expect(known, join(folder, name)).toContain(variable)
      }
    }
    expect(looked).toBeGreaterThan(500)
  })

  it('of the example are taken by the service once the placeholders are filled in', async () => {
    const set = [
      ...(await read('deploy/env/api.env.example')).matchAll(/^([A-Z][A-Z0-9_]+)=(.*)$/gm),
    ]
    const filled = (value: string) =>
      value
        .replaceAll('example.com', 'atrium.test')
        .replaceAll('change-me', randomBytes(24).toString('hex'))
    const env = Object.fromEntries(set.map(([, name = '', value = '']) => [name, filled(value)]))
    env.ENCRYPTION_KEYS = `first:${randomBytes(32).toString('base64')}`
    expect(() => readConfig({ ...env, NODE_ENV: 'production' })).not.toThrow()
  })

  it('are all names that every program knows, so that it can tell a misspelt one', async () => {
    const inCode = await variablesOf(...Object.values(apps).flat())
    expect(settingNames).toEqual(expect.arrayContaining([...inCode]))
    const foreign = settingNames.filter(
      (name) => !inCode.has(name) && !/^(ATRIUM_|NODE_ENV$)/.test(name),
    )
    expect(foreign).toEqual([])
  })
})

interface Service {
  image?: string
  build?: { context: string; dockerfile: string; target?: string }
  command?: string | string[]
  user?: string
  secrets?: (string | { source: string; target: string })[]
  volumes?: string[]
  networks?: string[] | Record<string, unknown>
  depends_on?: Record<string, { condition: string; required?: boolean }>
  configs?: unknown[]
  ports?: string[]
  profiles?: string[]
  read_only?: boolean
  environment?: Record<string, string>
  healthcheck?: unknown
  logging?: { options: Record<string, string> }
  mem_limit?: string
}
interface Compose {
  services: Record<string, Service>
  networks: Record<string, { internal?: boolean }>
  volumes: Record<string, unknown>
  secrets: Record<string, { file: string }>
}

const load = async () => parse(await read('deploy/compose.yaml'), { merge: true }) as Compose
const networksOf = ({ networks = [] }: Service) =>
  Array.isArray(networks) ? networks : Object.keys(networks)

describe('compose.yaml', () => {
  it('names files, targets, networks, volumes, secrets and services that exist', async () => {
    const { services, networks, volumes, secrets } = await load()
    expect(Object.keys(services).length).toBeGreaterThan(15)
    const dockerfile = await read('deploy/Dockerfile')
    for (const [name, service] of Object.entries(services)) {
      if (service.build) {
        const context = resolve(deploy, service.build.context)
        expect(existsSync(resolve(context, service.build.dockerfile)), name).toBe(true)
        if (service.build.target)
          expect(dockerfile, name).toMatch(new RegExp(`^FROM .* AS ${service.build.target}$`, 'm'))
      }
      for (const network of networksOf(service))
        expect(Object.keys(networks), name).toContain(network)
      for (const other of Object.keys(service.depends_on ?? {}))
        expect(Object.keys(services), name).toContain(other)
      for (const secret of service.secrets ?? [])
        expect(Object.keys(secrets), name).toContain(
          typeof secret === 'string' ? secret : secret.source,
        )
      for (const volume of service.volumes ?? []) {
        const [from = ''] = volume.split(':')
        if (from.startsWith('.')) expect(existsSync(join(deploy, from)), volume).toBe(true)
        else if (/^\w/.test(from)) expect(Object.keys(volumes), name).toContain(from)
      }
    }
    const used = new Set(
      Object.values(services).flatMap(({ secrets: own = [] }) =>
        own.map((secret) => (typeof secret === 'string' ? secret : secret.source)),
      ),
    )
    expect(Object.keys(secrets).sort()).toEqual([...used].sort())
  })

  it('opens the ports of the proxy and of mail to the world, and no other', async () => {
    const { services } = await load()
    const open = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.filter((port) => !port.startsWith('127.0.0.1:')).map((port) => `${name} ${port}`),
    )
    expect(open.sort()).toEqual([
      'caddy 443:443',
      'caddy 443:443/udp',
      'caddy 80:80',
      'stalwart 25:25',
      'stalwart 465:465',
      'stalwart 993:993',
    ])
  })

  it('keeps the database away from the world and from parts that do not ask it', async () => {
    const { services, networks } = await load()
    expect(networks.database).toEqual({ internal: true })
    expect(networks.inside).toEqual({ internal: true })
    const near = Object.entries(services)
      .filter(([, service]) => networksOf(service).includes('database'))
      .map(([name]) => name)
    expect(near.sort()).toEqual([
      'api',
      'authentik-server',
      'authentik-worker',
      'migrate',
      'operator',
      'pgbouncer',
      'portal',
      'postgres',
      'stalwart',
    ])
    for (const outside of ['outside', 'inside'])
      expect(networksOf(services.postgres ?? {})).not.toContain(outside)
  })

  it('gives the proxy volumes that it may write, and addresses to a part that may take them', async () => {
    const { services } = await load()
    // Docker would copy the folder of the image into a new volume, with root as its owner.
    const kept = services.caddy?.volumes?.filter((volume) => volume.startsWith('caddy-'))
    expect(kept).toEqual(['caddy-data:/data:nocopy', 'caddy-config:/config:nocopy'])
    // Compose writes a config into the container, which a read-only one rejects.
    const taking = Object.values(services).filter(({ configs }) => configs)
    expect(taking.map(({ read_only }) => read_only)).toEqual([false])
  })

  it('starts the pooler, where it is asked for, before the programs that connect to it', async () => {
    const { services } = await load()
    expect(services.api?.depends_on?.pgbouncer).toEqual({
      condition: 'service_healthy',
      required: false,
    })
    for (const name of ['portal', 'operator', 'booking'])
      expect(services[name]?.depends_on, name).toHaveProperty('api')
  })

  it('bounds the memory and the log of every part', async () => {
    for (const [name, service] of Object.entries((await load()).services)) {
      expect(service.mem_limit, name).toMatch(/^\d+[mg]$/)
      expect(service.logging?.options['max-size'], name).toMatch(/^\d+m$/)
    }
  })

  it('starts a part once those it needs are healthy', async () => {
    const { services } = await load()
    const oneShot = ['migrate', 'volume-owners']
    for (const [name, service] of Object.entries(services))
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(condition, `${name} after ${other}`).toBe(
          oneShot.includes(other) ? 'service_completed_successfully' : 'service_healthy',
        )
        // The images' own checks do not survive every format.
        if (!oneShot.includes(other)) expect(services[other]?.healthcheck, other).toBeDefined()
      }
  })

  it('holds no secret: each is a file that its own containers see', async () => {
    const { services, secrets } = await load()
    for (const [name, { file }] of Object.entries(secrets)) expect(file).toBe(`secrets/${name}`)
    for (const [name, { environment = {} }] of Object.entries(services))
      for (const [variable, value] of Object.entries(environment))
        if (/(PASSWORD|SECRET|TOKEN|_KEY)(__?FILE)?$/.test(variable))
          expect(value, `${name} ${variable}`).toMatch(/^(file:\/\/)?\/run\/secrets\//)
    expect(await read('.gitignore')).toMatch(/^\/?deploy\/secrets\/?$/m)
  })

  it('runs the programs that the images run, with their settings as a file', async () => {
    const { services } = await load()
    const stages = (await read('deploy/Dockerfile')).split(/^FROM /m)
    for (const name of ['api', 'portal', 'operator', 'booking', 'migrate']) {
      const { command = [], build, read_only } = services[name] ?? {}
      expect(read_only, name).toBe(true)
      const stage = stages.find((text) => new RegExp(` AS ${build?.target}\n`).test(text)) ?? ''
      const [, script] = /^CMD \["node", "([^"]+)"\]$/m.exec(stage) ?? []
      expect(command, name).toEqual(['node', `--env-file=/run/secrets/${name}.env`, script])
    }
  })

  it('gives OpenCloud the settings of docs/how-to/operate.md, and pages that may reach the identity provider', async () => {
    const { environment = {}, volumes = [] } = (await load()).services.opencloud ?? {}
    const [, section = ''] =
      /^## OpenCloud\n([\s\S]*?)\n## /m.exec(await read('docs/how-to/operate.md')) ?? []
    const settings = section.split('\n').flatMap((line) => line.split('|')[2] ?? [])
    const named = settings.flatMap((cell) =>
      [...cell.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name = '']) => name),
    )
    expect(named.length).toBeGreaterThan(7)
    expect(Object.keys(environment)).toEqual(expect.arrayContaining(named))
    expect(environment).toMatchObject({
      OC_EXCLUDE_RUN_SERVICES: 'idp',
      PROXY_USER_OIDC_CLAIM: 'preferred_username',
      PROXY_USER_CS3_CLAIM: 'username',
      PROXY_AUTOPROVISION_ACCOUNTS: 'true',
      GRAPH_USERNAME_MATCH: 'none',
    })
    expect(environment.OC_OIDC_ISSUER).toMatch(/^https:\/\/.*\/$/)
    const blueprint = await read('deploy/authentik/opencloud.yaml')
    expect(blueprint).toContain(`client_id: ${environment.OC_OIDC_CLIENT_ID}`)
    expect(blueprint).toContain(`slug: ${environment.OC_OIDC_ISSUER?.split('/').at(-2)}`)
    const { directives } = parse(await read('deploy/opencloud-csp.yaml')) as {
      directives: Record<string, string[]>
    }
    expect(directives['connect-src']?.join(' ')).toContain('IDP_DOMAIN')
    expect(volumes.join(' ')).toContain(
      `./opencloud-csp.yaml:${environment.PROXY_CSP_CONFIG_FILE_LOCATION}:`,
    )
  })

  it('gives PgBouncer the settings of docs/how-to/operate.md', async () => {
    const [, wanted = ''] =
      /^### A transaction pooler\n[\s\S]*?\n\n((?: {4}\w+ = \w+\n)+)/m.exec(
        await read('docs/how-to/operate.md'),
      ) ?? []
    const settings = wanted.trim().split(/\s*\n\s*/)
    expect(settings.length).toBeGreaterThan(2)
    const given = (await read('deploy/pgbouncer.ini')).split('\n')
    expect(given).toEqual(expect.arrayContaining(settings))
  })

  it('pins every image', async () => {
    const example = await read('deploy/.env.example')
    const images = [...example.matchAll(/^\w+_IMAGE=\S+:v?(\S+)$/gm)].map(([, tag]) => tag)
    expect(images).toHaveLength(12)
    for (const tag of images) expect(tag).toMatch(/^\d+\.\d+(\.\d+)?(-[\w-]+)?$/)
    const [, node] = /^ARG NODE_IMAGE=(\S+)$/m.exec(await read('deploy/Dockerfile')) ?? []
    expect(example).toContain(`\nNODE_IMAGE=${node}\n`)
    for (const [name, { image, build }] of Object.entries((await load()).services))
      if (!build) expect(image, name).toMatch(/^\$\{\w+_IMAGE:\?\}$/)
  })

  it('asks for the variables of .env.example, each and no other, and does not start without', async () => {
    const text = (await read('deploy/compose.yaml')).replaceAll('$$', '')
    const asked = new Set([...text.matchAll(/\$\{([A-Z0-9_]+):\?\}/g)].map(([, name = '']) => name))
    const others = new Set([...text.matchAll(/\$\{(\w+)(?!\w|:\?)/g)].map(([, name]) => name))
    // Named by setup for one command each.
    expect([...others].sort()).toEqual(['ATRIUM_COMMIT', 'STALWART_RECOVERY_ADMIN'])
    expect([...(await namedBy('deploy/.env.example'))].sort()).toEqual(
      // Read by Docker Compose itself.
      [...asked, 'COMPOSE_PROFILES'].sort(),
    )
  })
})

const compose = (...args: string[]) =>
  spawnSync('docker', ['compose', '--env-file', '.env.example', ...args], { cwd: deploy })

describe.runIf(compose('version').status === 0)('Docker Compose', () => {
  it('takes compose.yaml with every profile, and not without its variables', () => {
    const { status, stderr } = compose('--profile', '*', 'config', '--quiet')
    expect(stderr.toString()).toBe('')
    expect(status).toBe(0)
    const bare = spawnSync('docker', ['compose', '--env-file', '/dev/null', 'config', '--quiet'], {
      cwd: deploy,
    })
    expect(bare.stderr.toString()).toMatch(/required variable \w+ is missing/)
  })
})

describe('the Patroni cluster', () => {
  it('keeps the rules about times that it names, and HAProxy knows its servers', async () => {
    const { bootstrap, etcd3 } = parse(await read('deploy/patroni/patroni.yml'))
    const { ttl, loop_wait, retry_timeout, synchronous_mode, postgresql } = bootstrap.dcs
    expect(synchronous_mode).toBe(true)
    expect(loop_wait + 2 * retry_timeout).toBeLessThanOrEqual(ttl)
    // A commit that waits for a standby must not reach the time limit of statements.
    const limit = /max: poolSize.*statement_timeout: (\d+)_000/.exec(
      await read('packages/db/src/platform/connect.ts'),
    )
    const waits = Number.parseInt(postgresql.parameters.wal_sender_timeout, 10) + loop_wait
    expect(waits).toBeLessThan(Number(limit?.[1]))
    const servers = [
      ...(await read('deploy/patroni/haproxy.cfg')).matchAll(/^ {2}server \S+ (\S+):5432$/gm),
    ].map(([, host]) => host)
    expect(servers).toHaveLength(3)
    expect(etcd3.hosts).toBe(servers.map((host) => `${host}:2379`).join(','))
  })
})

describe('the Caddyfile', () => {
  it('serves each host of .env, and leads to services and ports that exist', async () => {
    const text = await read('deploy/Caddyfile')
    const hosts = [...text.matchAll(/^\{\$(\w+)\} \{$/gm)].map(([, name = '']) => name)
    const named = [...(await namedBy('deploy/.env.example'))].filter((name) =>
      name.endsWith('_HOST'),
    )
    expect(hosts.sort()).toEqual(named.sort())
    const { services } = await load()
    const targets = [...text.matchAll(/reverse_proxy (\S+):(\d+)/g)]
    expect(targets).toHaveLength(hosts.length)
    for (const [, name = '', port] of targets) {
      expect(Object.keys(services)).toContain(name)
      const own = services[name]?.environment?.PORT
      if (own) expect(port, name).toBe(own)
    }
    expect(Object.keys(services.caddy?.environment ?? {})).toEqual(expect.arrayContaining(named))
  })

  it.runIf(existsSync('/usr/bin/caddy'))('holds before Caddy itself', async () => {
    const env = Object.fromEntries(
      [...(await namedBy('deploy/.env.example'))].map((name) => [
        name,
        `${name.toLowerCase().replace('_', '-')}.atrium.test`,
      ]),
    )
    const { stderr } = await promisify(execFile)(
      '/usr/bin/caddy',
      ['adapt', '--adapter', 'caddyfile', '--config', join(deploy, 'Caddyfile'), '--validate'],
      { env: { ...process.env, ...env, ACME_EMAIL: 'admin@atrium.test', HOME: tmpdir() } },
    )
    expect(stderr).not.toMatch(/"level":"(error|fatal)"/)
  })
})

describe('the Dockerfile', () => {
  it('copies what exists, starts files that exist, and never as root', async () => {
    const text = await read('deploy/Dockerfile')
    const stages = text.split(/^FROM /m).slice(1)
    const built = stages.filter((stage) => /^\S+ AS (api|portal|operator|booking)\n/.test(stage))
    expect(built).toHaveLength(4)
    const base = stages.find((stage) => stage.startsWith('scratch AS base\n'))
    // By number: Kubernetes does not know the names in an image.
    expect(base).toMatch(/^USER 1000:1000$/m)
    for (const stage of built) {
      expect(stage).toMatch(/^base AS /)
      expect(stage).not.toMatch(/^USER /m)
      const [, script = ''] = /^CMD \["node", "([^"]+)"\]$/m.exec(stage) ?? []
      // What the build makes is not there before it.
      const source = script.replace(/\/dist(-server)?\/(\w+)\.js$/, '/src/$2.ts')
      expect(existsSync(join(root, source)), script).toBe(true)
    }
    for (const [, app = ''] of text.matchAll(/--filter "@atrium\/(\w+)\.\.\."/g))
      expect(existsSync(join(root, 'apps', app))).toBe(true)
    const { devDependencies } = JSON.parse(await read('package.json')) as {
      devDependencies: Record<string, string>
    }
    expect(devDependencies.node).toBe('catalog:')
    const [, version] = /^ {2}node: (\d\S+)$/m.exec(await read('pnpm-workspace.yaml')) ?? []
    expect(text).toContain(`node:${version}-`)
  })
})

describe('the Helm chart', () => {
  it('has ports, images and settings of programs that exist', async () => {
    const ports = [
      ...(await read('deploy/helm/templates/_parts.tpl')).matchAll(/"(\w+)" (\d{4})/g),
    ].map(([, app = '', port]) => [app, port] as const)
    expect(ports.map(([app]) => app)).toEqual(Object.keys(apps))
    const dockerfile = await read('deploy/Dockerfile')
    for (const [app, port] of ports) {
      expect(dockerfile).toMatch(new RegExp(`AS ${app}\\n[\\s\\S]*?EXPOSE ${port}\\b`))
    }
    expect(dockerfile).toMatch(/ AS database-tools$/m)
    const { settings } = parse(await read('deploy/helm/examples/values.yaml')) as {
      settings: Record<string, Record<string, string>>
    }
    for (const [app, files] of Object.entries(apps)) {
      const known = await variablesOf(...files)
      for (const name of Object.keys(settings[app] ?? {})) expect(known, app).toContain(name)
    }
    expect(Object.keys(settings.api ?? {}).length).toBeGreaterThan(5)
  })
})

describe('systemd units', () => {
  const folder = join(deploy, 'systemd')

  it('start files that exist, give a stop more time than the service takes, and run hardened', async () => {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.service'))
    expect(names.length).toBeGreaterThan(5)
    const { shutdownGraceSeconds, shutdownDrainSeconds } = readConfig({
      DATABASE_URL: 'postgres://a@b/c',
      IDP_ISSUER: 'https://a/',
      IDP_AUDIENCE: 'a',
    })
    for (const name of names) {
      const text = await readFile(join(folder, name), 'utf8')
      const scripts = [...text.matchAll(/^ExecStart=\/usr\/bin\/node (\S+)/gm)].map(
        ([, script = '']) => script,
      )
      expect(scripts.length, name).toBeGreaterThan(0)
      for (const script of scripts)
        expect(
          existsSync(join(root, script.replace('/dist/main.js', '/src/main.ts'))),
          script,
        ).toBe(true)
      for (const line of [
        'NoNewPrivileges=yes',
        'ProtectSystem=strict',
        'ProtectHome=yes',
        'CapabilityBoundingSet=',
      ])
        expect(text, name).toContain(line)
      const [, env] = /^EnvironmentFile=\/etc\/atrium\/(\w+)\.env$/m.exec(text) ?? []
      expect(env, name).toBeDefined()
      if (text.includes('Type=oneshot')) continue
      expect(text, name).toMatch(/^DynamicUser=yes$/m)
      expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1]), name).toBeGreaterThan(
        shutdownGraceSeconds + shutdownDrainSeconds,
      )
    }
  })

  it.runIf(existsSync('/usr/bin/systemd-analyze'))('hold before systemd itself', async () => {
    const copies = await mkdtemp(join(tmpdir(), 'atrium-units-'))
    try {
      const paths: string[] = []
      for (const name of await readdir(folder)) {
        const text = await readFile(join(folder, name), 'utf8')
        // The unit names where Node is on a server; here it may be elsewhere.
        const path = join(copies, name.replace('@', '@4000'))
        await writeFile(path, text.replaceAll('/usr/bin/node', process.execPath))
        paths.push(path)
      }
      const { stderr } = await promisify(execFile)('/usr/bin/systemd-analyze', [
        'verify',
        '--man=no',
        ...paths,
      ]).catch((failure: { stderr: string }) => failure)
      expect(
        stderr.split('\n').filter((line) => line.includes(copies) || line.includes('atrium-')),
      ).toEqual([])
    } finally {
      await rm(copies, { recursive: true })
    }
  })
})
