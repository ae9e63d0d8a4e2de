import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'

// Cheap on purpose: these passwords protect demo people on one machine, and tests make many of
// them.
const cost = { N: 1024, r: 8, p: 1 }

export function hashPassword(password: string): string {
  const salt = randomBytes(16)
  return `${salt.toString('hex')}:${scryptSync(password.normalize('NFKC'), salt, 32, cost).toString('hex')}`
}

/** False for a user without a usable password too. */
export function passwordMatches(stored: string | null, password: string): boolean {
  const [salt, hash] = stored?.split(':') ?? []
  if (!salt || !hash) return false
  return timingSafeEqual(
    Buffer.from(hash, 'hex'),
    scryptSync(password.normalize('NFKC'), Buffer.from(salt, 'hex'), 32, cost),
  )
}
