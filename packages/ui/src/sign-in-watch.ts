import { z } from 'zod'

/** What the app's own server says about who is signed in, and since when (GET /api/session). */
const SignedIn = z.object({
  signedIn: z.boolean(),
  subject: z.string().nullable(),
  signedInAt: z.string().nullable(),
})
export type SignedIn = z.infer<typeof SignedIn>

/**
 * The channel on which the sign-in window reports that it is done; any window of this site could,
 * so it is only a reason to check.
 */
export const signInChannel = 'atrium-sign-in'

export async function readSignedIn(): Promise<SignedIn> {
  const response = await fetch('/api/session', {
    headers: { accept: 'application/json' },
    cache: 'no-store',
  })
  if (!response.ok) throw new Error(`The session could not be read (${response.status}).`)
  return SignedIn.parse(await response.json())
}

interface Watch {
  read?: () => Promise<SignedIn>
  /** The same person has signed in again. */
  onRenewed: () => void
  /** Another person is signed in now, or no one (by two checks in a row). */
  onOther: () => void
  everyMs?: number
}

/**
 * Watches for a new sign-in in another window: immediately when that window reports it, when this
 * one gets the focus, and every two seconds in case neither happens. Returns a function to stop; it
 * also stops after its first report.
 */
export function watchSignIn({
  read = readSignedIn,
  onRenewed,
  onOther,
  everyMs = 2_000,
}: Watch): () => void {
  let before: SignedIn | undefined
  let signedOut = false
  let stopped = false
  let checking = false

  async function check(): Promise<void> {
    if (checking || stopped) return
    checking = true
    // A server that cannot be reached says nothing about the session; the next check may.
    const now = await read().catch(() => undefined)
    checking = false
    if (stopped || !now) return
    if (!now.signedIn) {
      // One alone may have come with the cookie of the session that the new one replaces.
      if (signedOut) end(onOther)
      signedOut = true
      return
    }
    signedOut = false
    before ??= now
    if (now.subject !== before.subject) end(onOther)
    else if (Date.parse(now.signedInAt ?? '') > Date.parse(before.signedInAt ?? '')) end(onRenewed)
  }
  const checkNow = () => void check()
  const channel = new BroadcastChannel(signInChannel)
  channel.addEventListener('message', checkNow)
  if (typeof window !== 'undefined') window.addEventListener('focus', checkNow)
  const timer = setInterval(checkNow, everyMs)

  function stop(): void {
    stopped = true
    clearInterval(timer)
    channel.close()
    if (typeof window !== 'undefined') window.removeEventListener('focus', checkNow)
  }
  function end(report: () => void): void {
    stop()
    report()
  }
  checkNow()
  return stop
}
