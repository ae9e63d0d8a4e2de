/** Whether there was anything to say yet: the stack of notices is loaded with the first one. */
let requested = false
const listeners = new Set<() => void>()

export const notices = {
  requested: () => requested,
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  want(): void {
    if (requested) return
    requested = true
    for (const listener of listeners) listener()
  },
}
