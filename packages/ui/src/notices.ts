/** Whether there was anything to say yet: the stack of notices is loaded with the first one. */
let wanted = false
const listeners = new Set<() => void>()

export const notices = {
  wanted: () => wanted,
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  want(): void {
    if (wanted) return
    wanted = true
    for (const listener of listeners) listener()
  },
}
