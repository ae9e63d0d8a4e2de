import { randomUUID } from 'node:crypto'

/** The id that the caller gave the request, when it is valid; else a new one. */
export function requestIdOf(provided: string | undefined): string {
  return provided && /^[A-Za-z0-9._:@-]{8,128}$/.test(provided) ? provided : randomUUID()
}

/** Probes and assets that succeed are logged for debugging alone. */
export function logLevelOf(path: string, failed: boolean): 'error' | 'debug' | 'info' {
  if (failed) return 'error'
  return /^\/health(\/ready)?$/.test(path) || path.startsWith('/assets/') ? 'debug' : 'info'
}
