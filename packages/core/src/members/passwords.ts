// Without I, O, 0, 1 and l, which people misread (docs/reference/contract.md, authentication).
const classes = {
  upper: 'ABCDEFGHJKLMNPQRSTUVWXYZ',
  lower: 'abcdefghijkmnopqrstuvwxyz',
  digit: '23456789',
  symbol: '!#$%&*+-=?@_',
} as const
const union = Object.values(classes).join('')

export const temporaryPasswordLength = 16

/** Fills a buffer with random bytes from a CSPRNG, as `crypto.getRandomValues` does. */
export type RandomBytes = (buffer: Uint8Array<ArrayBuffer>) => Uint8Array

/**
 * A whole number in [0, bound) without modulo bias: bytes above the largest multiple of `bound` are
 * drawn again.
 */
function below(bound: number, random: RandomBytes): number {
  const limit = 256 - (256 % bound)
  for (;;) {
    const byte = random(new Uint8Array(1))[0] ?? 255
    if (byte < limit) return byte % bound
  }
}

/**
 * A one-time password: 16 characters, at least one upper-case letter, lower-case letter, digit and
 * symbol, shuffled by Fisher–Yates, none of I O 0 1 l. The caller passes the CSPRNG and must
 * neither store nor log the result.
 */
export function temporaryPassword(random: RandomBytes): string {
  const pick = (alphabet: string) => alphabet.charAt(below(alphabet.length, random))
  const characters = Object.values(classes).map(pick)
  while (characters.length < temporaryPasswordLength) characters.push(pick(union))
  for (let i = characters.length - 1; i > 0; i--) {
    const j = below(i + 1, random)
    const held = characters[i] ?? ''
    characters[i] = characters[j] ?? ''
    characters[j] = held
  }
  return characters.join('')
}

/** How long a password that another person has seen is valid. */
export const temporaryPasswordHours = 72

/** When a temporary password that is given now expires, unless its person replaces it before. */
export function temporaryPasswordExpiry(now: Date): Date {
  return new Date(now.getTime() + temporaryPasswordHours * 3_600_000)
}
