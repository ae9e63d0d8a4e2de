import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Where Debian keeps the certificates of its authorities. */
const authorities = 'etc/ssl/certs/ca-certificates.crt'

/**
 * An image that can take the place of Docker's `node:…-bookworm-slim` where no registry can be
 * reached: Debian by debootstrap, with the Node that runs this, and npm. Returns its name; made
 * once.
 */
export async function prepareNodeImage(): Promise<string> {
  const name = `localhost/atrium-node:${process.versions.node}`
  const there = await run('buildah', ['inspect', '--type', 'image', name]).catch(() => undefined)
  if (there) return name
  process.stderr.write('making a base image with debootstrap\n')
  const folder = await mkdtemp(join(tmpdir(), 'atrium-node-image-'))
  const quiet = { maxBuffer: 64 * 1024 * 1024 }
  try {
    await run(
      'debootstrap',
      [
        ...['--variant=minbase', '--include=ca-certificates,libatomic1,libstdc++6'],
        ...['bookworm', folder],
      ],
      quiet,
    )
    await mkdir(join(folder, 'usr/local/bin'), { recursive: true })
    await copyFile(process.execPath, join(folder, 'usr/local/bin/node'))
    await run(
      'npm',
      ['install', '--global', '--prefix', join(folder, 'usr/local'), 'npm@11'],
      quiet,
    )
    // A network of one's own may have an authority of its own.
    const own = process.env.NODE_EXTRA_CA_CERTS
    if (own) await copyFile(own, join(folder, authorities))
    const container = (await run('buildah', ['from', 'scratch'])).stdout.trim()
    await run('buildah', ['copy', '--quiet', container, folder, '/'], quiet)
    if (own) {
      const settings = [`NODE_EXTRA_CA_CERTS=/${authorities}`, `npm_config_cafile=/${authorities}`]
      await run('buildah', [
        ...['config', ...settings.flatMap((setting) => ['--env', setting])],
        container,
      ])
    }
    await run('buildah', ['commit', '--quiet', '--rm', container, name], quiet)
    return name
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
