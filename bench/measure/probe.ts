/**
 * Loaded with `--import` into every measured process, product and peer alike: reports what the
 * process has used so far.
 */
export interface Usage {
  /** User and system time of the whole process, in microseconds. */
  cpuMicros: number
}

process.on('message', (message) => {
  if (message !== 'usage') return
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMicros: user + system } satisfies Usage)
})
