import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { dnsResolver } from '@atrium/integrations/dns/resolver'
import { type Sandbox, startSandbox } from '@atrium/sandbox/start'
import { type Answers, readAnswers } from '../src/answers.ts'
import type { SetupContext } from '../src/context.ts'
import type { Docker } from '../src/docker.ts'
import type { Files } from '../src/files.ts'
import { namesOf } from '../src/names.ts'

export const deploy = join(import.meta.dirname, '../../../deploy')

export const answers = readAnswers({
  domain: 'workplace.test',
  operator: { email: 'Olga@Workplace.test', name: 'Olga Operator' },
  addresses: { ipv4: '192.0.2.10' },
})

/** Files in memory. */
export function memoryFiles(content = new Map<string, string>()): Files & {
  content: Map<string, string>
} {
  return {
    content,
    read: async (path) => content.get(path),
    exists: async (path) => content.has(path),
    async write(path, text) {
      const changed = content.get(path) !== text
      content.set(path, text)
      return changed
    },
  }
}

export interface Workplace {
  sandbox: Sandbox
  files: ReturnType<typeof memoryFiles>
  /** What Docker was asked for, in order. */
  commands: string[]
  said: string[]
  context: SetupContext
  /** Publishes what the set-up asks for. */
  publish(): void
  close(): Promise<void>
}

/** New servers, and a Docker that starts and restarts them. */
export async function startWorkplace(
  changed: Partial<Answers> = {},
  docker: Partial<Docker> = {},
): Promise<Workplace> {
  const chosen = { ...answers, ...changed }
  const names = namesOf(chosen)
  const recoveryAdmin = { username: 'setup', password: '' }
  const sandbox = await startSandbox({
    seed: 'empty',
    mail: { recoveryAdmin, hostname: names.mail, dkimDelayMs: 5, failedLoginDelayMs: [0, 0] },
    files: { fresh: true },
  })
  // As AUTHENTIK_BOOTSTRAP_TOKEN does at the first start.
  const files = memoryFiles(
    new Map([['secrets/authentik-setup-token', demoServiceCredentials.identityAdminToken]]),
  )
  const commands: string[] = []
  const said: string[] = []
  const workplace: Workplace = {
    sandbox,
    files,
    commands,
    said,
    publish() {
      sandbox.dns.zones.put(
        chosen.domain,
        Object.entries(names)
          .filter(([part]) => !part.endsWith('Domain'))
          .map(([, name]) => ({ name, type: 'A', value: '192.0.2.10' })),
      )
    },
    close: () => sandbox.close(),
    context: {
      answers: chosen,
      names,
      files,
      docker: {
        async compose(args, environment) {
          commands.push(args.join(' '))
          if (!args.includes('stalwart')) return
          const login = environment?.STALWART_RECOVERY_ADMIN?.split(':')
          if (login) recoveryAdmin.password = login[1] ?? ''
          else sandbox.mail.restart()
        },
        async pull(image) {
          commands.push(`pull ${image}`)
        },
        async exec(service, command) {
          commands.push(`exec ${service} ${command.join(' ')}`)
          if (service === 'caddy') return 'yes\n'
          const username = command[command.indexOf('--user-name') + 1] ?? ''
          const token = sandbox.files.createAppToken(username, 3_600_000)
          return token ? `App token created for ${username}\n token: ${token}\n` : ''
        },
        composeVersion: async () => '2.39.4',
        imageDigest: async (image) => `${image.split(':')[0]}@sha256:${'0'.repeat(64)}`,
        ...docker,
      },
      resolver: dnsResolver({ servers: [sandbox.dnsServer] }),
      commit: 'c0ffee',
      addresses: chosen.addresses ?? {},
      endpoints: {
        identity: sandbox.identityUrl,
        mail: sandbox.mailUrl,
        files: sandbox.filesUrl,
      },
      readAsset: (path) => readFile(join(deploy, path), 'utf8'),
      say: (line) => said.push(line),
      // Waits that end well end as soon as they can; those that do not are shortened by their
      // tests.
      patience: { timeoutMs: 20_000, intervalMs: 10, dnsTimeoutMs: 60_000 },
    },
  }
  return workplace
}
