/** A question to the person, which calls wait for. */
export interface SignInQuestion {
  /** Why: the server's sentence. */
  message: string
}

/**
 * Calls that were rejected because the sign-in is too old (RFC 9470), and the one dialog in which
 * the person signs in again for all of them.
 */
export interface RecentSignIn {
  /** Resolves once the person has signed in again (true) or wants to leave it (false). */
  ask(message: string): Promise<boolean>
  complete(confirmed: boolean): void
  question(): SignInQuestion | undefined
  /**
   * Calls the listener whenever a request to sign in again appears or ends; returns a function to
   * stop.
   */
  subscribe(listener: () => void): () => void
}

export function createRecentSignIn(): RecentSignIn {
  const listeners = new Set<() => void>()
  let question: SignInQuestion | undefined
  let waiting: ((confirmed: boolean) => void)[] = []
  const tell = () => {
    for (const listener of listeners) listener()
  }
  return {
    ask(message) {
      return new Promise((resolve) => {
        waiting.push(resolve)
        if (question) return
        question = { message }
        tell()
      })
    },
    complete(confirmed) {
      const answered = waiting
      waiting = []
      question = undefined
      for (const resolve of answered) resolve(confirmed)
      tell()
    },
    question: () => question,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The question of this page: its tRPC client asks it, and AppProvider shows it. */
export const recentSignIn = createRecentSignIn()

/**
 * Escape leaves the question alone. Dialogs listen on the window, the ones that opened first hear
 * it first, and those below the question, whose forms are to stay as they are, would close. This
 * module is loaded before any of them opens.
 */
if (typeof window !== 'undefined') {
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || event.isComposing || !recentSignIn.question()) return
      event.stopImmediatePropagation()
      recentSignIn.complete(false)
    },
    { capture: true },
  )
}
