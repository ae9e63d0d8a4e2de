import type { Docker } from './docker.ts'
import type { Files } from './files.ts'
import { mergeSettings, parseSettings } from './settings.ts'

/**
 * The images of the example. One that `.env` names with the same tag keeps the digest that it was
 * pinned to.
 */
export function chooseImages(
  current: Readonly<Record<string, string>>,
  example: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(example)
      .filter(([name]) => name.endsWith('_IMAGE'))
      .map(([name, image]) => {
        const known = current[name]
        return [name, known !== undefined && known.split('@')[0] === image ? known : image]
      }),
  )
}

/** Fetches the images that `.env` names, also the one on which those of Atrium are built. */
export async function pullImages(files: Files, docker: Docker): Promise<void> {
  await docker.compose(['pull', '--ignore-buildable'])
  const { NODE_IMAGE } = parseSettings((await files.read('.env')) ?? '')
  if (NODE_IMAGE) await docker.pull(NODE_IMAGE)
}

/**
 * Writes the digest of each pulled image into `.env`, so that every later start runs the same
 * content, whatever the registry does to the tag.
 */
export async function pinImages(files: Files, docker: Docker): Promise<void> {
  const images = Object.entries(parseSettings((await files.read('.env')) ?? '')).filter(
    ([name, image]) => name.endsWith('_IMAGE') && !image.includes('@'),
  )
  const pinned: Record<string, string> = {}
  for (const [name, image] of images) {
    const digest = (await docker.imageDigest(image))?.split('@')[1]
    if (digest) pinned[name] = `${image}@${digest}`
  }
  if (Object.keys(pinned).length > 0) await mergeSettings(files, '.env', pinned)
}
