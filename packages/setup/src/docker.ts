import { spawn } from 'node:child_process'

/** What setup asks of Docker. Every call rejects with an Error that names the command. */
export interface Docker {
  /** `docker compose …` in the folder of compose.yaml; its output goes to the person. */
  compose(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<void>
  /** Fetches an image that no service names. */
  pull(image: string): Promise<void>
  /** The output of a command in a container that runs. */
  exec(service: string, command: readonly string[]): Promise<string>
  /** Version of Compose, such as `2.39.4`. */
  composeVersion(): Promise<string>
  /** `name@sha256:…` of a pulled image; undefined for one that is absent or was built here. */
  imageDigest(image: string): Promise<string | undefined>
}

interface Run {
  args: readonly string[]
  folder: string
  environment?: Readonly<Record<string, string>> | undefined
  /** Whether the output is returned; otherwise the person sees it. */
  capture: boolean
}

function run({ args, folder, environment, capture }: Run): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('docker', args, {
      cwd: folder,
      env: { ...process.env, ...environment },
      stdio: ['ignore', capture ? 'pipe' : 'inherit', 'inherit'],
    })
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.on('error', (error) => {
      const missing = 'code' in error && error.code === 'ENOENT'
      reject(
        missing
          ? new Error('Docker is not installed: https://docs.docker.com/engine/install')
          : error,
      )
    })
    child.on('close', (status) => {
      if (status === 0) resolve(output)
      else reject(new Error(`docker ${args.slice(0, 3).join(' ')} … ended with status ${status}`))
    })
  })
}

/** Docker of this machine. */
export function dockerOf(folder: string): Docker {
  return {
    async compose(args, environment) {
      await run({ args: ['compose', ...args], folder, environment, capture: false })
    },
    async pull(image) {
      await run({ args: ['pull', '--quiet', image], folder, capture: false })
    },
    exec: (service, command) =>
      run({ args: ['compose', 'exec', '-T', service, ...command], folder, capture: true }),
    composeVersion: async () =>
      (await run({ args: ['compose', 'version', '--short'], folder, capture: true })).trim(),
    async imageDigest(image) {
      const present = ['image', 'ls', '--quiet', image]
      if ((await run({ args: present, folder, capture: true })).trim() === '') return undefined
      const format = '{{range .RepoDigests}}{{println .}}{{end}}'
      const args = ['image', 'inspect', '--format', format, image]
      return (await run({ args, folder, capture: true })).trim().split('\n').find(Boolean)
    },
  }
}
