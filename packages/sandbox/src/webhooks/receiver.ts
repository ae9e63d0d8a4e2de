import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

/** How the receiver responds: it accepts, fails, never responds, or says that it is gone. */
export const receiverModes = ['accept', 'fail', 'hang', 'gone'] as const
export type ReceiverMode = (typeof receiverModes)[number]

/** `unchecked`: no secret was entered. */
export type SignatureState = 'right' | 'wrong' | 'unchecked'

/** One request as it arrived. */
export interface ReceivedDelivery {
  readonly id: string
  readonly at: string
  readonly headers: Readonly<Record<string, string>>
  /** At most the beginning of it. */
  readonly body: string
  /** What it was responded with; null for no response. */
  readonly status: (typeof statuses)[ReceiverMode]
}

/** A request, and whether one of the secrets signed it. */
export type ShownDelivery = ReceivedDelivery & { readonly signature: SignatureState }

const mostDeliveries = 100
const mostSecrets = 10
/** How much of a body is kept, in characters. */
export const longestBody = 65_536
const statuses = { accept: 204, fail: 500, hang: null, gone: 410 } as const

/** What a webhook endpoint got, for a developer who has none yet. Kept in memory. */
export interface WebhookReceiver {
  mode(): ReceiverMode
  setMode(mode: ReceiverMode): void
  /** Returns false for what is no secret of the Standard Webhooks specification. */
  addSecret(secret: string): boolean
  secretCount(): number
  receive(headers: Readonly<Record<string, string>>, body: string): ReceivedDelivery
  /** Newest first. */
  list(): ShownDelivery[]
  /** Forgets the deliveries. */
  clear(): void
  /** Forgets secrets too, and accepts again. */
  reset(): void
}

export function createWebhookReceiver(now: () => number): WebhookReceiver {
  let mode: ReceiverMode = 'accept'
  let deliveries: ReceivedDelivery[] = []
  let secrets: string[] = []
  const clear = () => {
    deliveries = []
  }
  return {
    mode: () => mode,
    setMode(next) {
      mode = next
    },
    addSecret(secret) {
      if (!isSecret(secret)) return false
      secrets = [...secrets.filter((one) => one !== secret), secret].slice(-mostSecrets)
      return true
    },
    secretCount: () => secrets.length,
    receive(headers, body) {
      const delivery = {
        id: randomUUID(),
        at: new Date(now()).toISOString(),
        headers,
        body,
        status: statuses[mode],
      }
      deliveries = [delivery, ...deliveries].slice(0, mostDeliveries)
      return delivery
    },
    // A secret that is entered later shows whether it signed what is there already.
    list: () => deliveries.map((one) => ({ ...one, signature: signatureOf(one, secrets) })),
    clear,
    reset() {
      clear()
      secrets = []
      mode = 'accept'
    },
  }
}

function isSecret(secret: string): boolean {
  if (!/^whsec_[A-Za-z0-9+/]{32,200}={0,2}$/.test(secret)) return false
  try {
    return new Webhook(secret) !== undefined
  } catch {
    return false
  }
}

function signatureOf(
  { headers, body }: ReceivedDelivery,
  secrets: readonly string[],
): SignatureState {
  if (secrets.length === 0) return 'unchecked'
  const seconds = Number(headers['webhook-timestamp'])
  const id = headers['webhook-id']
  const signatures = (headers['webhook-signature'] ?? '').split(' ')
  if (id === undefined || !Number.isSafeInteger(seconds)) return 'wrong'
  const sentAt = new Date(seconds * 1_000)
  return secrets.some((secret) => signatures.includes(new Webhook(secret).sign(id, sentAt, body)))
    ? 'right'
    : 'wrong'
}
