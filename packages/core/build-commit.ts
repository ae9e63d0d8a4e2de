import { execFileSync } from 'node:child_process'

/**
 * What Vite's `define` has to replace so that a build knows its commit: `ATRIUM_COMMIT` of the
 * environment, which the Dockerfile sets because images are built without the history, or the
 * checkout's. `unknown` where there is neither.
 */
export function builtFrom(): { ATRIUM_BUILD_COMMIT: string } {
  return { ATRIUM_BUILD_COMMIT: JSON.stringify(process.env.ATRIUM_COMMIT || checkedOut()) }
}

function checkedOut(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return 'unknown'
  }
}
