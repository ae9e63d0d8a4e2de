/** One call that a system answered or failed to answer. */
export interface Call {
  /** ISO 8601. */
  readonly at: string
  readonly method: string
  /**
   * Path and query of HTTP, or the command of another protocol. Values of secret-looking parameters
   * are masked.
   */
  readonly path: string
  /** 0 when no response was sent. */
  readonly status: number
  /** Milliseconds until the response ended. */
  readonly ms: number
  /** Names inside the call, such as JMAP methods. */
  readonly operations?: readonly string[]
  /** The fault that hit the call. */
  readonly fault?: { readonly id: string; readonly mode: string }
}

export interface CallLog {
  add(call: Call): void
  /** Oldest first. */
  list(): readonly Call[]
  clear(): void
}

const secretParameter =
  /([?&](?:code|token|id_token_hint|client_secret|password|flow_token|state|nonce|code_challenge)=)[^&]*/g

/** Keeps the last `limit` calls. */
export function createCallLog(limit = 500): CallLog {
  let calls: Call[] = []
  return {
    add(call) {
      calls.push({ ...call, path: call.path.replace(secretParameter, '$1***') })
      if (calls.length > limit) calls = calls.slice(-limit)
    },
    list: () => calls,
    clear() {
      calls = []
    },
  }
}
