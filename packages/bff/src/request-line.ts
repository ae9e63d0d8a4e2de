/** Probes and assets that succeed are logged for debugging alone. */
export function logLevelOf(path: string, failed: boolean): 'error' | 'debug' | 'info' {
  if (failed) return 'error'
  return /^\/health(\/ready)?$/.test(path) || path.startsWith('/assets/') ? 'debug' : 'info'
}
