import type { ServerResponse } from 'node:http'

/**
 * Answers that last until somebody leaves: server-sent events. A stop must not wait for their
 * readers, who connect again elsewhere.
 */
export interface OpenStreams {
  /**
   * Notes an answer of Node's server until it is over; without one, as in tests, there is no
   * connection to cut.
   */
  add(outgoing: ServerResponse | undefined): void
  /** Ends their connections, so that readers notice and connect again. */
  cut(): void
}

export function createOpenStreams(): OpenStreams {
  const open = new Set<ServerResponse>()
  return {
    add(outgoing) {
      if (!outgoing) return
      open.add(outgoing)
      outgoing.once('close', () => open.delete(outgoing))
    },
    cut() {
      for (const outgoing of open) outgoing.destroy()
    },
  }
}
