const unattendedAfterMs = 60_000
const inputs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const

let lastInput = Date.now()
if (typeof window !== 'undefined') {
  const note = () => {
    lastInput = Date.now()
  }
  for (const type of inputs) window.addEventListener(type, note, { capture: true, passive: true })
}

/**
 * Whether nobody has touched the page for a minute. What it then requests by itself, such as a list
 * that it refreshes, does not keep the session alive.
 */
export function isUnattended(now = Date.now()): boolean {
  return now - lastInput >= unattendedAfterMs
}
