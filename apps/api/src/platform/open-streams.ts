import type { ServerResponse } from 'node:http'

/**
 * Responses that last until the client leaves: server-sent events. A stop must not wait for their
 * readers, who reconnect elsewhere.
 */
export interface OpenStreams {
  /**
   * Tracks a response of Node's server until it ends; without one, as in tests, there is no
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
